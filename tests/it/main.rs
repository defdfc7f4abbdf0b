//! One test binary: a folder for each thing that is asked about, a list of modules for each folder.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod mcp;
mod records;
mod schema;
mod server;

mod contract {
    pub(crate) mod consistency;
    mod examples;
    pub(crate) mod openapi;
    mod operations;
    mod whole;
}

mod data {
    mod canary;
    mod mutations;
    mod schemas;
    mod shown;
    mod stated;
    pub(crate) mod words;
}

mod house {
    mod budget;
    mod packages;
    mod readme;
    mod source;
    mod tidy;
    mod words;
    mod workflows;
}

mod http {
    mod allocations;
    mod any_bytes;
    mod bodies;
    mod canonical;
    mod languages;
    mod probes;
    mod protocol;
    mod storm;
    mod templates;
}

mod search {
    mod admission;
    pub(crate) mod engine;
    mod facets;
    mod hints;
    mod languages;
    mod left_out;
    mod meaning;
    mod oracle;
    mod oracle_text;
    mod pages;
    mod places;
    mod recipients;
    mod relevance;
}

mod store {
    mod archive;
    mod changes;
    mod corruption;
    mod dates;
    pub(crate) mod diff;
    mod exported;
    pub(crate) mod publish;
    mod refusals;
}

mod time {
    mod days;
    mod pages;
    mod turned;
}
