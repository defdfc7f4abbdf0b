// Calls an edge with the client that openapi-generator makes for browsers and Node.
import { ChangesApi, Configuration, OrganizationsApi, ProgramsApi, RecipientsApi, SearchApi } from "./fetched/index";

declare const process: { argv: string[]; exitCode: number };
const edge = new Configuration({ basePath: process.argv[2] });

async function main() {
  const rows = await new SearchApi(edge).searchOpportunities({ limit: 5, sort: "name" });
  const first = rows.data[0];
  if (rows.data.length !== 5 || first === undefined) throw new Error(JSON.stringify(rows.meta));
  const detail = await new ProgramsApi(edge).getProgram({ slug: first.slug });
  if (detail.data.program.id !== first.id) throw new Error("another record");
  const [organization] = (await new OrganizationsApi(edge).listOrganizations({ limit: 1 })).data;
  const offered = await new SearchApi(edge).searchOpportunities({ organization: [first.organization.slug, "no-such-body"] });
  if (offered.meta.invalid.join() !== "organization=no-such-body") throw new Error(offered.meta.invalid.join());
  if ((await new ChangesApi(edge).getChanges({ limit: 7 })).data.length !== 7) throw new Error("not as many changes as wanted");
  const [recipient] = (await new RecipientsApi(edge).listRecipients({ limit: 1 })).data;
  if (organization === undefined || recipient === undefined) throw new Error("an empty list");
}
main().catch(error => { console.error(error); process.exitCode = 1; });
