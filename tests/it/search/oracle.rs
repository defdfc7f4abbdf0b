//! A plain search over a directory, written from the contract and not from the engine: loops and
//! filters over records. Slow and obvious; what the engine answers is held against it.
//!
//! Folding, tokens and stems are the library's: they are definitions, tested by themselves.

use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use snapshot::facet::{FACETS, Facet, FacetSpec};
use snapshot::place;
use snapshot::record::{
    Cycle, CycleStatus, Directory, EntityRef, Fact, InternedStr, Lifecycle, Locale, Organization, Polarity,
    Program, Strength,
};
use snapshot::text::fold;

use super::oracle_text::{Positions, Reader, positions};

/// Most values of a facet in an answer.
const SHOWN: usize = 50;

const OPEN_STATES: [&str; 6] = ["open", "closing_soon", "rolling", "upcoming", "closed", "unknown"];

/// A question, read from the pairs of a query string. Unknown values are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadQuery {
    /// Facet name and value; `field` has become `topic` where a topic is so spelled.
    pub(crate) picks: BTreeSet<(&'static str, String)>,
    /// Slugs of organizations, the current ones.
    organizations: BTreeSet<String>,
    /// Everything else by parameter name; the first of several.
    pub(crate) single: BTreeMap<String, String>,
}

/// A facet, and its values with counts.
pub(crate) type Counts = (&'static str, Vec<(String, usize)>);

/// What the answer has to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Matches.
    pub(crate) total: usize,
    /// Slugs of the page.
    pub(crate) slugs: Vec<String>,
    /// Facets, if requested.
    pub(crate) facets: Option<Vec<Counts>>,
}

/// A program with all that a search looks at.
pub(super) struct Record<'a> {
    pub(super) program: &'a Program,
    names: [String; 2],
    organization: &'a str,
    cycles: Vec<&'a Cycle>,
    /// By facet name.
    named: BTreeMap<&'static str, BTreeSet<&'a str>>,
    shut: BTreeMap<&'static str, BTreeSet<&'a str>>,
    facts: Vec<&'a Fact>,
    pub(super) texts: Vec<Positions>,
}

/// The plain search.
pub(crate) struct Oracle<'a> {
    pub(super) records: Vec<Record<'a>>,
    /// Values that records name for a facet or that the contract fixes, by facet name.
    pub(crate) vocabulary: BTreeMap<&'static str, BTreeSet<&'a str>>,
    /// Slugs of organizations, and former ones, each with the current one.
    pub(crate) organizations: BTreeMap<&'a str, &'a str>,
    pub(super) reader: Reader,
}

impl ReadQuery {
    fn get(&self, name: &str) -> Option<&str> {
        self.single.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok()
    }

    fn is_on(&self, name: &str) -> bool {
        matches!(self.get(name), Some("true" | "1"))
    }

    fn date(&self, name: &str) -> Option<Date> {
        self.get(name)?.parse().ok()
    }

    fn locale(&self) -> Locale {
        self.get("locale").or(self.get("lang")).and_then(Locale::parse).unwrap_or(Locale::En)
    }

    /// First row and number of rows.
    fn page(&self) -> (usize, usize) {
        let number = |name, default| self.get(name).map_or(default, |text| text.parse().unwrap());
        let limit = number("limit", 20);
        (number("offset", (number("page", 1) - 1) * limit), limit)
    }
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(directory: &'a Directory) -> Self {
        let records: Vec<Record<'_>> =
            directory.programs.iter().map(|program| Record::new(directory, program)).collect();
        let vocabulary = FACETS.iter().map(|spec| (spec.name, vocabulary(spec, &records))).collect();
        let reader = Reader::new(records.iter().map(|record| &record.texts));
        let current = directory.organizations.iter().map(|it| (it.slug.as_str(), it.slug.as_str()));
        let former = directory.organizations.iter().flat_map(|it| {
            let of_it = directory.aliases.iter().filter(|alias| alias.about() == it.entity());
            of_it.map(|alias| (alias.slug.as_str(), it.slug.as_str()))
        });
        Self { records, vocabulary, organizations: current.chain(former).collect(), reader }
    }

    /// Whether a record includes a value, and does not only exclude it.
    fn is_named(&self, facet: &str, value: &str) -> bool {
        self.records.iter().any(|record| record.named[facet].contains(value))
    }

