//! The 17 facets: one table that says where each one's values come from and which parameter asks
//! for it. No other place names a facet.

use crate::place;
use crate::record::{DurationUnit, Fact, Lifecycle, Locale, Polarity, Program, Shared, Strength};
use crate::time::OPEN_STATES;

/// A facet. The order is the contract's, and that of `meta.facets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table below says what each one is")]
pub enum Facet {
    Types,
    Lifecycles,
    Fields,
    Countries,
    Destinations,
    Careers,
    Topics,
    Applicants,
    Audiences,
    Benefits,
    Citizenships,
    Residences,
    Education,
    Enrollments,
    FundingShapes,
    DurationUnits,
    OpenStates,
}

/// How many facets there are.
pub const COUNT: usize = 17;

/// A row of the table.
#[derive(Debug)]
pub struct Spec {
    /// Which facet.
    pub facet: Facet,
    /// Name in paths and in `meta.facets`.
    pub name: &'static str,
    /// REST parameter that filters by it.
    pub parameter: &'static str,
    /// Kind of the facts that feed it.
    fact_kind: Option<&'static str>,
    /// Whether its values are places, matched by containment.
    pub places: bool,
    /// One line for help texts and tool descriptions.
    pub about: &'static str,
}

const fn spec(
    facet: Facet,
    name: &'static str,
    parameter: &'static str,
    fact_kind: Option<&'static str>,
    places: bool,
    about: &'static str,
) -> Spec {
    Spec { facet, name, parameter, fact_kind, places, about }
}

/// The table, in the order of [`Facet`].
#[rustfmt::skip]
pub static FACETS: [Spec; COUNT] = [
    spec(Facet::Types, "types", "type", None, false, "Kind of opportunity"),
    spec(Facet::Lifecycles, "lifecycles", "lifecycle", None, false, "Where the program stands"),
    spec(Facet::Fields, "fields", "field", None, false, "Field as the provider words it"),
    spec(Facet::Countries, "countries", "country", Some("country"), true, "Eligible country or region"),
    spec(Facet::Destinations, "destinations", "destination", Some("destination"), true, "Where it takes place"),
    spec(Facet::Careers, "careers", "career", Some("career"), false, "Career stage"),
    spec(Facet::Topics, "topics", "topic", Some("topic"), false, "Topic"),
    spec(Facet::Applicants, "applicants", "applicant", Some("applicant"), false, "Kind of applicant"),
    spec(Facet::Audiences, "audiences", "audience", Some("audience"), false, "Whom it is meant for"),
    spec(Facet::Benefits, "benefits", "benefit", Some("benefit"), false, "What it gives"),
    spec(Facet::Citizenships, "citizenships", "citizenship", Some("citizenship"), true, "Citizenship of applicants"),
    spec(Facet::Residences, "residences", "residence", Some("residence"), true, "Residence of applicants"),
    spec(Facet::Education, "education", "education", Some("education"), false, "Level of education"),
    spec(Facet::Enrollments, "enrollments", "enrollment", Some("enrollment"), false, "Enrollment status"),
    spec(Facet::FundingShapes, "fundingShapes", "fundingShape", Some("fundingShape"), false, "Shape of the funding"),
    spec(Facet::DurationUnits, "durationUnits", "durationUnit", Some("duration"), false, "Unit of the stated duration"),
    spec(Facet::OpenStates, "openStates", "openState", None, false, "Whether applications are open today"),
];

impl Spec {
    /// Whether facts of a kind feed it.
    #[must_use]
    pub fn is_fed_by(&self, kind: &str) -> bool {
        self.fact_kind == Some(kind)
    }
}

/// Kinds of facts that somebody reads: those that feed a facet, the intervals, sums, and words for people.
pub fn fact_kinds() -> impl Iterator<Item = &'static str> {
    FACETS.iter().filter_map(|spec| spec.fact_kind).chain(["age", "funding", "note"])
}

