"""Python SDK 1: the handshake of 2025-11-25."""

import asyncio
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from pydantic import AnyUrl

from steps import steps


async def main(url):
    async with streamablehttp_client(url) as (read, write, _):
        async with ClientSession(read, write) as session:
            assert (await session.initialize()).protocolVersion == "2025-11-25"

            async def tools():
                return (await session.list_tools()).tools

            async def resource(uri):
                return (await session.read_resource(AnyUrl(uri))).contents

            await steps(tools, session.call_tool, session.get_prompt, resource)


asyncio.run(main(sys.argv[1]))
