"""What every Python client does once it is connected: answers are checked, whatever their types are called."""

import json

TOOLS = ["search_opportunities", "get_opportunity", "list_filter_options"]


def structured(result):
    for name in ("structured_content", "structuredContent"):
        if getattr(result, name, None) is not None:
            return getattr(result, name)
    raise AssertionError("no structured content")


def is_error(result):
    return getattr(result, "is_error", None) or getattr(result, "isError", False)


async def steps(list_tools, call, get_prompt, read_resource):
    assert [tool.name for tool in await list_tools()] == TOOLS
    found = await call("search_opportunities", {"query": "grant", "limit": 3})
    assert json.loads(found.content[0].text) == structured(found)
    slug = structured(found)["opportunities"][0]["slug"]
    read = await call("get_opportunity", {"slug": slug, "locale": "es"})
    assert structured(read)["opportunity"]["slug"] == slug
    options = await call("list_filter_options", {"facet": "countries", "limit": 5})
    assert structured(options)["data"]
    mistake = await call("search_opportunities", {"limit": 0})
    assert is_error(mistake)
    assert mistake.content[0].text.startswith("limit must be an integer from 1 to 100, got 0.")
    try:
        await call("no_such_tool", {})
    except Exception:
        pass
    else:
        raise AssertionError("an unknown tool was answered")
    prompt = await get_prompt("find_best_opportunities", {"locale": "es", "goal": "x"})
    assert prompt.messages[0].content.text.startswith("Ayúdame")
    guide = await read_resource("opportunities://guide")
    assert guide[0].text.startswith("# Guide")
