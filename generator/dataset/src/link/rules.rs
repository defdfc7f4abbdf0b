//! Rules that one row alone can break.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::civil::{Date, date};
use rayon::prelude::*;
use snapshot::facet::{FACETS, Facet, MEASURES, Measure, fact_kinds};
use snapshot::facet::{MeasureSpec, Unit};
use snapshot::record::field_table::{Field, FieldType, Value};
use snapshot::record::{
    AWARD, Alias, Award, CYCLE, CYCLE_STAMPS, Cycle, Dataset, DurationUnit, EntityType, FACT, Fact, Leader,
    Locale, Number, ORGANIZATION, PROGRAM, Program, RECIPIENT, Synonym, Term, Translation,
};

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Edit, Fix, Location, Safety};
use crate::rows::{Row, Tables};
use crate::text::{nearest, quoted, with_article};

const LICENSE: &str = "CC BY 4.0";
const SCHEMA_VERSION: &str = "1";
const OLDEST_AGE: f64 = 150.0;
/// Sums that are not nothing lie between one cent and more than there is in the world; so many of the
/// largest as there are records still add up to a number.
const MONEY: (f64, f64) = (0.01, 1e15);

/// Dates up to the first and from the second on stand for "none" in other people's databases.
const SENTINELS: (Date, Date) = (date(1970, 1, 1), date(2100, 1, 1));

/// Reports what is wrong or doubtful within single rows.
pub(super) fn check(tables: &Tables, report: &mut Diagnostics) {
    report.extend(tables.dataset.iter().flat_map(|row| dataset(&row.record, row.at)));
    each(&tables.programs, report, program);
    each(&tables.cycles, report, cycle);
    each(&tables.awards, report, award);
    each(&tables.facts, report, fact);
    each(&tables.aliases, report, alias);
    each(&tables.leaders, report, leader);
    each(&tables.translations, report, translation);
    each(&tables.vocabulary, report, term);
    each(&tables.synonyms, report, synonym);
}

fn each<T: Sync>(
    rows: &[Row<T>],
    report: &mut Diagnostics,
    rule: impl Fn(&T, Location) -> Vec<Diagnostic> + Sync,
) {
    let faults: Vec<Diagnostic> = rows.par_iter().flat_map_iter(|row| rule(&row.record, row.at)).collect();
    report.extend(faults);
}

fn dataset(record: &Dataset, at: Location) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    if record.schema_version != SCHEMA_VERSION {
        let message = format!("`schemaVersion` is {}, expected `1`", quoted(&record.schema_version));
        faults.push(
            Diagnostic::new(Code::WrongVersion, at, message).value("schemaVersion", &record.schema_version),
        );
    }
    if record.license != LICENSE {
        let message = format!("`license` is {}, expected `{LICENSE}`", quoted(&record.license));
        faults.push(Diagnostic::new(Code::WrongLicense, at, message).value("license", &record.license));
    }
    let locales = &record.locales;
    if locales.len() != Locale::ALL.len() || !Locale::ALL.iter().all(|locale| locales.contains(locale)) {
        let all: Vec<&str> = Locale::ALL.iter().map(|locale| locale.as_str()).collect();
        let message = format!("`locales` must be {}, each once", all.join(" and "));
        faults.push(
            Diagnostic::new(Code::BadLocales, at, message).field("locales").help("leave `locales` out"),
        );
    }
    faults
}

fn program(record: &Program, at: Location) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let (min, max) = (record.funding_min_usd, record.funding_max_usd);
    faults.extend(above(at, ("fundingMinUsd", min), ("fundingMaxUsd", max)));
    faults.extend(fields(PROGRAM, record, at));
    if let Some(active) = record.active
        && active != record.lifecycle.is_active()
    {
        let message = format!("`active` is {active}, but `lifecycle` is `{}`", record.lifecycle.as_str());
        let help = "leave `active` out: it follows from `lifecycle`";
        faults.push(Diagnostic::new(Code::ActiveContradicts, at, message).field("active").help(help));
    }
    faults
}

