// What a program sees of the types that openapi-typescript makes: it compiles only where they say what
// is said here, and then calls with them.
import createClient from "openapi-fetch";
import type { components, paths } from "./contract.js";

declare const process: { argv: string[] };

/** Fails to compile unless the two are the same. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const noMethodForOptions: Same<paths["/api/v1/search"]["options"], undefined> = true;
const seasonsOfADetailHaveSources: Same<
  components["schemas"]["ProgramDetailResponse"]["data"]["cycles"][number]["sources"],
  components["schemas"]["Source"][]
> = true;
const nullIsSaid: Same<components["schemas"]["ProgramSummary"]["nextDeadline"], string | null> = true;
void [noMethodForOptions, seasonsOfADetailHaveSources, nullIsSaid];

const client = createClient<paths>({ baseUrl: process.argv[2] });

/** The body, or an end to the program. */
function body<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

// 1e21 is where JavaScript begins to print exponents.
const query = { fundingMax: 1e21, sort: "name", limit: 3 } as const;
const found = body(await client.GET("/api/v1/search", { params: { query } }));
if (found.meta.invalid.length > 0) throw new Error(found.meta.invalid.join());
const slug = found.data[0]?.slug;
if (slug === undefined) throw new Error("nothing was found");
const { data } = body(await client.GET("/api/v1/programs/{slug}", { params: { path: { slug } } }));
if (data.program.slug !== slug || data.cycles.some((season) => season.sources === undefined)) {
  throw new Error("not the record that was asked for");
}
const organization = [found.data[0]!.organization.slug];
const ofIt = body(await client.GET("/api/v1/cycles", { params: { query: { organization, limit: 1 } } }));
if (ofIt.meta.invalid?.length) throw new Error(ofIt.meta.invalid.join());
const changes = body(await client.GET("/api/v1/changes", { params: { query: { limit: 7 } } }));
if (changes.data.length !== 7) throw new Error("not as many changes as wanted");
const missing = await client.GET("/api/v1/programs/{slug}", { params: { path: { slug: "no-such-program" } } });
if (missing.error === undefined) throw new Error("a program that does not exist was answered");