    fn is_value(&self, facet: Facet, value: &str) -> bool {
        self.vocabulary[facet.spec().name].contains(value)
    }

    /// Reads pairs of parameter and value.
    pub(crate) fn read(&self, pairs: &[(String, String)]) -> ReadQuery {
        let mut query = ReadQuery::default();
        for (name, value) in pairs {
            if name == "organization" {
                query
                    .organizations
                    .extend(self.organizations.get(value.as_str()).map(|slug| (*slug).to_owned()));
                continue;
            }
            let Some(spec) = FACETS.iter().find(|spec| spec.parameter == name) else {
                query.single.entry(name.clone()).or_insert(value.clone());
                continue;
            };
            let facet = match spec.facet {
                Facet::Fields if self.is_value(Facet::Topics, value) => Facet::Topics,
                facet => facet,
            };
            if self.is_value(facet, value) || facet.spec().is_place && place::is_place(value) {
                query.picks.insert((facet.spec().name, value.clone()));
            }
        }
        query
    }

    /// Whether a program has a facet value on a day.
    fn has(&self, record: &Record<'_>, facet: &str, value: &str, today: Date) -> bool {
        let names = |facet: &str, value: &str| record.named[facet].contains(value);
        match facet {
            "openStates" => open_states(record, today).contains(value),
            "fields" if self.is_value(Facet::Topics, value) => names("topics", value),
            "countries" | "destinations" | "citizenships" | "residences" => {
                let around = around(value);
                around.iter().any(|place| names(facet, place))
                    && !around.iter().any(|place| record.shut[facet].contains(place))
            }
            _ => names(facet, value),
        }
    }

    /// Answers a question.
    pub(crate) fn answer(&self, query: &ReadQuery, today: Date) -> Expected {
        let base: Vec<&Record<'_>> = self.matching_all_but_picks(query, today);
        let mut groups: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for (facet, value) in &query.picks {
            groups.entry(group(facet)).or_default().push((facet, value));
        }
        let without = |ignored: &str| -> Vec<&Record<'_>> {
            let kept = base.iter().copied().filter(|record| {
                groups
                    .iter()
                    .filter(|(group, _)| **group != ignored)
                    .all(|(_, picks)| picks.iter().any(|(f, v)| self.has(record, f, v, today)))
            });
            kept.collect()
        };
        let mut found = without("");
        found.sort_by(|a, b| order(query, today, a, b));
        let (offset, limit) = query.page();
        let rows = found.iter().skip(offset).take(limit).map(|record| record.program.slug.clone());
        let facets = (query.get("facets") != Some("false")).then(|| {
            let facet = |spec: &FacetSpec| self.facet(spec, &without(group(spec.name)), query, today);
            FACETS.iter().map(|spec| (spec.name, facet(spec))).collect()
        });
        Expected { total: found.len(), slugs: rows.collect(), facets }
    }

    fn facet(
        &self,
        spec: &FacetSpec,
        records: &[&Record<'_>],
        query: &ReadQuery,
        today: Date,
    ) -> Vec<(String, usize)> {
        let picked: BTreeSet<&str> =
            query.picks.iter().filter(|(facet, _)| *facet == spec.name).map(|(_, v)| v.as_str()).collect();
        let count = |value: &str| records.iter().filter(|r| self.has(r, spec.name, value, today)).count();
        let is_listed = |value: &&str| !spec.is_place || self.is_named(spec.name, value);
        let listed = self.vocabulary[spec.name].iter().copied().filter(is_listed);
        let values: BTreeSet<&str> = listed.chain(picked.clone()).collect();
        let mut items: Vec<(&str, usize)> = values.into_iter().map(|value| (value, count(value))).collect();
        let by_count = |a: &(&str, usize), b: &(&str, usize)| b.1.cmp(&a.1).then(a.0.cmp(b.0));
        items.sort_by(|a, b| picked.contains(b.0).cmp(&picked.contains(a.0)).then_with(|| by_count(a, b)));
        items.retain(|(value, count)| *count > 0 || picked.contains(value));
        items.truncate(SHOWN.max(picked.len()));
        items.sort_by(by_count);
        items.into_iter().map(|(value, count)| (value.to_owned(), count)).collect()
    }

    fn matching_all_but_picks(&self, query: &ReadQuery, today: Date) -> Vec<&Record<'_>> {
        let text = query.get("q").map(|text| self.reader.read(text));
        let fits = |record: &&Record<'_>| {
            let deadline = next_deadline(record, today);
            let (from, to) = (query.date("deadlineFrom"), query.date("deadlineTo"));
            let updated = record.program.updated_at.to_zoned(TimeZone::UTC).date();
            text.as_ref().is_none_or(|text| text.fits(&record.texts))
                && (query.organizations.is_empty() || query.organizations.contains(record.organization))
                && (!query.is_on("open") || is_open(record, today))
                && (!query.is_on("rolling") || is_rolling(record, today))
                && (!query.is_on("funded") || is_funded(record))
                && from.is_none_or(|from| deadline.is_some_and(|deadline| from <= deadline))
                && to.is_none_or(|to| deadline.is_some_and(|deadline| deadline <= to))
                && query.date("updatedFrom").is_none_or(|from| from <= updated)
                && query.date("updatedTo").is_none_or(|to| updated <= to)
                && overlaps(query, "age", &ages(record))
                && overlaps(query, "funding", &fundings(record))
                && overlaps(query, "duration", &durations(record))
        };
        self.records.iter().filter(fits).collect()
    }
}

