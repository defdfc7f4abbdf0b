//! Small datasets to ask questions of: synthetic ones, the sample, and tiny ones in which everything
//! collides: few words, few values, places inside places, dates around one day.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::snapshots::load;
use crate::synth::rng::Rng;
use crate::synth::{self, TODAY};
use dataset::Input;
use jiff::civil::Date;
use serde_json::{Value, json};
use site::in_memory;
use snapshot::page::{Dated, Site};
use snapshot::record::Directory;
use snapshot::time::Day;

pub use crate::synth::day_after;

/// A directory and the site that was built from it on [`TODAY`].
pub struct World {
    /// What was read.
    pub directory: Directory,
    /// What was made of it.
    pub site: Site,
}

impl World {
    /// A dataset of `tests::synth`.
    pub fn synthetic(programs: usize, seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        synth::write(folder.path(), &synth::Options { programs, seed }).unwrap();
        Self::folder(folder.path())
    }

    /// A dataset in a folder.
    pub fn folder(folder: &Path) -> Self {
        Self::new(&Input::Folder(folder.to_owned()))
    }

    /// A tiny dataset.
    pub fn tiny(seed: u64) -> Self {
        Self::tables(&Tiny::new(seed).tables())
    }

    /// A dataset of tables: name and rows.
    pub fn tables(tables: &[(&str, Vec<Value>)]) -> Self {
        let lines =
            |rows: &[Value]| rows.iter().map(|row| format!("{row}\n")).collect::<String>().into_bytes();
        let mut files: Vec<(String, Vec<u8>)> = tables
            .iter()
            .filter(|(name, rows)| !rows.is_empty() || matches!(*name, "organizations" | "programs"))
            .map(|(name, rows)| (format!("{name}.ndjson"), lines(rows)))
            .collect();
        files.push(("dataset.json".to_owned(), synth::description("tiny").to_string().into_bytes()));
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        Self::new(&Input::Embedded(&files))
    }

    fn new(input: &Input<'_>) -> Self {
        let (directory, _) = load(input);
        let site = site(&directory, TODAY).0;
        Self { directory, site }
    }
}

/// A site built on a day.
pub fn site(directory: &Directory, today: Date) -> (Site, Dated) {
    in_memory(directory, Day::new(today)).unwrap()
}

/// Words of tiny datasets and of questions to them: stems, accents, look-alikes, codes.
pub static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "grant grants granting nurse nurses nursing nursery beca becas BECAS investigación \
     INVESTIGACION investigaciones soil health healthy solar Ñandú nandu lndian Indian field-work \
     Straße strasse a y U.S. COVID-19 сорус early career junior NSF R&D research development \
     living labs training trainings irrigation irrigación zorb zorbing zorbar zorbando"
        .split(' ')
        .collect()
});

/// Places of tiny datasets: countries in regions in regions, a subdivision, the world.
pub const PLACES: [&str; 16] = [
    "NG", "EG", "US", "US-PA", "US-NV", "MX", "FR", "GB", "002", "015", "003", "021", "419", "150", "155",
    "001",
];

/// Values of the other facets; fields and topics share some.
pub const VALUES: [&str; 8] = ["health", "energy", "Energy", "soil & water", "café", "a,b", "arts", "z"];

const KINDS: &str = "topic country destination career applicant audience benefit citizenship residence education \
    enrollment fundingShape duration age note";
const PLACE_KINDS: [&str; 4] = ["country", "destination", "citizenship", "residence"];
const LIFECYCLES: &str = "active_accepting active_between_cycles active_no_applications paused ended renamed_or_moved \
    inaccessible unclear";
const TIMES: [&str; 3] = ["2026-01-01T00:00:00Z", "2026-05-05T05:05:05Z", "2026-05-05T05:05:06Z"];

/// Makes a tiny dataset.
struct Tiny {
    rng: Rng,
    ids: u64,
    tables: BTreeMap<&'static str, Vec<Value>>,
}

