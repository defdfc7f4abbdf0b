"""FastMCP's client with its defaults."""

import asyncio
import sys

from fastmcp import Client

from steps import steps


async def main(url):
    async with Client(url) as client:

        async def call(name, arguments):
            return await client.call_tool(name, arguments, raise_on_error=False)

        await steps(client.list_tools, call, client.get_prompt, client.read_resource)


asyncio.run(main(sys.argv[1]))