fn vocabulary<'a>(facet: &FacetSpec, records: &[Record<'a>]) -> BTreeSet<&'a str> {
    let named = records.iter().flat_map(|r| r.named[facet.name].iter().chain(&r.shut[facet.name]));
    let fixed: Vec<&str> = match facet.facet {
        Facet::Lifecycles => Lifecycle::ALL.iter().map(|lifecycle| lifecycle.as_str()).collect(),
        Facet::OpenStates => OPEN_STATES.to_vec(),
        _ => Vec::new(),
    };
    named.copied().chain(fixed).collect()
}

/// Topics and fields are one group: `field` asks for either.
fn group(facet: &str) -> &str {
    if facet == "fields" { "topics" } else { facet }
}

/// A place and all that contains it.
fn around(code: &str) -> Vec<&str> {
    let country = code.split('-').next().unwrap_or(code);
    let known = if place::is_place(code) { place::find(country) } else { None };
    let mut around = vec![code, country];
    around.extend(known.iter().flat_map(|place| &place.ancestors));
    around
}

fn order(query: &ReadQuery, today: Date, a: &Record<'_>, b: &Record<'_>) -> std::cmp::Ordering {
    let id = |record: &Record<'_>| record.program.id;
    let by_name =
        |locale: Locale| (&a.names[locale as usize], id(a)).cmp(&(&b.names[locale as usize], id(b)));
    match query.get("sort") {
        Some("name") => by_name(query.locale()),
        Some("recent") => (b.program.created_at, id(a)).cmp(&(a.program.created_at, id(b))),
        _ => {
            let key = |record: &Record<'_>| match next_deadline(record, today) {
                Some(deadline) => (0, Some(deadline), 0),
                None => (1, None, openness_rank(record, today)),
            };
            key(a).cmp(&key(b)).then_with(|| by_name(query.locale()))
        }
    }
}

fn openness_rank(record: &Record<'_>, today: Date) -> usize {
    let states = open_states(record, today);
    let order = ["open", "rolling", "upcoming", "unknown", "closed"];
    order.iter().position(|state| states.contains(state)).unwrap()
}

impl<'a> Record<'a> {
    fn new(directory: &'a Directory, program: &'a Program) -> Self {
        let facts: Vec<&Fact> = directory.facts.iter().filter(|fact| fact.program_id == program.id).collect();
        let name = |locale| {
            let name = directory.text(program.entity(), locale, "name", &program.name);
            fold(name.trim_start_matches(|c: char| !c.is_alphanumeric()))
        };
        let cycles = directory.cycles.iter().filter(|cycle| cycle.program_id == program.id);
        let values = |polarity| {
            FACETS.iter().map(|spec| (spec.name, values(spec, program, &facts, polarity))).collect()
        };
        Self {
            program,
            names: [name(Locale::En), name(Locale::Es)],
            organization: &organization(directory, program).slug,
            cycles: cycles.collect(),
            named: values(Polarity::Include),
            shut: values(Polarity::Exclude),
            texts: texts(directory, program, &facts),
            facts,
        }
    }
}

