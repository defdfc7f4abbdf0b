//! What the tools cost a model in tokens, and how it fares with values that nobody listed for it.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use tests::agents::Host;

use super::tokens;

/// Filter values as people name them; each has one reading in the dataset that is measured with.
#[rustfmt::skip]
pub const NATURAL: [(&str, &str); 24] = [
    ("type", "Fellowship"), ("type", "scholarships"), ("type", "Cascade funding"), ("type", "Tax credit"),
    ("country", "Kenya"), ("country", "UK"), ("country", "USA"), ("country", "DEU"), ("country", "Ivory Coast"),
    ("citizenship", "Nigeria"), ("citizenship", "South Korea"), ("residence", "EU"),
    ("destination", "Holland"), ("destination", "Estados Unidos"), ("residence", "England"),
    ("country", "Czech Republic"), ("topic", "Health"), ("topic", "Arts, culture and humanities"),
    ("career", "Postdoctoral researcher"), ("career", "phd"), ("education", "Master's"),
    ("openState", "Closing soon"), ("lifecycle", "Ended"), ("benefit", "Stipend or salary"),
];

/// What was measured.
#[derive(Debug)]
pub struct Measures {
    /// Tokens of each record that was read, ascending.
    pub records: Vec<usize>,
    /// Tokens of a search's first ten rows, in order of the questions.
    pub ten: Vec<usize>,
    /// Tokens of a hundred rows.
    pub hundred: usize,
    /// What each member of a row costs of them, the dearest first.
    pub members: Vec<(String, usize)>,
    /// Tokens of `tools/list`.
    pub tools: usize,
    /// Natural values that were not taken.
    pub refused: Vec<(&'static str, &'static str)>,
}

/// Searches whose rows are counted: with words, with a filter, with nothing.
fn searches() -> [Value; 5] {
    [
        json!({}),
        json!({"query": "research grant"}),
        json!({"query": "climate adaptation"}),
        json!({"openOnly": true}),
        json!({"query": "beca", "locale": "es"}),
    ]
}

/// Measures a directory.
#[must_use]
pub fn measure(host: &Host<'_>) -> Measures {
    let ten = searches().map(|arguments| tokens(&host.call("search_opportunities", &arguments).text));
    let hundred = host.call("search_opportunities", &json!({"limit": 100}));
    let read = |slug: &String| tokens(&host.call("get_opportunity", &json!({"slug": slug})).text);
    let mut records: Vec<usize> = slugs(host).iter().map(read).collect();
    records.sort_unstable();
    let taken = |(name, value): &(&str, &str)| {
        !host.call("search_opportunities", &json!({*name: value, "limit": 1})).is_error
    };
    Measures {
        records,
        ten: ten.to_vec(),
        hundred: tokens(&hundred.text),
        members: members(&hundred.content()),
        tools: tokens(&host.result("tools/list", &json!({}))["tools"].to_string()),
        refused: NATURAL.into_iter().filter(|natural| !taken(natural)).collect(),
    }
}

/// How many tokens an answer loses with each member of its rows, the dearest first.
fn members(found: &Value) -> Vec<(String, usize)> {
    let rows = found["opportunities"].as_array().unwrap();
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.as_object().unwrap().keys()).collect();
    let whole = tokens(&found.to_string());
    let cost = |name: &String| {
        let mut less = found.clone();
        for row in less["opportunities"].as_array_mut().unwrap() {
            row.as_object_mut().unwrap().remove(name);
        }
        (name.clone(), whole - tokens(&less.to_string()))
    };
    let mut costs: Vec<(String, usize)> = names.into_iter().map(cost).collect();
    costs.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
    costs
}

/// Slugs of all records.
#[must_use]
pub fn slugs(host: &Host<'_>) -> Vec<String> {
    let mut slugs = Vec::new();
    loop {
        let page = json!({"limit": 100, "offset": slugs.len(), "sort": "name"});
        let found = host.call("search_opportunities", &page).content();
        let rows = found["opportunities"].as_array().unwrap();
        slugs.extend(rows.iter().map(|row| row["slug"].as_str().unwrap().to_owned()));
        if rows.is_empty() || found["nextOffset"].is_null() {
            return slugs;
        }
    }
}

/// The value that a share of a hundred is not above.
fn at(sorted: &[usize], share: usize) -> usize {
    sorted.get(sorted.len() * share / 100).or(sorted.last()).copied().unwrap_or(0)
}

impl Display for Measures {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let records = &self.records;
        writeln!(f, "records read                  {}", records.len())?;
        writeln!(
            f,
            "tokens of a record            median {} / p95 {} / max {}",
            at(records, 50),
            at(records, 95),
            at(records, 100)
        )?;
        writeln!(f, "tokens of ten rows            {:?}", self.ten)?;
        writeln!(f, "tokens of a hundred rows      {}", self.hundred)?;
        for (member, cost) in &self.members {
            writeln!(f, "  of them {member:<22}{cost}")?;
        }
        writeln!(f, "tokens of tools/list          {}", self.tools)?;
        let taken = NATURAL.len() - self.refused.len();
        writeln!(f, "natural values taken at once  {taken} of {}", NATURAL.len())?;
        write!(f, "not taken                     {:?}", self.refused)
    }
}
