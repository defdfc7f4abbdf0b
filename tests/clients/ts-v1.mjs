// TypeScript SDK 1: the handshake of 2025-11-25.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { steps } from "./steps.mjs";

const client = new Client({ name: "ts-v1", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
await steps(client);
await client.close();