impl Tiny {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::new(&[seed, 0x71]), ids: 0, tables: BTreeMap::from([("programs", Vec::new())]) }
    }

    fn put(&mut self, table: &'static str, row: Value) {
        self.tables.entry(table).or_default().push(row);
    }

    fn tables(mut self) -> Vec<(&'static str, Vec<Value>)> {
        let organizations: Vec<Value> = (0..3).map(|n| self.organization(n)).collect();
        let programs = self.rng.pick(&[0, 1, 2, 7, 18, 30, 70]);
        for number in 0..programs {
            let organization = organizations[self.rng.below(organizations.len())]["id"].clone();
            self.program(number, &organization);
        }
        let alias = json!({
            "entityType": "organization", "entityId": organizations[0]["id"], "slug": "old-nandu-body"
        });
        self.put("aliases", alias);
        for terms in [
            vec!["beca", "grant"],
            vec!["early career", "junior"],
            vec!["NSF", "national science foundation"],
            vec!["R&D", "research and development", "I+D"],
            vec!["unheard", "unheard of"],
        ] {
            self.put("synonyms", json!({"locale": "en", "terms": terms}));
        }
        self.tables.insert("organizations", organizations);
        self.tables.into_iter().collect()
    }

    fn id(&mut self) -> String {
        self.ids += 1;
        // Ids must not follow the order of the records.
        format!("{:08x}-0000-4000-8000-{:012x}", self.rng.bits() as u32, self.ids)
    }

    fn text(&mut self, most: usize) -> String {
        let count = 1 + self.rng.below(most);
        let words: Vec<&str> = (0..count).map(|_| self.rng.pick(&WORDS)).collect();
        words.join(self.rng.pick(&[" ", " ", ", ", " – "]))
    }

    fn maybe_text(&mut self, percent: usize, most: usize) -> Option<String> {
        self.rng.percent(percent).then(|| self.text(most))
    }

    fn some(&mut self, values: &[&'static str], most: usize) -> Vec<&'static str> {
        let mut some: Vec<&str> = (0..self.rng.below(most + 1)).map(|_| self.rng.pick(values)).collect();
        some.sort_unstable();
        some.dedup();
        some
    }

    fn organization(&mut self, number: usize) -> Value {
        let id = self.id();
        self.translate("organization", &id, &["name"]);
        json!({
            "id": id, "slug": format!("body-{number}"), "name": self.text(3),
            "aliases": if number == 1 { vec!["NSF", "National Science Foundation"] } else { vec![] },
            "createdAt": TIMES[0], "updatedAt": TIMES[0]
        })
    }

    fn translate(&mut self, kind: &str, id: &str, fields: &[&str]) {
        let locale = self.rng.pick(&["es", "es", "en"]);
        let mut texts = serde_json::Map::new();
        for field in fields {
            if let Some(text) = self.maybe_text(50, 3) {
                texts.insert((*field).to_owned(), text.into());
            }
        }
        if self.rng.percent(40) && !texts.is_empty() {
            let row = json!({"entityType": kind, "entityId": id, "locale": locale, "fields": texts});
            self.put("translations", row);
        }
    }

    fn program(&mut self, number: usize, organization: &Value) {
        let id = self.id();
        let least = self.rng.percent(40).then(|| self.rng.below(5) * 1000);
        let most = self.rng.percent(40).then(|| least.unwrap_or(0) + self.rng.below(5) * 1000);
        let program = json!({
            "id": id, "organizationId": organization, "slug": format!("program-{number}"),
            "name": self.text(2), "summary": self.maybe_text(60, 5), "description": self.maybe_text(60, 12),
            "aliases": self.some(&WORDS, 2), "programType": self.rng.pick(&VALUES),
            "fields": self.some(&VALUES, 3),
            "eligibleCountries": if self.rng.percent(10) { PLACES.to_vec() } else { self.some(&PLACES, 3) },
            "destinationCountries": self.some(&PLACES, 2), "careerStages": self.some(&VALUES, 2),
            "fundingMinUsd": least, "fundingMaxUsd": most, "officialUrl": "https://example.org/",
            "lifecycle": self.rng.pick(&LIFECYCLES.split(' ').collect::<Vec<_>>()), "createdAt": self.rng.pick(&TIMES),
            "updatedAt": TIMES[2],
            "publication": self.rng.pick(&["published", "published", "published", "published", "draft"])
        });
        self.put("programs", program);
        self.translate("program", &id, &["name", "summary", "description"]);
        for _ in 0..self.rng.below(4) {
            self.cycle(&id);
        }
        for _ in 0..self.rng.below(12) {
            self.fact(&id);
        }
    }

    fn day(&mut self, percent: usize) -> Option<String> {
        let days = if self.rng.percent(70) { self.rng.between(-20, 40) } else { self.rng.between(-300, 420) };
        self.rng.percent(percent).then(|| day_after(days).to_string())
    }

    fn cycle(&mut self, program: &str) {
        let cycle = json!({
            "id": self.id(), "programId": program, "label": self.text(2), "opensOn": self.day(50),
            "deadlineOn": self.day(60), "startsOn": self.day(30),
            "status": self.rng.pick(&[
                None, None, Some("unknown"), Some("upcoming"), Some("open"), Some("closed"), Some("rolling"),
            ]),
            "createdAt": TIMES[0], "updatedAt": TIMES[0]
        });
        self.put("cycles", cycle);
    }

    fn fact(&mut self, program: &str) {
        let id = self.id();
        let kind = self.rng.pick(&KINDS.split(' ').collect::<Vec<_>>());
        let has_range = matches!(kind, "age" | "duration");
        let least = (has_range && self.rng.percent(60)).then(|| self.rng.below(30));
        let most = (has_range && self.rng.percent(60)).then(|| least.unwrap_or(0) + self.rng.below(30));
        let value = match kind {
            "age" | "duration" | "note" => None,
            kind if PLACE_KINDS.contains(&kind) => Some(self.rng.pick(&PLACES)),
            "fundingShape" => Some(self.rng.pick(&["unfunded", "unfunded", "stipend"])),
            _ => Some(self.rng.pick(&VALUES)),
        };
        let unit = (kind == "duration").then(|| self.rng.pick(&["day", "week", "month", "year"]));
        let polarity =
            if self.rng.percent(if value.is_some() { 25 } else { 5 }) { "exclude" } else { "include" };
        let fact = json!({
            "id": id, "programId": program, "kind": kind, "value": value, "min": least, "max": most,
            "unit": unit, "text": self.maybe_text(20, 4), "polarity": polarity,
            "strength": self.rng.pick(&["required", "required", "required", "preferred", "info"]),
            "status": self.rng.pick(&["approved", "approved", "approved", "approved", "proposed"]),
            "updatedAt": TIMES[0]
        });
        let has_text = !fact["text"].is_null();
        self.put("facts", fact);
        if has_text && self.rng.percent(30) {
            self.translate("fact", &id, &["text"]);
        }
    }
}
