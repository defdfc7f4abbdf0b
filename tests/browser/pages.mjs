// One address of each kind of page, in both languages, found through the public interfaces.
export async function pages(base) {
  const first = async path => (await (await fetch(base + path)).json()).data[0];
  const program = (await first("/api/v1/search?limit=1&facets=false")).slug;
  const organization = (await first("/api/v1/organizations?limit=1")).slug;
  const recipient = (await first("/api/v1/recipients?limit=1"))?.slug;
  const paths = {
    home: "/", search: "/programs", filtered: "/programs?q=fellowship&open=true&type=nonsense",
    program: `/programs/${program}`, organization: `/organizations/${organization}`,
    deadlines: "/deadlines", browse: "/browse", facet: "/facets/topics", organizations: "/organizations",
    recipients: "/recipients", shortlist: `/shortlist#${program}`, data: "/data", api: "/docs/api", mcp: "/docs/mcp", about: "/about",
    missing: "/programs/there-is-none",
  };
  const month = (await (await fetch(base + "/deadlines")).text()).match(/\/deadlines\/\d{4}-\d{2}/);
  if (month) paths.month = month[0];
  if (recipient) paths.recipient = `/recipients/${recipient}`;
  return Object.entries(paths).flatMap(([name, path]) => [
    [name, path],
    [`${name}-es`, path === "/" ? "/es" : `/es${path}`],
  ]);
}
