//! JSON Schema, draft 2020-12, formats included.

use boon::{Compiler, Draft, SchemaIndex, Schemas};
use serde_json::Value;

pub(crate) struct Schema(Schemas, SchemaIndex);

impl Schema {
    /// Panics if it is no schema.
    pub(crate) fn new(schema: &Value) -> Self {
        const NAME: &str = "file:///schema.json";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.set_default_draft(Draft::V2020_12);
        compiler.enable_format_assertions();
        compiler.add_resource(NAME, schema.clone()).unwrap();
        let index = compiler.compile(NAME, &mut schemas).unwrap_or_else(|error| panic!("{error:#}"));
        Self(schemas, index)
    }

    pub(crate) fn is_valid(&self, value: &Value) -> bool {
        self.0.validate(value, self.1).is_ok()
    }

    /// Panics with every fault unless a value is valid.
    pub(crate) fn check(&self, what: &str, value: &Value) {
        let result = self.0.validate(value, self.1);
        assert!(result.is_ok(), "{what}: {:#}", result.unwrap_err());
    }
}