/// Values that a program names for a facet, or excludes from it.
fn values<'a>(
    spec: &FacetSpec,
    program: &'a Program,
    facts: &[&'a Fact],
    polarity: Polarity,
) -> BTreeSet<&'a str> {
    let list = |list: &'a [InternedStr]| list.iter().map(InternedStr::as_str).collect::<BTreeSet<&str>>();
    let own = match spec.name {
        "types" => [program.program_type.as_str()].into(),
        "lifecycles" => [program.lifecycle.as_str()].into(),
        "fields" => list(&program.fields),
        "countries" => list(&program.eligible_countries),
        "destinations" => list(&program.destination_countries),
        "careers" => list(&program.career_stages),
        _ => BTreeSet::new(),
    };
    let kind = match spec.name {
        "countries" => "country",
        "durationUnits" => "duration",
        name => name.strip_suffix('s').unwrap_or(name),
    };
    let bound = facts
        .iter()
        .filter(|fact| fact.kind == kind && fact.strength == Strength::Required && fact.polarity == polarity);
    let stated = bound
        .filter_map(|fact| if kind == "duration" { fact.unit.as_deref() } else { fact.value.as_deref() });
    match polarity {
        Polarity::Include => own.into_iter().chain(stated).collect(),
        Polarity::Exclude if spec.is_place => stated.collect(),
        Polarity::Exclude => BTreeSet::new(),
    }
}

/// Status of a cycle on a day.
pub(crate) fn status(cycle: &Cycle, today: Date) -> CycleStatus {
    use CycleStatus::{Closed, Open, Rolling, Unknown, Upcoming};
    if cycle.deadline_on.is_some_and(|deadline| deadline < today) {
        return Closed;
    }
    if let Some(stated @ (Rolling | Closed)) = cycle.status {
        return stated;
    }
    if let Some(opens) = cycle.opens_on {
        return if opens > today { Upcoming } else { Open };
    }
    match cycle.status {
        Some(stated @ (Open | Upcoming)) => stated,
        _ if cycle.deadline_on.is_some() => Open,
        _ => Unknown,
    }
}

