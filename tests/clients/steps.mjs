// What every TypeScript client does once it is connected.
import assert from "node:assert/strict";

const TOOLS = ["search_opportunities", "get_opportunity", "list_filter_options"];

export async function steps(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  const call = (name, args) => client.callTool({ name, arguments: args });
  const found = await call("search_opportunities", { query: "grant", limit: 3 });
  assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);
  const [row] = found.structuredContent.opportunities;
  const read = await call("get_opportunity", { slug: row.slug, locale: "es" });
  assert.equal(read.structuredContent.opportunity.slug, row.slug);
  const options = await call("list_filter_options", { facet: "countries", limit: 5 });
  assert.ok(options.structuredContent.data.length > 0);
  const mistake = await call("search_opportunities", { limit: 0 });
  assert.equal(mistake.isError, true);
  assert.match(mistake.content[0].text, /^limit must be an integer from 1 to 100, got 0\./);
  await assert.rejects(call("no_such_tool", {}));
  const { prompts } = await client.listPrompts();
  assert.equal(prompts[0].name, "find_best_opportunities");
  const prompt = await client.getPrompt({ name: prompts[0].name, arguments: { locale: "es", goal: "x" } });
  assert.match(prompt.messages[0].content.text, /^Ayúdame/);
  const { resources } = await client.listResources();
  const guide = await client.readResource({ uri: resources[0].uri });
  assert.match(guide.contents[0].text, /^# Guide/);
}