impl Facet {
    /// Its row of the table.
    #[must_use]
    pub fn spec(self) -> &'static Spec {
        &FACETS[self as usize]
    }

    /// The facet that values of facts of a kind feed. Of durations it is the unit that does.
    #[must_use]
    pub fn of_kind(kind: &str) -> Option<Self> {
        let fed = FACETS.iter().find(|spec| spec.is_fed_by(kind))?.facet;
        (fed != Self::DurationUnits).then_some(fed)
    }

    /// The facet with this path name; case matters.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        FACETS.iter().find(|spec| spec.name == name).map(|spec| spec.facet)
    }

    /// Facets of one group share a selection: values picked in either are OR-ed, and the counts of
    /// both ignore it. Topics and fields are one group because `field` asks for either.
    #[must_use]
    pub fn group(self) -> Self {
        if self == Self::Fields { Self::Topics } else { self }
    }

    /// Values that a question may name although no record does: closed vocabularies of the contract.
    #[must_use]
    pub fn fixed_values(self) -> Vec<&'static str> {
        match self {
            Self::Lifecycles => Lifecycle::ALL.iter().map(|value| value.as_str()).collect(),
            Self::OpenStates => OPEN_STATES.to_vec(),
            _ => Vec::new(),
        }
    }
}

/// Values that a program names for a facet, as they stand; places are not expanded. Open states
/// depend on the day and are not here.
#[must_use]
pub fn named_values<'a>(facet: Facet, program: &'a Program, facts: &[&'a Fact]) -> Vec<&'a str> {
    let mut values: Vec<&str> = match facet {
        Facet::Types => vec![&program.program_type],
        Facet::Lifecycles => vec![program.lifecycle.as_str()],
        Facet::Fields => program.fields.iter().map(Shared::as_str).collect(),
        Facet::Countries => program.eligible_countries.iter().map(Shared::as_str).collect(),
        Facet::Destinations => program.destination_countries.iter().map(Shared::as_str).collect(),
        Facet::Careers => program.career_stages.iter().map(Shared::as_str).collect(),
        _ => Vec::new(),
    };
    values.extend(binding(facet, facts, Polarity::Include).filter_map(|fact| fact_value(facet, fact)));
    values.sort_unstable();
    values.dedup();
    values
}

/// Places that a program shuts out of a facet.
#[must_use]
pub fn excluded_values<'a>(facet: Facet, facts: &[&'a Fact]) -> Vec<&'a str> {
    if !facet.spec().places {
        return Vec::new();
    }
    binding(facet, facts, Polarity::Exclude).filter_map(|fact| fact.value.as_deref()).collect()
}

/// Facts that bind: of the facet's kind, required, with that polarity.
fn binding<'a, 'f: 'a>(
    facet: Facet,
    facts: &'a [&'f Fact],
    polarity: Polarity,
) -> impl Iterator<Item = &'f Fact> + 'a {
    let kind = facet.spec().fact_kind;
    facts.iter().copied().filter(move |fact| {
        kind == Some(fact.kind.as_str()) && fact.polarity == polarity && fact.strength == Strength::Required
    })
}

fn fact_value(facet: Facet, fact: &Fact) -> Option<&str> {
    match facet {
        Facet::DurationUnits => fact.unit.as_deref(),
        _ => fact.value.as_deref(),
    }
}

/// Whether a program is in the place that was asked for: it names the place or something around it,
/// and excludes neither. `lineage` is the place and everything around it.
pub fn admits<P>(lineage: &[P], names: impl Fn(&P) -> bool, excludes: impl Fn(&P) -> bool) -> bool {
    lineage.iter().any(names) && !lineage.iter().any(excludes)
}

/// What the numeric filters look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Years.
    Age,
    /// US dollars.
    Funding,
    /// Days.
    Duration,
}

/// A closed interval; an open side is infinite.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Interval {
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
}

impl Interval {
    fn new(min: Option<f64>, max: Option<f64>) -> Option<Self> {
        let interval = Self { min: min.unwrap_or(f64::NEG_INFINITY), max: max.unwrap_or(f64::INFINITY) };
        (min.is_some() || max.is_some()).then_some(interval)
    }

    /// Whether the two share a value.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min <= other.max && other.min <= self.max
    }
}