/// The states that a program's lifecycle leaves no choice but.
fn forced(record: &Record<'_>, today: Date) -> Option<&'static str> {
    match record.program.lifecycle.as_str() {
        "paused" | "ended" | "active_no_applications" => Some("closed"),
        "inaccessible" | "renamed_or_moved" | "unclear" => {
            let dated =
                |cycle: &&&Cycle| status(cycle, today) == CycleStatus::Open && cycle.deadline_on.is_some();
            if record.cycles.iter().any(|cycle| dated(&cycle)) { None } else { Some("unknown") }
        }
        _ => None,
    }
}

fn open_states(record: &Record<'_>, today: Date) -> BTreeSet<&'static str> {
    if let Some(state) = forced(record, today) {
        return [state].into();
    }
    if record.cycles.is_empty() {
        let accepts = record.program.lifecycle == Lifecycle::ActiveAccepting;
        return [if accepts { "open" } else { "unknown" }].into();
    }
    let statuses: Vec<&str> = record.cycles.iter().map(|cycle| status(cycle, today).as_str()).collect();
    let ranked = ["open", "rolling", "upcoming", "closed", "unknown"];
    let mut states: BTreeSet<&str> =
        ranked.into_iter().find(|state| statuses.contains(state)).into_iter().collect();
    let soon = today.saturating_add(14.days());
    let closes = |cycle: &&Cycle| {
        status(cycle, today) == CycleStatus::Open
            && cycle.deadline_on.is_some_and(|deadline| deadline <= soon)
    };
    if record.cycles.iter().any(closes) {
        states.insert("closing_soon");
    }
    states
}

fn is_open(record: &Record<'_>, today: Date) -> bool {
    let states = open_states(record, today);
    states.contains("open") || states.contains("rolling")
}

fn is_rolling(record: &Record<'_>, today: Date) -> bool {
    let rolls = |cycle: &&Cycle| status(cycle, today) == CycleStatus::Rolling;
    forced(record, today).is_none() && record.cycles.iter().any(rolls)
}

fn next_deadline(record: &Record<'_>, today: Date) -> Option<Date> {
    if forced(record, today) == Some("closed") {
        return None;
    }
    let ahead = record
        .cycles
        .iter()
        .filter(|cycle| matches!(status(cycle, today), CycleStatus::Open | CycleStatus::Upcoming));
    ahead.filter_map(|cycle| cycle.deadline_on).filter(|deadline| *deadline >= today).min()
}

type Interval = (Option<f64>, Option<f64>);

/// Intervals of required facts of a kind, in the requested unit.
fn of_facts(record: &Record<'_>, kind: &str, unit: impl Fn(&Fact) -> f64) -> Vec<Interval> {
    let binding = record.facts.iter().filter(|fact| {
        fact.kind == kind && fact.strength == Strength::Required && fact.polarity == Polarity::Include
    });
    binding.map(|fact| (fact.min.map(|n| n.0 * unit(fact)), fact.max.map(|n| n.0 * unit(fact)))).collect()
}

fn ages(record: &Record<'_>) -> Vec<Interval> {
    of_facts(record, "age", |_| 1.0)
}

fn durations(record: &Record<'_>) -> Vec<Interval> {
    of_facts(record, "duration", |fact| match fact.unit.as_deref() {
        Some("day") => 1.0,
        Some("week") => 7.0,
        Some("month") => 30.0,
        _ => 365.0,
    })
}

fn fundings(record: &Record<'_>) -> Vec<Interval> {
    vec![(record.program.funding_min_usd.map(|n| n.0), record.program.funding_max_usd.map(|n| n.0))]
}

/// Whether any published interval shares a number with the requested one.
fn overlaps(query: &ReadQuery, measure: &str, published: &[Interval]) -> bool {
    let (min, max) = (query.number(&format!("{measure}Min")), query.number(&format!("{measure}Max")));
    if min.is_none() && max.is_none() {
        return true;
    }
    let (from, to) = (min.unwrap_or(f64::MIN), max.unwrap_or(f64::MAX));
    let stated = published.iter().filter(|(least, most)| least.is_some() || most.is_some());
    from <= to
        && stated
            .map(|(least, most)| (least.unwrap_or(f64::MIN).max(from), most.unwrap_or(f64::MAX).min(to)))
            .any(|(from, to)| from <= to)
}

fn is_funded(record: &Record<'_>) -> bool {
    let (least, most) = fundings(record)[0];
    least.is_some()
        || most.is_some()
        || record.named["fundingShapes"].iter().any(|shape| *shape != "unfunded")
}

/// Whether the end of an address is the code of a call.
fn is_call(last: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '-';
    (8..=80).contains(&last.len())
        && last.chars().all(is_part)
        && last.chars().filter(char::is_ascii_uppercase).count() > 1
        && last.contains(|letter: char| letter.is_ascii_digit())
        && last.contains('-')
}

fn organization<'a>(directory: &'a Directory, program: &Program) -> &'a Organization {
    directory.organizations.iter().find(|it| it.id == program.organization_id).unwrap()
}

/// All that `q` looks at.
fn texts(directory: &Directory, program: &Program, facts: &[&Fact]) -> Vec<Positions> {
    let organization = organization(directory, program);
    let mut texts: Vec<&str> = vec![&program.name, &organization.name];
    texts.extend(program.aliases.iter().chain(&organization.aliases).map(String::as_str));
    texts.extend(program.summary.iter().chain(&program.description).map(String::as_str));
    let slugs = directory.aliases.iter().filter(|alias| alias.about() == organization.entity());
    texts.extend(slugs.map(|alias| alias.slug.as_str()));
    texts.extend(facts.iter().filter_map(|fact| fact.text.as_deref()));
    let cycles = directory.cycles.iter().filter(|cycle| cycle.program_id == program.id);
    let addresses = cycles.clone().filter_map(|cycle| cycle.application_url.as_deref());
    let addresses = addresses.chain([program.official_url.as_str()]);
    texts.extend(
        addresses
            .filter_map(|address| address.split('?').next()?.rsplit('/').next())
            .filter(|it| is_call(it)),
    );
    let labels = cycles.map(|cycle| cycle.label.as_str());
    texts.extend(labels.filter(|label| label.contains(|c: char| c.is_ascii_digit())));
    let mut translated = |of: EntityRef, fields: &[&str]| {
        for locale in [Locale::En, Locale::Es] {
            let known = directory.translations.get(&(of, locale));
            let fields = fields.iter().filter_map(|field| known?.get(*field));
            texts.extend(fields.map(String::as_str));
        }
    };
    translated(program.entity(), &["name", "summary", "description"]);
    translated(organization.entity(), &["name"]);
    facts.iter().for_each(|fact| translated(fact.entity(), &["text"]));
    texts.into_iter().map(positions).collect()
}
