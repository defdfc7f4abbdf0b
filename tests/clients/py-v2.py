"""Python SDK 2: `auto`, `legacy` or a version."""

import asyncio
import sys

from mcp import Client

from steps import steps


async def main(url, mode):
    async with Client(url, mode=mode) as client:
        assert client.protocol_version == ("2025-11-25" if mode == "legacy" else "2026-07-28")

        async def tools():
            return (await client.list_tools()).tools

        async def resource(uri):
            return (await client.read_resource(uri)).contents

        await steps(tools, client.call_tool, client.get_prompt, resource)


asyncio.run(main(*sys.argv[1:]))
