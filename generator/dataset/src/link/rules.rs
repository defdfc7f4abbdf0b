//! Rules about single rows.

use std::collections::BTreeSet;
use std::fmt::Display;

use jiff::civil::{Date, date};
use snapshot::facet::{FACETS, Facet, MEASURES, Measure, MeasureSpec, Unit, fact_kinds};
use snapshot::record::field_table::{Field, FieldType, Value};
use snapshot::record::{
    AWARD, Alias, Award, CYCLE, CYCLE_STAMPS, Cycle, Dataset, DurationUnit, EntityType, FACT, Fact, Leader,
    Number, ORGANIZATION, PROGRAM, Program, RECIPIENT, Synonym, Term, Translation,
};

use crate::day_of;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::rows::{Record, Row, Tables};
use crate::text::{counted, quoted, suggestion, with_article};

const LICENSE: &str = "CC BY 4.0";
const SCHEMA_VERSION: &str = "1";
const OLDEST_AGE: f64 = 150.0;
/// Positive sums: at least a cent, and small enough that any number of them can be added.
const MONEY: (f64, f64) = (0.01, 1e15);

/// Dates up to the first and from the second on are placeholders for "none" in many databases.
pub(super) const SENTINELS: (Date, Date) = (date(1970, 1, 1), date(2100, 1, 1));

/// Reports problems of single rows.
pub(super) fn check(tables: &mut Tables, report: &mut Diagnostics) {
    each(tables.dataset.as_slice(), report, dataset);
    each(&tables.programs, report, program);
    each(&tables.cycles, report, cycle);
    each(&tables.awards, report, award);
    each(&tables.facts, report, fact);
    each(&tables.aliases, report, alias);
    each(&tables.leaders, report, leader);
    each(&tables.translations, report, translation);
    each(&tables.vocabulary, report, term);
    each(&tables.synonyms, report, synonym);
    times(tables, report);
}

/// Records are created, then changed, then published.
fn times(tables: &mut Tables, report: &mut Diagnostics) {
    let published = tables.dataset.as_ref().map(|row| row.record.published_at);
    each_table!(tables, |table, rows| {
        let mut late = Vec::new();
        for row in rows {
            let Some((created, updated)) = row.record.profile().times else { break };
            if let Some(created) = created.filter(|created| *created > updated) {
                let message = format!("`updatedAt` is {updated}, before `createdAt`, which is {created}");
                report.push(Diagnostic::new(Code::TimesReversed, row.at, message));
            }
            if published.is_some_and(|published| updated.max(created.unwrap_or(updated)) > published) {
                late.push(row.at);
            }
        }
        if let (Some(first), Some(published)) = (late.iter().min(), published) {
            let (rows, table) = (counted(late.len(), "row"), table.name());
            let message = format!("{rows} of {table} changed after `publishedAt`, {published}");
            report.push(Diagnostic::new(Code::AfterPublication, *first, message));
        }
    });
}

/// The problems of one row.
struct Problems {
    at: Location,
    list: Vec<Diagnostic>,
}

impl Problems {
    fn add(&mut self, code: Code, message: impl Into<String>, more: impl FnOnce(Diagnostic) -> Diagnostic) {
        self.list.push(more(Diagnostic::new(code, self.at, message)));
    }

    /// Adds the problem of a number or day.
    fn wrong(&mut self, code: Code, name: &'static str, value: impl Display, what: impl Display) {
        self.add(code, format!("`{name}` is {value}, {what}"), |it| it.value(name, value.to_string()));
    }
}

fn each<T: Sync>(rows: &[Row<T>], report: &mut Diagnostics, rule: impl Fn(&T, &mut Problems) + Sync) {
    report.extend(parallel::flat_map(rows, |row| {
        let mut problems = Problems { at: row.at, list: Vec::new() };
        rule(&row.record, &mut problems);
        problems.list
    }));
}

fn dataset(record: &Dataset, problems: &mut Problems) {
    let version = &record.schema_version;
    if version != SCHEMA_VERSION {
        let message = format!("`schemaVersion` is {}, expected `{SCHEMA_VERSION}`", quoted(version));
        problems.add(Code::WrongVersion, message, |it| it.value("schemaVersion", version));
    }
    let license = &record.license;
    if license != LICENSE {
        let message = format!("`license` is {}, expected `{LICENSE}`", quoted(license));
        problems.add(Code::WrongLicense, message, |it| it.value("license", license));
    }
    let locales = &record.locales;
    if locales.is_empty() || (1..locales.len()).any(|at| locales[..at].contains(&locales[at])) {
        let found: Vec<&str> = locales.iter().map(|locale| locale.as_str()).collect();
        let message = format!("`locales` is [{}], expected `en`, `es` or both, each once", found.join(", "));
        let help = "write `[\"en\"]` or `[\"es\"]`, or leave `locales` out for both";
        problems.add(Code::BadLocales, message, |it| it.field("locales").help(help));
    }
    if let Some(contact) = record.contact.as_deref().filter(|_| record.contact_address().is_none()) {
        let message = format!("`contact` is {}, expected a mail address or an http(s) URL", quoted(contact));
        let help = "write `\"contact\": \"grants@example.org\"`, or the address of a page with `https://`";
        problems.add(Code::BadUrl, message, |it| it.value("contact", contact).help(help));
    }
}