fn cycle(record: &Cycle, at: Location) -> Vec<Diagnostic> {
    let mut faults = fields(CYCLE, record, at);
    faults.extend(fields(CYCLE_STAMPS, record, at));
    faults.extend(reversed(at, ("opensOn", record.opens_on), ("deadlineOn", record.deadline_on)));
    faults.extend(reversed(at, ("startsOn", record.starts_on), ("endsOn", record.ends_on)));
    faults.extend(impossible_year(at, "cohortYear", record.cohort_year));
    faults
}

fn award(record: &Award, at: Location) -> Vec<Diagnostic> {
    let year = impossible_year(at, "awardYear", Some(record.award_year));
    year.into_iter().chain(fields(AWARD, record, at)).collect()
}

fn fact(record: &Fact, at: Location) -> Vec<Diagnostic> {
    let mut faults: Vec<Diagnostic> =
        above(at, ("min", record.min), ("max", record.max)).into_iter().collect();
    faults.extend(fields(FACT, record, at));
    if record.amount.is_some() && record.currency.is_none() {
        faults.push(Diagnostic::new(Code::NoCurrency, at, "`amount` has no `currency`").field("currency"));
    }
    let kind = record.kind.as_str();
    match Measure::of_kind(kind) {
        Some(Measure::Age) => faults.extend(impossible_age(record, at)),
        Some(Measure::Duration) => faults.extend(bad_duration(record, at)),
        _ => match Facet::of_kind(kind) {
            Some(_) if record.value.is_none() => {
                let message = format!("a fact of kind `{kind}` has no `value`");
                faults.push(Diagnostic::new(Code::MissingField, at, message).field("value"));
            }
            _ => faults.extend(unknown_kind(record, at)),
        },
    }
    faults.extend(unread(record, at));
    faults
}

/// Bounds and units that nothing compares.
fn unread(fact: &Fact, at: Location) -> Option<Diagnostic> {
    let kind = fact.kind.as_str();
    let bounded = fact.min.is_some() || fact.max.is_some();
    let spec = Measure::of_kind(kind).map(Measure::spec);
    let (what, of) = if bounded && spec.is_none() {
        ("`min` and `max`", measured(|_| true))
    } else if fact.unit.is_some() && spec.and_then(MeasureSpec::unit) != Some(Unit::Stated) {
        ("`unit`", measured(|unit| unit == Unit::Stated))
    } else {
        return None;
    };
    let message = format!("{what} of a fact of kind {} mean nothing; they belong to {of}", quoted(kind));
    Some(Diagnostic::new(Code::UnreadBounds, at, message).value("kind", kind))
}

/// Kinds of facts whose numbers are compared and count such a thing.
fn measured(counts: impl Fn(Unit) -> bool) -> String {
    let of = MEASURES.iter().filter(|spec| spec.unit().is_some_and(&counts));
    let kinds = of.filter_map(MeasureSpec::fact_kind).map(|kind| format!("`{kind}`"));
    kinds.collect::<Vec<_>>().join(" and ")
}

fn impossible_age(fact: &Fact, at: Location) -> impl Iterator<Item = Diagnostic> {
    [("min", fact.min), ("max", fact.max)].into_iter().filter_map(move |(name, bound)| {
        let age = bound.filter(|age| !(0.0..=OLDEST_AGE).contains(&age.0))?;
        let message = format!("`{name}` is {age}, expected an age from 0 to {OLDEST_AGE}");
        Some(Diagnostic::new(Code::BadAge, at, message).value(name, age.to_string()))
    })
}

