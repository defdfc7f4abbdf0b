//! The facts of a program, and the places that it names.

use serde_json::{Value, json};

use super::record::{Record, money};
use super::rng::Rng;

/// Kinds of facts, the facet of their values, and how often there are none, one, two… of them.
const VALUES: [(&str, &str, [usize; 6]); 8] = [
    ("topic", "topics", [5, 20, 25, 25, 15, 10]),
    ("applicant", "applicants", [10, 15, 20, 20, 20, 15]),
    ("audience", "audiences", [10, 15, 20, 20, 20, 15]),
    ("benefit", "benefits", [25, 25, 20, 15, 10, 5]),
    ("career", "careers", [60, 20, 10, 10, 0, 0]),
    ("education", "education", [40, 30, 20, 10, 0, 0]),
    ("enrollment", "enrollments", [60, 30, 10, 0, 0, 0]),
    ("fundingShape", "fundingShapes", [15, 45, 25, 15, 0, 0]),
];

/// How many fixed country lists ("the member states") many programs share.
const SHARED_LISTS: usize = 12;

impl<'l> Record<'l> {
    /// Writes the facts. One in a hundred is not approved, one in sixteen is not a requirement.
    pub(super) fn facts(&mut self, source: &str) {
        let mut facts = self.intervals();
        let mut lists = self.places();
        for (kind, facet, weights) in VALUES {
            let count = self.rng.weighted(&weights);
            lists.push((kind, self.lists.of(facet).draw_distinct(&mut self.rng, count)));
        }
        for (kind, values) in lists {
            facts.extend(values.into_iter().map(|value| json!({"kind": kind, "value": value})));
        }
        if self.rng.percent(4) {
            let kind = self.rng.pick(&["country", "citizenship", "residence"]);
            facts.push(json!({"kind": kind, "value": self.one("countries"), "polarity": "exclude"}));
        }
        for mut fact in facts {
            fact["id"] = self.rng.uuid().into();
            fact["programId"] = self.id.as_str().into();
            fact["sourceId"] = self.rng.percent(15).then_some(source).into();
            fact["strength"] = [None, Some("preferred"), Some("info")][self.rng.weighted(&[94, 4, 2])].into();
            fact["status"] =
                [None, Some("proposed"), Some("rejected")][self.rng.weighted(&[990, 6, 4])].into();
            fact["updatedAt"] = self.updated.as_str().into();
            self.rows.push(("facts", fact));
        }
    }

    /// Citizenships follow the shape of the country lists, but name areas instead of long lists; residences
    /// are few and often a state. Exclusions take single countries out again.
    fn places(&mut self) -> Vec<(&'static str, Vec<&'l str>)> {
        let citizenships = match self.rng.weighted(&[52, 15, 9, 8, 16]) {
            0 => self.few(),
            1 => self.distinct("regions", (1, 3)),
            2 => self.distinct("countries", (5, 25)),
            3 => vec!["001"],
            _ => Vec::new(),
        };
        let residences = match self.rng.weighted(&[55, 27, 18]) {
            0 => Vec::new(),
            1 => self.few(),
            _ => vec![self.one("subdivisions")],
        };
        let countries = self.maybe(15, Self::few).unwrap_or_default();
        let destinations = self.maybe(8, Self::few).unwrap_or_default();
        vec![
            ("citizenship", citizenships),
            ("residence", residences),
            ("country", countries),
            ("destination", destinations),
        ]
    }

    /// Ages, durations and a note.
    fn intervals(&mut self) -> Vec<Value> {
        let mut facts = Vec::new();
        for _ in 0..self.rng.weighted(&[75, 22, 3]) {
            let min = self.rng.pick(&[None, Some(16), Some(18), Some(21)]);
            let has_max = min.is_none() || self.rng.percent(50);
            let max = has_max.then(|| self.rng.pick(&[25, 30, 35, 45]));
            facts.push(json!({"kind": "age", "min": min, "max": max}));
        }
        for _ in 0..self.rng.weighted(&[45, 50, 5]) {
            let (unit, min) = (self.one("durationUnits"), self.rng.between(1, 12));
            let max = self.maybe(70, |it| min + it.rng.between(0, 12));
            facts.push(json!({"kind": "duration", "min": min, "max": max, "unit": unit}));
        }
        if let Some(text) = self.text(40, (8, 30)) {
            let value =
                self.rng.pick(&["eligibility-text", "total-budget", "accomplishments", "deadline-text"]);
            let amount = (value == "total-budget").then(|| money(&mut self.rng));
            facts.push(json!({
                "kind": "note", "value": value, "text": text, "amount": amount, "currency": amount.map(|_| "USD")
            }));
        }
        facts
    }

    /// A list as the measured profile has it: 50 % one to three places, 25 % five to 90 countries, 10 % all countries,
    /// 15 % none.
    pub(super) fn countries(&mut self) -> Vec<&'l str> {
        let all = &self.lists.of("countries").items;
        let some_of = |rng: &mut Rng, count: usize| {
            all.iter().filter(|_| rng.below(all.len()) < count).map(String::as_str).collect()
        };
        let (number, count) = (self.rng.below(SHARED_LISTS), 5 + self.rng.below(86));
        match self.rng.weighted(&[50, 10, 15, 10, 15]) {
            0 => self.few(),
            1 => some_of(&mut Rng::new(&[number as u64]), 10 + 7 * number),
            2 => some_of(&mut self.rng, count),
            3 => some_of(&mut self.rng, all.len()),
            _ => Vec::new(),
        }
    }

    /// One to three different places, now and then an area instead of a country.
    fn few(&mut self) -> Vec<&'l str> {
        let mut places = self.distinct("countries", (1, 3));
        if self.rng.percent(4) {
            places[0] = self.one("regions");
        }
        places
    }

    fn distinct(&mut self, list: &str, (least, most): (i32, i32)) -> Vec<&'l str> {
        let count = self.rng.between(least, most) as usize;
        self.lists.of(list).draw_distinct(&mut self.rng, count)
    }
}