fn program(record: &Program, problems: &mut Problems) {
    let (min, max) = (("fundingMinUsd", record.funding_min_usd), ("fundingMaxUsd", record.funding_max_usd));
    reversed(Code::MinAboveMax, min, max, problems);
    fields(PROGRAM, record, problems);
    if let Some(active) = record.active.filter(|active| *active != record.lifecycle.is_active()) {
        let message = format!("`active` is {active}, but `lifecycle` is `{}`", record.lifecycle.as_str());
        let help = "leave `active` out: it follows from `lifecycle`";
        problems.add(Code::ActiveContradicts, message, |it| it.field("active").help(help));
    }
}

fn cycle(record: &Cycle, problems: &mut Problems) {
    fields(CYCLE, record, problems);
    fields(CYCLE_STAMPS, record, problems);
    let late = Code::DatesReversed;
    reversed(late, ("opensOn", record.opens_on), ("deadlineOn", record.deadline_on), problems);
    reversed(late, ("startsOn", record.starts_on), ("endsOn", record.ends_on), problems);
    year("cohortYear", record.cohort_year, problems);
}

fn award(record: &Award, problems: &mut Problems) {
    year("awardYear", Some(record.award_year), problems);
    fields(AWARD, record, problems);
}

fn fact(record: &Fact, problems: &mut Problems) {
    reversed(Code::MinAboveMax, ("min", record.min), ("max", record.max), problems);
    fields(FACT, record, problems);
    if record.amount.is_some() && record.currency.is_none() {
        problems.add(Code::NoCurrency, "`amount` has no `currency`", |it| it.field("currency"));
    }
    let kind = record.kind.as_str();
    match (Measure::of_kind(kind), Facet::of_kind(kind)) {
        (Some(Measure::Age), _) => ages(record, problems),
        (Some(Measure::Duration), _) => duration(record, problems),
        (_, Some(_)) if record.value.is_none() => {
            let message = format!("a fact of kind `{kind}` has no `value`");
            problems.add(Code::MissingField, message, |it| it.field("value"));
        }
        _ if fact_kinds().all(|known| known != kind) => unknown_kind(kind, problems),
        _ => {}
    }
    unused_bounds(record, problems);
}

/// Bounds and units that are never compared.
fn unused_bounds(fact: &Fact, problems: &mut Problems) {
    let kind = fact.kind.as_str();
    let has_bounds = fact.min.is_some() || fact.max.is_some();
    let spec = Measure::of_kind(kind).map(Measure::spec);
    let (what, kinds) = if has_bounds && spec.is_none() {
        ("`min` and `max`", measured_kinds(|_| true))
    } else if fact.unit.is_some() && spec.and_then(MeasureSpec::unit) != Some(Unit::Stated) {
        ("`unit`", measured_kinds(|unit| unit == Unit::Stated))
    } else {
        return;
    };
    let message = format!("{what} of a fact of kind {} are not used; only {kinds} have them", quoted(kind));
    problems.add(Code::UnreadBounds, message, |it| it.value("kind", kind));
}

/// Kinds of facts with measures of some units.
fn measured_kinds(has_unit: impl Fn(Unit) -> bool) -> String {
    let specs = MEASURES.iter().filter(|spec| spec.unit().is_some_and(&has_unit));
    let kinds = specs.filter_map(MeasureSpec::fact_kind).map(|kind| format!("`{kind}`"));
    kinds.collect::<Vec<_>>().join(" and ")
}

fn ages(fact: &Fact, problems: &mut Problems) {
    for (name, bound) in [("min", fact.min), ("max", fact.max)] {
        if let Some(age) = bound.filter(|age| !(0.0..=OLDEST_AGE).contains(&age.0)) {
            problems.wrong(Code::BadAge, name, age, format!("expected an age from 0 to {OLDEST_AGE}"));
        }
    }
}

fn duration(fact: &Fact, problems: &mut Problems) {
    negative("min", fact.min, problems);
    negative("max", fact.max, problems);
    let (found, message) = match fact.unit.as_deref() {
        Some(unit) if DurationUnit::parse(unit).is_some() => return,
        Some(unit) => (unit, format!("`unit` is {}, which is no unit of a duration", quoted(unit))),
        None if fact.min.is_none() && fact.max.is_none() => return,
        None => ("", "a duration with bounds has no `unit`".to_owned()),
    };
    let units: Vec<&str> = DurationUnit::ALL.iter().map(|unit| unit.as_str()).collect();
    let help = suggestion(found, &units, "it takes");
    problems.add(Code::BadUnit, message, |it| it.value("unit", found).help(help));
}

fn unknown_kind(kind: &str, problems: &mut Problems) {
    let message = format!("`kind` is {}, which is unknown", quoted(kind));
    let help = suggestion(kind, &fact_kinds().collect::<Vec<_>>(), "it takes");
    problems.add(Code::UnknownWord, message, |it| it.value("kind", kind).help(help));
}

