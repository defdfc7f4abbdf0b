//! Asks every face of the service in process, through the functions that answer requests.

use std::sync::Arc;

use edge::Server;
use serde_json::{Value, json};
use snapshot::facet::FACETS;
use snapshot::query::{Page, Query};
use url::form_urlencoded::Serializer;

use crate::in_process;
use crate::judge::judged::Judged;
use crate::judge::measure::DEPTH;

/// What a face answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Slugs of the first rows, in order.
    pub found: Vec<String>,
    /// How many records are said to match.
    pub matches: usize,
    /// Words that were guessed for another, as far as the answer says so.
    pub guessed: Vec<(String, Vec<String>)>,
    /// Values that words were taken for, as far as the answer says so.
    pub understood: Vec<NamedEntity>,
}

/// A value of a facet that a word was taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedEntity {
    /// Name of the facet.
    pub facet: String,
    /// The value.
    pub value: String,
    /// Whether it is a place.
    pub is_place: bool,
}

impl NamedEntity {
    /// A value by the name of its facet.
    #[must_use]
    pub fn new(facet: &str, value: &str) -> Self {
        let is_place = FACETS.iter().any(|spec| spec.name == facet && spec.is_place);
        Self { facet: facet.to_owned(), value: value.to_owned(), is_place }
    }
}

/// A way to ask.
pub struct Variant {
    /// Its name in reports.
    pub name: &'static str,
    /// Asks a question.
    pub ask: fn(&Desk<'_>, &Judged) -> Answer,
}

/// The faces of the service.
pub const FACES: [Variant; 3] = [
    Variant { name: "mcp", ask: |desk, judged| desk.mcp(judged) },
    Variant { name: "page", ask: |desk, judged| desk.page(judged) },
    Variant { name: "rest", ask: |desk, judged| desk.rest(judged) },
];

/// Where questions are put.
pub struct Desk<'a> {
    live: &'a Arc<Server>,
}

impl<'a> Desk<'a> {
    /// A desk at what was published.
    #[must_use]
    pub fn new(live: &'a Arc<Server>) -> Self {
        Self { live }
    }

    /// The REST interface: `q` and nothing else.
    #[must_use]
    pub fn rest(&self, judged: &Judged) -> Answer {
        let pairs = [("q", judged.text.as_str()), ("locale", &judged.locale), ("limit", "10")];
        let body: Value = serde_json::from_slice(&self.get("/api/v1/search", &pairs)).unwrap();
        let rows = body["data"].as_array().unwrap();
        Answer {
            found: rows.iter().map(slug).collect(),
            matches: number(&body["meta"]["total"]),
            ..Answer::default()
        }
    }

    /// The search page, as it comes when a text is typed.
    #[must_use]
    pub fn page(&self, judged: &Judged) -> Answer {
        let path = if judged.locale == "es" { "/es/programs" } else { "/programs" };
        let body = String::from_utf8(self.get(path, &[("q", &judged.text)])).unwrap();
        // The page says its total in words; it is that of the REST interface.
        Answer {
            found: rows_of(&body).into_iter().take(DEPTH).collect(),
            matches: self.rest(judged).matches,
            ..Answer::default()
        }
    }

    /// The tool `search_opportunities`.
    #[must_use]
    pub fn mcp(&self, judged: &Judged) -> Answer {
        let arguments = json!({"query": judged.text, "locale": judged.locale, "limit": DEPTH});
        let params = json!({"name": "search_opportunities", "arguments": arguments});
        let body = self.call(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        let content = &body["result"]["structuredContent"];
        assert!(content["opportunities"].is_array(), "{}: {body}", judged.text);
        read(content)
    }

    /// Whether a record has a value, or a place inside it.
    #[must_use]
    pub fn holds(&self, slug: &str, concept: &NamedEntity) -> bool {
        let Some(spec) = FACETS.iter().find(|spec| spec.name == concept.facet) else { return false };
        let state = self.live.state();
        let (index, dated) = (&state.site().index, &state.dated);
        let encoded = Serializer::new(String::new()).append_pair(spec.parameter, &concept.value).finish();
        let (query, _) = index.parse(&encoded);
        let all = Page { offset: 0, limit: index.programs() as u64 };
        let answer = index.search(&Query { page: all, no_facets: true, ..query }, &dated.today);
        answer.docs.iter().any(|doc| index.slug(*doc) == slug)
    }

    fn get(&self, path: &str, pairs: &[(&str, &str)]) -> Vec<u8> {
        let query = Serializer::new(String::new()).extend_pairs(pairs).finish();
        let reply = in_process::get(self.live, &format!("{path}?{query}"));
        assert_eq!(reply.status, 200, "{path}?{query}");
        reply.body.to_vec()
    }

    fn call(&self, message: &Value) -> Value {
        serde_json::from_slice(&in_process::post(self.live, message.to_string()).body).unwrap()
    }
}

/// Reads what the tool `search_opportunities` answered.
fn read(content: &Value) -> Answer {
    Answer {
        found: content["opportunities"].as_array().unwrap().iter().map(slug).collect(),
        matches: number(&content["total"]),
        guessed: guesses(content),
        understood: concepts(content),
    }
}

fn slug(row: &Value) -> String {
    row["slug"].as_str().unwrap().to_owned()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

/// Slugs that the headings of a search page's rows lead to, in order.
#[must_use]
pub fn rows_of(page: &str) -> Vec<String> {
    let links = page.split("<h3><a href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let slugs = links.filter_map(|link| link.split_once("/programs/")).map(|(_, slug)| slug.to_owned());
    slugs.collect()
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// What words were read as, as far as it is a value of a facet.
fn concepts(content: &Value) -> Vec<NamedEntity> {
    let filters =
        items(&content["understood"]).flat_map(|read| items(&read["filters"]).chain([&read["outside"]]));
    let concept = |it: &Value| Some(NamedEntity::new(it["facet"].as_str()?, it["value"].as_str()?));
    filters.filter_map(concept).collect()
}

/// Each typed word with the words shown for it.
fn guesses(content: &Value) -> Vec<(String, Vec<String>)> {
    let shown = |it: &Value| items(&it["shown"]).filter_map(Value::as_str).map(str::to_owned).collect();
    let guess = |it: &Value| Some((it["typed"].as_str()?.to_owned(), shown(it)));
    items(&content["guessed"]).filter_map(guess).collect()
}