fn bad_duration(fact: &Fact, at: Location) -> Vec<Diagnostic> {
    let mut faults: Vec<Diagnostic> = negative(at, "min", fact.min).into_iter().collect();
    faults.extend(negative(at, "max", fact.max));
    let words = || DurationUnit::ALL.iter().map(|unit| unit.as_str());
    let (message, near) = match fact.unit.as_deref() {
        Some(unit) if DurationUnit::parse(unit).is_some() => return faults,
        Some(unit) => {
            (format!("`unit` is {}, which is no unit of a duration", quoted(unit)), nearest(unit, words()))
        }
        None if fact.min.is_none() && fact.max.is_none() => return faults,
        None => ("a duration with bounds has no `unit`".to_owned(), None),
    };
    let help = near.map_or_else(
        || format!("it takes {}", words().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    let found = fact.unit.as_deref().unwrap_or_default();
    let told = Diagnostic::new(Code::BadUnit, at, message).value("unit", found).help(help);
    faults.push(Diagnostic { fix: near.map(|near| Fix::value(Safety::Unsafe, "unit", found, near)), ..told });
    faults
}

fn unknown_kind(fact: &Fact, at: Location) -> Option<Diagnostic> {
    if fact_kinds().any(|kind| fact.kind == kind) {
        return None;
    }
    let message = format!("`kind` is {}, which nobody reads", quoted(&fact.kind));
    let help = nearest(&fact.kind, fact_kinds()).map_or_else(
        || format!("it takes {}", fact_kinds().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`? What fits none is a `note`"),
    );
    let near = nearest(&fact.kind, fact_kinds());
    let told = Diagnostic::new(Code::UnknownWord, at, message).value("kind", fact.kind.as_str()).help(help);
    Some(Diagnostic { fix: near.map(|near| Fix::value(Safety::Unsafe, "kind", &fact.kind, near)), ..told })
}

fn alias(record: &Alias, at: Location) -> Vec<Diagnostic> {
    match record.entity_type {
        EntityType::Organization | EntityType::Program | EntityType::Recipient => Vec::new(),
        kind => {
            let message = format!("an alias cannot lead to {}: it has no slug", with_article(kind.as_str()));
            vec![Diagnostic::new(Code::NoSlug, at, message).value("entityType", kind.as_str())]
        }
    }
}

fn leader(record: &Leader, at: Location) -> Vec<Diagnostic> {
    reversed(at, ("startedOn", record.started_on), ("endedOn", record.ended_on)).into_iter().collect()
}

fn translation(record: &Translation, at: Location) -> Vec<Diagnostic> {
    let known = translatable(record.entity_type);
    let strangers = record.fields.keys().filter(|name| !known.contains(&name.as_str()));
    let faults = strangers.map(|name| {
        let kind = record.entity_type.as_str();
        let message = format!("{} is not a text of {}", quoted(name), with_article(kind));
        let help = nearest(name, known.iter().copied()).map_or_else(
            || format!("its texts are {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        Diagnostic::new(Code::UnknownField, at, message).value("fields", name).help(help)
    });
    let empty = record.fields.is_empty();
    let empty = empty
        .then(|| Diagnostic::new(Code::MissingField, at, "`fields` is missing or empty").field("fields"));
    faults.chain(empty).collect()
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

/// What is wrong with the values of a record's fields by their kinds: sums, days and moments.
fn fields<R>(table: &[Field<R>], record: &R, at: Location) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    for (row, field) in table.iter().enumerate() {
        // A field that stands elsewhere in rows than in details has two rows of the table.
        if table[..row].iter().any(|earlier| earlier.name == field.name) {
            continue;
        }
        faults.extend(match (field.kind, (field.read)(record)) {
            (FieldType::Amount, Value::Number(sum)) => bad_sum(at, field.name, sum),
            (_, Value::Day(day)) => sentinel(at, field.name, day),
            (_, Value::Time(time)) => sentinel(at, field.name, day_of(time)),
            _ => None,
        });
    }
    faults
}

fn term(record: &Term, at: Location) -> Vec<Diagnostic> {
    if Facet::parse(&record.facet).is_some() {
        return Vec::new();
    }
    let names = || FACETS.iter().map(|spec| spec.name);
    let help = nearest(&record.facet, names()).map_or_else(
        || format!("facets are {}", names().collect::<Vec<_>>().join(", ")),
        |near| format!("did you mean `{near}`?"),
    );
    let message = format!("`facet` is {}, which is no facet", quoted(&record.facet));
    vec![Diagnostic::new(Code::UnknownFacet, at, message).value("facet", &record.facet).help(help)]
}

fn synonym(record: &Synonym, at: Location) -> Vec<Diagnostic> {
    let different: BTreeSet<&String> = record.terms.iter().collect();
    if record.terms.len() > 1 && different.len() == record.terms.len() {
        return Vec::new();
    }
    let message =
        format!("`terms` is {}, expected two or more that differ", quoted(&record.terms.join(", ")));
    vec![
        Diagnostic::new(Code::BadValue, at, message)
            .field("terms")
            .help("two words or more that mean the same"),
    ]
}

fn above(
    at: Location,
    min: (&'static str, Option<Number>),
    max: (&'static str, Option<Number>),
) -> Option<Diagnostic> {
    let (least, most) = (min.1?, max.1?);
    if least <= most {
        return None;
    }
    let message = format!("`{}` is {least}, above `{}`, which is {most}", min.0, max.0);
    let (low, high) = (least.to_string(), most.to_string());
    let edits = vec![Edit::value(min.0, &low, &high), Edit::value(max.0, &high, &low)];
    let told = Diagnostic::new(Code::MinAboveMax, at, message).value(min.0, format!("{low} {high}"));
    Some(told.fix(Fix { safety: Safety::Unsafe, edits }))
}

fn negative(at: Location, name: &'static str, number: Option<Number>) -> Option<Diagnostic> {
    let number = number.filter(|number| number.0 < 0.0)?;
    let message = format!("`{name}` is {number}, below 0");
    Some(Diagnostic::new(Code::Negative, at, message).value(name, number.to_string()))
}

fn bad_sum(at: Location, name: &'static str, sum: Number) -> Option<Diagnostic> {
    if sum.0 == 0.0 {
        return None;
    }
    if sum.0 < 0.0 {
        return negative(at, name, Some(sum));
    }
    let what = if sum.0 < MONEY.0 {
        "less than a cent"
    } else if sum.0 > MONEY.1 {
        "more than there is"
    } else {
        return None;
    };
    let message = format!("`{name}` is {sum}, which is {what}");
    Some(Diagnostic::new(Code::BadAmount, at, message).value(name, sum.to_string()))
}

fn impossible_year(at: Location, name: &'static str, year: Option<i32>) -> Option<Diagnostic> {
    let year = year.filter(|year| !(1900..=2100).contains(year))?;
    let message = format!("`{name}` is {year}, expected a year from 1900 to 2100");
    Some(Diagnostic::new(Code::BadYear, at, message).value(name, year.to_string()))
}

fn reversed(
    at: Location,
    first: (&'static str, Option<Date>),
    second: (&'static str, Option<Date>),
) -> Option<Diagnostic> {
    let (from, until) = (first.1?, second.1?);
    let message = || format!("`{}` is {from}, after `{}`, which is {until}", first.0, second.0);
    (from > until).then(|| {
        Diagnostic::new(Code::DatesReversed, at, message()).value(first.0, format!("{from} {until}"))
    })
}

fn sentinel(at: Location, name: &'static str, day: Date) -> Option<Diagnostic> {
    let message = || format!("`{name}` is {day}, which looks like a placeholder");
    let doubtful = day <= SENTINELS.0 || day >= SENTINELS.1;
    doubtful.then(|| Diagnostic::new(Code::SentinelDate, at, message()).value(name, day.to_string()))
}

/// The day of a moment in UTC.
pub(super) fn day_of(time: Timestamp) -> Date {
    time.to_zoned(jiff::tz::TimeZone::UTC).date()
}
