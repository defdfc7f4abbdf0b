"""Hands the tools of a running edge to the converter of a model SDK, as its users do: none may be refused, and
none may lose an argument."""

import asyncio
import sys

TOOLS = {"search_opportunities", "get_opportunity", "list_filter_options"}


def whole(schemas, offered):
    """Every tool is there, with each of its arguments."""
    assert schemas.keys() == offered.keys() == TOOLS, schemas.keys()
    for name, schema in schemas.items():
        assert set(schema["properties"]) == set(offered[name]["properties"]), name
    return schemas


async def listed(url):
    """The tools as they are offered, and their input schemas."""
    from mcp import Client

    async with Client(url) as client:
        tools = (await client.list_tools()).tools
    return tools, {tool.name: tool.input_schema for tool in tools}


async def google_genai(url):
    # What `generate_content` does with a session among its tools.
    from google.genai._mcp_utils import mcp_to_gemini_tools

    tools, offered = await listed(url)
    made = [one for tool in mcp_to_gemini_tools(tools) for one in tool.function_declarations]
    schemas = whole({one.name: one.parameters.model_dump(exclude_none=True) for one in made}, offered)
    assert schemas["get_opportunity"]["required"] == ["slug"]


async def openai_agents(url):
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStreamableHttp, MCPUtil

    _, offered = await listed(url)
    agent = Agent(name="reader")
    async with MCPServerStreamableHttp(params={"url": url}) as server:
        made = await MCPUtil.get_all_function_tools([server], True, RunContextWrapper(None), agent)
        whole({tool.name: tool.params_json_schema for tool in made}, offered)
        assert all(tool.strict_json_schema for tool in made)
        found = await server.call_tool("search_opportunities", {"query": "grant", "limit": 1})
        assert not getattr(found, "is_error", None) and found.content


async def pydantic_ai(url):
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    _, offered = await listed(url)
    async with MCPToolset(url) as toolset:
        tools = {tool.name: tool.input_schema for tool in await toolset.list_tools()}
        found = await toolset.direct_call_tool("list_filter_options", {"facet": "types", "limit": 1})
        assert found["data"], found
    whole(tools, offered)
    whole({name: GoogleJsonSchemaTransformer(schema).walk() for name, schema in tools.items()}, offered)
    strict = {name: OpenAIJsonSchemaTransformer(schema, strict=True) for name, schema in tools.items()}
    whole({name: transformer.walk() for name, transformer in strict.items()}, offered)


SDKS = {"google-genai": google_genai, "openai-agents": openai_agents, "pydantic-ai": pydantic_ai}
asyncio.run(SDKS[sys.argv[2]](sys.argv[1]))
