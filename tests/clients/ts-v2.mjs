// TypeScript SDK 2: `legacy`, `auto` or `pin`, which is 2026-07-28 and nothing else.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { steps } from "./steps.mjs";

const [url, name] = process.argv.slice(2);
const mode = name === "pin" ? { pin: "2026-07-28" } : name;
const client = new Client({ name: "ts-v2", version: "1.0.0" }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const spoken = name === "legacy" ? "2025-11-25" : "2026-07-28";
assert.equal(client.getNegotiatedProtocolVersion(), spoken);
await steps(client);
await client.close();
