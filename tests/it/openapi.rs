//! `schemas/openapi.json` as an oracle: which operation an answer belongs to, and whether status,
//! headers and body are what the contract promises.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::server::Response;

/// The contract that is served.
pub(crate) static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract {
    document: serde_json::from_slice(generator::render::OPENAPI).unwrap(),
    validators: Mutex::default(),
});

/// The contract, with a validator for each schema that was needed.
pub(crate) struct Contract {
    /// The document.
    pub(crate) document: Value,
    validators: Mutex<HashMap<String, &'static Validator>>,
}

impl Contract {
    /// What a value stands for, references followed.
    pub(crate) fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(pointer) => self.resolve(self.document.pointer(&pointer[1..]).expect(pointer)),
            None => value,
        }
    }

    /// The path template of a path, if it has one.
    pub(crate) fn template(&self, path: &str) -> Option<&str> {
        let paths = self.document["paths"].as_object().unwrap();
        let fits = |template: &&String| {
            let (mut wanted, mut given) = (template.split('/'), path.split('/'));
            let mut parts = wanted.by_ref().zip(given.by_ref());
            parts.all(|(wanted, given)| wanted == given || wanted.starts_with('{') && !given.is_empty())
                && template.split('/').count() == path.split('/').count()
        };
        let exact = paths.keys().find(|template| *template == path);
        exact.or_else(|| paths.keys().find(fits)).map(String::as_str)
    }

    /// Parameters of an operation, those of its path too.
    pub(crate) fn parameters(&self, template: &str) -> Vec<&Value> {
        let item = &self.document["paths"][template];
        let lists = [&item["parameters"], &item["get"]["parameters"]];
        lists.into_iter().filter_map(Value::as_array).flatten().map(|it| self.resolve(it)).collect()
    }

    /// Panics unless an answer is what the contract says of its operation and status.
    pub(crate) fn check(&self, method: &str, target: &str, response: &Response) {
        let what = format!("{method} {target}: {}", response.status);
        let path = target.split('?').next().unwrap();
        assert_eq!(response.header("access-control-allow-origin"), "*", "{what}");
        let Some(template) = self.template(path) else {
            let unknown = json!({"$ref": "#/components/responses/ServerError"});
            assert!(response.status >= 400 || method == "OPTIONS", "{what}: no path of the contract");
            if method != "OPTIONS" {
                self.check_response(&what, method, self.resolve(&unknown), response);
            }
            return;
        };
        let operation = if method == "OPTIONS" { "options" } else { "get" };
        let responses = &self.document["paths"][template][operation]["responses"];
        let status = response.status.to_string();
        let class = format!("{}XX", &status[..1]);
        let documented = responses.get(&status).or_else(|| responses.get(&class));
        let documented = documented.unwrap_or_else(|| panic!("{what} is no status of the contract"));
        self.check_response(&what, method, self.resolve(documented), response);
    }

    fn check_response(&self, what: &str, method: &str, documented: &Value, response: &Response) {
        for (name, header) in documented["headers"].as_object().into_iter().flatten() {
            self.check_header(what, name, self.resolve(header), response);
        }
        if method == "HEAD" {
            return;
        }
        let Some(content) = documented["content"].as_object() else {
            return assert!(response.body.is_empty(), "{what} has no body");
        };
        let media_type = response.header("content-type").split(';').next().unwrap();
        let media = content.get(media_type).unwrap_or_else(|| panic!("{what} in {media_type}"));
        let body = match media_type {
            "application/json" if response.status != 206 => response.json(),
            _ => Value::String(response.text()),
        };
        self.check_value(what, &media["schema"], &body);
    }

    fn check_header(&self, what: &str, name: &str, header: &Value, response: &Response) {
        let Some(value) = response.headers.get(name) else {
            return assert!(header["required"] != true, "{what} lacks {name}");
        };
        let text = value.to_str().unwrap();
        let value = match header["schema"]["type"].as_str() {
            Some("integer") => text.parse::<u64>().map_or(Value::Null, Value::from),
            _ => Value::from(text),
        };
        self.check_value(&format!("{what}, {name}"), &header["schema"], &value);
    }

    /// Panics unless a value fits a schema of the document.
    pub(crate) fn check_value(&self, what: &str, schema: &Value, value: &Value) {
        let faults: Vec<String> =
            self.validator(schema).iter_errors(value).map(|fault| fault_text(&fault)).collect();
        assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
    }

    /// Whether a value fits a schema of the document.
    pub(crate) fn fits(&self, schema: &Value, value: &Value) -> bool {
        self.validator(schema).is_valid(value)
    }

    fn validator(&self, schema: &Value) -> &'static Validator {
        let mut validators = self.validators.lock().unwrap();
        validators.entry(schema.to_string()).or_insert_with(|| {
            let whole = json!({"allOf": [schema], "components": self.document["components"]});
            let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
            Box::leak(Box::new(options.should_validate_formats(true).build(&whole).unwrap()))
        })
    }
}

fn fault_text(fault: &jsonschema::ValidationError<'_>) -> String {
    let text: String = fault.to_string().chars().take(300).collect();
    format!("  {}: {text}", fault.instance_path())
}
