//! The MCP endpoint, in process.

mod relevance;