fn alias(record: &Alias, problems: &mut Problems) {
    let kind = record.entity_type;
    if !matches!(kind, EntityType::Organization | EntityType::Program | EntityType::Recipient) {
        let kind = kind.as_str();
        let message = format!("{} has no slug, so it cannot have an alias", with_article(kind));
        problems.add(Code::NoSlug, message, |it| it.value("entityType", kind));
    }
}

fn leader(record: &Leader, problems: &mut Problems) {
    let (started, ended) = (("startedOn", record.started_on), ("endedOn", record.ended_on));
    reversed(Code::DatesReversed, started, ended, problems);
}

fn translation(record: &Translation, problems: &mut Problems) {
    let known = translatable(record.entity_type);
    for name in record.fields.keys().filter(|name| !known.contains(&name.as_str())) {
        let kind = with_article(record.entity_type.as_str());
        let message = format!("{} is not a text of {kind}", quoted(name));
        let help = suggestion(name, &known, "its texts are");
        problems.add(Code::UnknownField, message, |it| it.value("fields", name).help(help));
    }
    if record.fields.is_empty() {
        problems.add(Code::MissingField, "`fields` is missing or empty", |it| it.field("fields"));
    }
}

/// Texts of a record that may be given in another language.
fn translatable(kind: EntityType) -> Vec<&'static str> {
    fn texts<R>(table: &[Field<R>]) -> Vec<&'static str> {
        table.iter().filter(|field| field.kind == FieldType::Text).map(|field| field.name).collect()
    }
    match kind {
        EntityType::Organization => texts(ORGANIZATION),
        EntityType::Program => texts(PROGRAM),
        EntityType::Cycle => texts(CYCLE),
        EntityType::Award => texts(AWARD),
        EntityType::Recipient => texts(RECIPIENT),
        EntityType::Fact => texts(FACT),
    }
}

/// Checks the sums, dates and times of a record.
fn fields<R>(table: &[Field<R>], record: &R, problems: &mut Problems) {
    for (row, field) in table.iter().enumerate() {
        // A field with different positions in rows and in details is twice in the table.
        if table[..row].iter().any(|earlier| earlier.name == field.name) {
            continue;
        }
        match (field.kind, (field.read)(record)) {
            (FieldType::Amount, Value::Number(sum)) => money(field.name, sum, problems),
            (_, Value::Day(day)) => sentinel(field.name, day, problems),
            (_, Value::Time(time)) => sentinel(field.name, day_of(time), problems),
            _ => {}
        }
    }
}

fn term(record: &Term, problems: &mut Problems) {
    if Facet::parse(&record.facet).is_none() {
        let names: Vec<&str> = FACETS.iter().map(|spec| spec.name).collect();
        let message = format!("`facet` is {}, which is no facet", quoted(&record.facet));
        let help = suggestion(&record.facet, &names, "facets are");
        problems.add(Code::UnknownFacet, message, |it| it.value("facet", &record.facet).help(help));
    }
}

fn synonym(record: &Synonym, problems: &mut Problems) {
    let different: BTreeSet<&String> = record.terms.iter().collect();
    if record.terms.len() < 2 || different.len() < record.terms.len() {
        let terms = quoted(&record.terms.join(", "));
        let message = format!("`terms` is {terms}, expected two or more different terms");
        let help = "write two or more terms with the same meaning";
        problems.add(Code::BadValue, message, |it| it.field("terms").help(help));
    }
}

/// Reports the first of two values that is greater than the second.
fn reversed<T: PartialOrd + Display>(
    code: Code,
    (first, from): (&'static str, Option<T>),
    (second, to): (&'static str, Option<T>),
    problems: &mut Problems,
) {
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let relation = if code == Code::DatesReversed { "after" } else { "above" };
        let message = format!("`{first}` is {from}, {relation} `{second}`, which is {to}");
        problems.add(code, message, |it| it.value(first, format!("{from} {to}")));
    }
}

fn negative(name: &'static str, number: Option<Number>, problems: &mut Problems) {
    if let Some(number) = number.filter(|number| number.0 < 0.0) {
        problems.wrong(Code::Negative, name, number, "below 0");
    }
}

fn money(name: &'static str, sum: Number, problems: &mut Problems) {
    negative(name, Some(sum), problems);
    if sum.0 > 0.0 && sum.0 < MONEY.0 {
        problems.wrong(Code::BadAmount, name, sum, "less than a cent");
    } else if sum.0 > MONEY.1 {
        problems.wrong(Code::BadAmount, name, sum, "more than any sum of money");
    }
}

fn year(name: &'static str, year: Option<i32>, problems: &mut Problems) {
    if let Some(year) = year.filter(|year| !(1900..=2100).contains(year)) {
        problems.wrong(Code::BadYear, name, year, "expected a year from 1900 to 2100");
    }
}

fn sentinel(name: &'static str, day: Date, problems: &mut Problems) {
    if day <= SENTINELS.0 || day >= SENTINELS.1 {
        problems.wrong(Code::SentinelDate, name, day, "which looks like a placeholder");
    }
}
