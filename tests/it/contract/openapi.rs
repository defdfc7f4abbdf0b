//! `schemas/openapi.json` as an oracle, closed where it may grow: which operation an answer belongs to, and whether status,
//! headers and body are what the contract promises. And what generators of clients ask of it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use serde_json::{Value, json};

use crate::schema::Schema;
use crate::server::Response;

/// The contract that is served.
pub(crate) static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::new(true));

/// The same, open as it is served.
pub(crate) static SERVED: LazyLock<Contract> = LazyLock::new(|| Contract::new(false));

/// Closes schemas: their objects have no other members, and their vocabularies no other values.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) && members.contains_key("type") {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            if let Some(values) = members.remove("x-extensible-enum") {
                members.insert("enum".to_owned(), values);
            }
            // The parts of a whole have its other members.
            members.iter_mut().filter(|(name, _)| *name != "allOf").for_each(|(_, it)| close(it));
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The contract, with a validator for each schema that was needed.
pub(crate) struct Contract {
    /// The document.
    pub(crate) document: Value,
    validators: Mutex<HashMap<String, &'static Schema>>,
}

impl Contract {
    fn new(is_closed: bool) -> Self {
        let mut document: Value =
            serde_json::from_str(include_str!("../../../schemas/openapi.json")).unwrap();
        if is_closed {
            close(&mut document["components"]["schemas"]);
        }
        Self { document, validators: Mutex::default() }
    }

    /// What a value stands for, references followed.
    pub(crate) fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(pointer) => self.resolve(self.document.pointer(&pointer[1..]).expect(pointer)),
            None => value,
        }
    }

    /// Every path template with its item.
    pub(crate) fn items(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.document["paths"].as_object().unwrap().iter()
    }

    fn item(&self, template: &str) -> &Value {
        self.items().find(|(path, _)| *path == template).expect(template).1
    }

    /// The path template of a path, if it has one.
    pub(crate) fn template(&self, path: &str) -> Option<&str> {
        let fits = |template: &&String| {
            let (mut wanted, mut given) = (template.split('/'), path.split('/'));
            let mut parts = wanted.by_ref().zip(given.by_ref());
            parts.all(|(wanted, given)| wanted == given || wanted.starts_with('{') && !given.is_empty())
                && template.split('/').count() == path.split('/').count()
        };
        let paths = || self.items().map(|(path, _)| path);
        let exact = paths().find(|template| *template == path);
        exact.or_else(|| paths().find(fits)).map(String::as_str)
    }

    /// Parameters of an operation, those of its path too.
    pub(crate) fn parameters(&self, template: &str) -> Vec<&Value> {
        let item = self.item(template);
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
        let operation = match method {
            "OPTIONS" => &self.document["x-preflight"],
            _ => &self.item(template)["get"],
        };
        let responses = &operation["responses"];
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
        self.validator(schema).check(what, value);
    }

    /// Whether a value fits a schema of the document.
    pub(crate) fn fits(&self, schema: &Value, value: &Value) -> bool {
        self.validator(schema).is_valid(value)
    }

    fn validator(&self, schema: &Value) -> &'static Schema {
        let mut validators = self.validators.lock().unwrap();
        validators.entry(schema.to_string()).or_insert_with(|| {
            let whole = json!({"allOf": [schema], "components": self.document["components"]});
            Box::leak(Box::new(Schema::new(&whole)))
        })
    }
}

/// Every object of the schemas of a document, with the place where it stands.
fn schemas_of(contract: &'static Contract) -> Vec<(String, &'static Value)> {
    let mut found = Vec::new();
    for kind in ["schemas", "parameters", "headers"] {
        collect(kind.to_owned(), &contract.document["components"][kind], &mut found);
    }
    found
}

fn collect(place: String, value: &'static Value, found: &mut Vec<(String, &'static Value)>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, inner)| collect(format!("{place}.{name}"), inner, found));
            found.push((place, value));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(place.clone(), inner, found)),
        _ => {}
    }
}