/// Intervals that a program publishes for a measure; any of them may match.
#[must_use]
pub fn intervals(measure: Measure, program: &Program, facts: &[&Fact]) -> Vec<Interval> {
    if measure == Measure::Funding {
        let (min, max) = (program.funding_min_usd.map(|n| n.0), program.funding_max_usd.map(|n| n.0));
        return Interval::new(min, max).into_iter().collect();
    }
    let kind = if measure == Measure::Age { "age" } else { "duration" };
    let stated = facts.iter().filter(|fact| {
        fact.kind == kind && fact.polarity == Polarity::Include && fact.strength == Strength::Required
    });
    stated.filter_map(|fact| interval_of(measure, fact)).collect()
}

fn interval_of(measure: Measure, fact: &Fact) -> Option<Interval> {
    let unit = match measure {
        Measure::Duration => DurationUnit::parse(fact.unit.as_deref()?)?.days(),
        Measure::Age | Measure::Funding => 1.0,
    };
    Interval::new(fact.min.map(|n| n.0 * unit), fact.max.map(|n| n.0 * unit))
}

/// Whether funding is published: an amount, or a funding shape other than `unfunded`.
#[must_use]
pub fn is_funded(program: &Program, funding_shapes: &[&str]) -> bool {
    program.funding_min_usd.is_some()
        || program.funding_max_usd.is_some()
        || funding_shapes.iter().any(|shape| *shape != "unfunded")
}

/// What people read for a value when neither vocabulary nor facts give a label: the name of a
/// place, else nothing.
#[must_use]
pub fn place_label(facet: Facet, value: &str, locale: Locale) -> Option<&'static str> {
    if !facet.spec().places {
        return None;
    }
    place::find(value).map(|place| place.name(locale))
}

/// What people read for the contract's own states, when the vocabulary does not say it.
#[must_use]
pub fn state_label(facet: Facet, value: &str, locale: Locale) -> Option<&'static str> {
    #[rustfmt::skip]
    static LABELS: [(Facet, &str, [&str; 2]); 14] = [
        (Facet::Lifecycles, "active_accepting", ["Active, accepting applications", "Activa, recibe solicitudes"]),
        (Facet::Lifecycles, "active_between_cycles", ["Active, between cycles", "Activa, entre convocatorias"]),
        (Facet::Lifecycles, "active_no_applications", ["Active, no applications", "Activa, sin solicitudes"]),
        (Facet::Lifecycles, "paused", ["Paused", "En pausa"]),
        (Facet::Lifecycles, "ended", ["Ended", "Terminada"]),
        (Facet::Lifecycles, "renamed_or_moved", ["Renamed or moved", "Cambió de nombre o de lugar"]),
        (Facet::Lifecycles, "inaccessible", ["Source not accessible", "Fuente inaccesible"]),
        (Facet::Lifecycles, "unclear", ["Unclear", "Sin confirmar"]),
        (Facet::OpenStates, "open", ["Open", "Abierta"]),
        (Facet::OpenStates, "closing_soon", ["Closing soon", "Cierra pronto"]),
        (Facet::OpenStates, "rolling", ["Rolling", "Abierta todo el año"]),
        (Facet::OpenStates, "upcoming", ["Upcoming", "Próxima"]),
        (Facet::OpenStates, "closed", ["Closed", "Cerrada"]),
        (Facet::OpenStates, "unknown", ["Unknown", "Sin datos"]),
    ];
    let row = LABELS.iter().find(|(of, known, _)| *of == facet && *known == value);
    row.map(|(_, _, labels)| labels[locale as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (position, spec) in FACETS.iter().enumerate() {
            assert_eq!(spec.facet as usize, position);
            assert_eq!(Facet::parse(spec.name), Some(spec.facet));
        }
    }

    #[test]
    fn a_continent_admits_its_countries_and_never_the_other_way() {
        let admits = |named: &[&str], excluded: &[&str], asked: &str| {
            let lineage: Vec<&str> = place::lineage(asked).collect();
            admits(&lineage, |place| named.contains(place), |place| excluded.contains(place))
        };
        assert!(admits(&["002"], &[], "NG"));
        assert!(admits(&["001"], &[], "US-PA"));
        assert!(!admits(&["NG"], &[], "002"));
        assert!(!admits(&["001"], &["US"], "US-PA"));
        assert!(admits(&["001"], &["US"], "019"));
    }
}
