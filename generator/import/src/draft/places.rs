//! What the cells of a column prove about its places: that it has some, and whether `CA` is California or Canada.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::sheets::{Draft, Taken, fields_of};
use crate::fields::Field;
use crate::mapping::Rule;
use crate::values;
use crate::vocabulary::value_of;
use dataset::schema::ValueType;
use dataset::{Labels, Table};
use snapshot::place::{self, NameKind};
use snapshot::record::Locale;
use snapshot::text::fold;

/// Whether a text is the code or the name of one place.
pub(super) fn is_place(text: &str) -> bool {
    place::is_place(text) || Labels::default().meant("eligibleCountries", "", text).is_some()
}

/// Whether a text is the code of a state of the US.
pub(super) fn is_state(text: &str) -> bool {
    place::is_place(&format!("US-{text}"))
}

impl Draft<'_> {
    /// A column without any place has none, whatever its name; one of topics that are places has no topics.
    pub(super) fn decide_places(&self, taken: &mut Taken) {
        let parts = |column: usize| {
            let items = |text: String| {
                [",", ";", "|"].iter().flat_map(|it| values::items(&text, it)).collect::<Vec<_>>()
            };
            self.column(column).flat_map(items)
        };
        let has_place = |column: usize| parts(column).any(|part| is_place(&part));
        taken.retain(|(_, field), (column, _)| !field.ends_with("Countries") || has_place(*column));
        let is_topic =
            |field: &&Field| field.value_type() == ValueType::List && !field.name.ends_with("Countries");
        let topics = fields_of(Table::Programs).filter(is_topic).map(|field| field.name);
        let regions = place::names().iter().filter(|name| name.kind == NameKind::Subdivision);
        let regions: BTreeSet<String> = regions.map(|name| fold(name.text)).collect();
        for name in topics.chain(["lifecycle"]) {
            let at = (Table::Programs, name);
            let Some((column, is_sure)) = taken.get(&at).copied() else { continue };
            let is_region = |part: &String| is_place(part) || regions.contains(&fold(part));
            // A column `State` has states of affairs or of the US.
            let is_known = |part: String| value_of("lifecycle", &part).is_some();
            let has_places = match name {
                "lifecycle" => {
                    !is_sure && parts(column).any(|it| is_state(&it)) && !parts(column).any(is_known)
                }
                _ => parts(column).any(|part| is_region(&part)),
            };
            if has_places {
                taken.remove(&at);
                taken.entry((Table::Programs, "eligibleCountries")).or_insert((column, false));
            }
        }
    }

    /// Places that may apply: a union of states as its members, which have codes.
    pub(super) fn places(&self, out: &mut String, field: &str, taken: (usize, bool), lists: Option<&str>) {
        let cells = self.column(taken.0);
        let words =
            cells.flat_map(|cell| lists.map_or_else(|| vec![cell.clone()], |it| values::items(&cell, it)));
        let words: Vec<String> = words.collect();
        let unions =
            words.iter().cloned().filter_map(|word| Some((value_of("places", &word)?.to_owned(), word)));
        let mut values: BTreeMap<String, String> = unions.map(|(members, word)| (word, members)).collect();
        // `CA` is California among other states, and Canada among other countries.
        let states = words.iter().filter(|word| is_state(word));
        let (both, states): (Vec<_>, Vec<_>) = states.partition(|word| place::is_place(word));
        let is_country = |word: &&String| word.len() == 2 && is_place(word) && !both.contains(word);
        let has_countries = words.iter().any(|word| is_country(&word)) && states.is_empty();
        let is_open = !both.is_empty() && states.is_empty();
        if !has_countries {
            let states = both.iter().chain(&states);
            values.extend(states.map(|word| ((*word).clone(), format!("US-{word}"))));
        }
        let question = match both.first() {
            Some(word) if is_open && !has_countries => format!(
                "  # ? states of the US, or countries: {word} is {}?",
                place::find(word).map_or("", |place| place.name(Locale::En))
            ),
            _ => self.evidence(taken),
        };
        if !values.is_empty() {
            values.insert("*".to_owned(), "*".to_owned());
        }
        let rule = Rule { values, ..self.rule(taken.0) }.to_toml();
        let _ = writeln!(out, "{field} = {rule}{question}");
    }
}