/// An answer as a later edge may give it: every object has one member more, every word that may be of a vocabulary is
/// another one.
fn grown(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: serde_json::Map<_, _> =
                members.iter().map(|(name, value)| (name.clone(), grown(value))).collect();
            members.insert("addedLater".to_owned(), json!({"a": [1]}));
            members.into()
        }
        Value::Array(items) => items.iter().map(grown).collect(),
        Value::String(word) if VOCABULARY.contains(&word.as_str()) => json!("some_later_value"),
        other => other.clone(),
    }
}

/// One value of each vocabulary of the examples.
const VOCABULARY: [&str; 7] =
    ["active_accepting", "active_between_cycles", "open", "closed", "person", "include", "required"];

#[test]
fn what_may_be_added_breaks_no_schema_that_clients_are_made_of() {
    let mut count = 0;
    for (path, item) in SERVED.items().filter(|(path, _)| !path.ends_with("openapi.json")) {
        for (status, response) in item["get"]["responses"].as_object().unwrap() {
            let media = &SERVED.resolve(response)["content"]["application/json"];
            for example in
                media["examples"].as_object().into_iter().flatten().map(|(_, it)| SERVED.resolve(it))
            {
                let later = grown(&example["value"]);
                SERVED.check_value(&format!("{path}: {status}"), &media["schema"], &later);
                assert!(CONTRACT.fits(&media["schema"], &example["value"]), "{path}: {status}");
                // ErrorResponse has details of any type, but no other member.
                assert!(!CONTRACT.fits(&media["schema"], &later), "{path}: {status}");
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
    for (place, schema) in schemas_of(&SERVED) {
        assert!(schema.get("additionalProperties") != Some(&json!(false)), "{place} cannot grow");
    }
}

#[test]
fn every_property_is_described_in_a_sentence_of_its_own() {
    let properties: Vec<_> = schemas_of(&CONTRACT)
        .into_iter()
        .flat_map(|(place, schema)| {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(move |(name, property)| (format!("{place}.{name}"), property))
        })
        .collect();
    assert!(properties.len() > 200);
    for (place, property) in properties {
        let words = property["description"].as_str().unwrap_or_default();
        assert!(words.ends_with('.') && words.len() > 8, "{place}: {words:?}");
        let is_nullable = property["type"].as_array().is_some_and(|types| types.contains(&json!("null")))
            || property["oneOf"].as_array().is_some_and(|them| them.contains(&json!({"type": "null"})));
        assert!(!is_nullable || words.contains("null"), "{place} does not say what null means: {words:?}");
        let is_money =
            place.ends_with("Usd") && property["type"] != "object" && property.get("oneOf").is_none();
        assert!(!is_money || words.contains("US dollars"), "{place} has no unit: {words:?}");
    }
}

#[test]
fn generated_clients_have_a_host_and_a_method_for_every_read_and_nothing_else() {
    let first = CONTRACT.document["servers"][0]["url"].as_str().unwrap();
    assert!(first.starts_with("https://") && !first.contains('{'), "{first}");
    for (path, item) in CONTRACT.document["paths"].as_object().unwrap() {
        let methods: Vec<&String> =
            item.as_object().unwrap().keys().filter(|it| *it != "parameters").collect();
        assert_eq!(methods, ["get"], "{path}");
    }
    // What browsers ask stays a promise.
    let preflight = &CONTRACT.document["x-preflight"]["responses"]["204"];
    for header in ["Access-Control-Allow-Origin", "Access-Control-Allow-Methods"] {
        assert_eq!(CONTRACT.resolve(&preflight["headers"][header])["required"], true, "{header}");
    }
}

#[test]
fn a_default_that_is_sent_along_overrules_no_other_parameter() {
    for (path, item) in CONTRACT.document["paths"].as_object().unwrap() {
        let named = |name: &str| {
            CONTRACT.parameters(path).into_iter().find(|it| it["name"] == name && item["get"].is_object())
        };
        if let (Some(_), Some(offset)) = (named("page"), named("offset")) {
            assert!(offset["schema"].get("default").is_none(), "{path}: offset wins over page when sent");
        }
    }
}
