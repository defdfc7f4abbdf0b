//! The facets: one table of where each one's values come from, which parameter filters by it and
//! where pages show it; and the `measure`s, which are numbers.

mod applicants;
pub(crate) mod eligibility;
mod excluded;
mod measure;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::distinct::distinct;
use crate::place;
use crate::record::{Fact, InternedStr, Lifecycle, Locale, Polarity, Program, Strength};
use crate::time::OPEN_STATES;

pub use self::measure::{Interval, MEASURES, Measure, MeasureSpec, Unit};
pub(crate) use self::{applicants::applicants, eligibility::eligibility, measure::intervals};
pub use self::{
    applicants::{Applicants, admits_any_nationality, admits_others, admits_persons, without_ages_served},
    excluded::{admitted_values, exclusion, is_excluded_by_text},
};

/// A facet. The order is the contract's, and that of `meta.facets`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the table below describes each one")]
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
pub(crate) const COUNT: usize = 17;

/// A row of the table.
#[derive(Clone, Copy)]
pub struct FacetSpec {
    /// Which facet.
    pub facet: Facet,
    /// Name in paths and in `meta.facets`.
    pub name: &'static str,
    /// REST parameter that filters by it.
    pub parameter: &'static str,
    /// Place of that parameter among all, see [`crate::query::PARAMETERS`].
    pub parameter_rank: u8,
    /// Place on the search page: the order in which people narrow a search down.
    pub search_page_rank: u8,
    /// Place on a record's page; none where the page shows it in another way.
    pub detail_page_rank: Option<u8>,
    /// Whether the line about who can apply is made of it.
    pub in_eligibility_line: bool,
    /// Whether its values are places, matched by containment.
    pub is_place: bool,
    /// Whether people use its values' labels as words of a query.
    pub names_entities: bool,
    /// Whether it describes who may apply: a record without a value leaves that undecided.
    pub is_eligibility: bool,
    /// Whether its values are derived anew each day, not read from records.
    pub is_daily: bool,
    /// The facet that it shares its selection with: values picked in either are OR-ed, the counts of both
    /// ignore it, and a value of either name is looked up there first. Its own, where it stands alone.
    pub group: Facet,
    /// What the record itself names.
    named: for<'a> fn(&'a Program) -> Vec<&'a str>,
    /// Kind of the facts that feed it.
    fact_kind: Option<&'static str>,
    /// What of such a fact is the value.
    fact_value: fn(&Fact) -> Option<&InternedStr>,
    /// Values that a query may name although no record does: closed vocabularies of the contract.
    fixed: fn() -> Vec<&'static str>,
}

const fn spec(
    facet: Facet,
    name: &'static str,
    parameter: &'static str,
    parameter_rank: u8,
    search_page_rank: u8,
) -> FacetSpec {
    FacetSpec {
        facet,
        name,
        parameter,
        parameter_rank,
        search_page_rank,
        detail_page_rank: None,
        in_eligibility_line: false,
        is_place: false,
        names_entities: false,
        is_eligibility: false,
        is_daily: false,
        group: facet,
        named: |_| Vec::new(),
        fact_kind: None,
        fact_value: |fact| fact.value.as_ref(),
        fixed: Vec::new,
    }
}

/// What a row of the table states beyond its names, a method each.
macro_rules! setters {
    ($($name:ident($($value:ident: $type:ty)?) $field:ident = $to:expr;)+) => {
        impl FacetSpec {
            $(const fn $name(self $(, $value: $type)?) -> Self {
                Self { $field: $to, ..self }
            })+
        }
    };
}

setters! {
    named(named: for<'a> fn(&'a Program) -> Vec<&'a str>) named = named;
    facts(kind: &'static str) fact_kind = Some(kind);
    by(fact_value: fn(&Fact) -> Option<&InternedStr>) fact_value = fact_value;
    places() is_place = true;
    spoken() names_entities = true;
    admits() is_eligibility = true;
    listed(place: u8) detail_page_rank = Some(place);
    who() in_eligibility_line = true;
    with(group: Facet) group = group;
    daily() is_daily = true;
    fixed(fixed: fn() -> Vec<&'static str>) fixed = fixed;
}

impl FacetSpec {
    /// Whether facts of a kind feed it.
    pub fn is_fed_by(&self, kind: &str) -> bool {
        self.fact_kind == Some(kind)
    }

    /// The value that a fact feeds it with, if facts of that kind do.
    pub(crate) fn fed<'a>(&self, fact: &'a Fact) -> Option<&'a str> {
        let value = self.is_fed_by(&fact.kind).then(|| (self.fact_value)(fact))?;
        value.map(InternedStr::as_str)
    }
}

/// The groups of filters on pages, by id; the first facet of a group is unfolded. What is in none is shown only where a
/// query uses it.
pub const GROUPS: [(&str, &[Facet]); 4] = [
    ("topic", &[Facet::Topics]),
    ("who", &[Facet::Applicants, Facet::Careers, Facet::Audiences, Facet::Education, Facet::Enrollments]),
    ("where", &[Facet::Countries, Facet::Citizenships, Facet::Residences, Facet::Destinations]),
    ("more", &[Facet::Types, Facet::FundingShapes, Facet::Benefits, Facet::OpenStates, Facet::Lifecycles]),
];

/// What the home page offers to choose from: the word of each list, and the facets whose values are in it.
pub const ENTRY: [(&str, &[Facet]); 3] = [
    ("who", &[Facet::Applicants, Facet::Careers]),
    ("what", &[Facet::Topics, Facet::Fields, Facet::Types]),
    ("where", &[Facet::Countries, Facet::Residences, Facet::Citizenships]),
];

/// The table, in the order of [`Facet`]: name, parameter, its place among the parameters, place on the
/// search page, and what feeds it.
#[rustfmt::skip]
pub static FACETS: [FacetSpec; COUNT] = [
    spec(Facet::Types, "types", "type", 0, 1).named(|it| vec![it.program_type.as_str()]).spoken(),
    spec(Facet::Lifecycles, "lifecycles", "lifecycle", 16, 16)
        .named(|it| vec![it.lifecycle.as_str()])
        .fixed(|| Lifecycle::ALL.iter().map(|value| value.as_str()).collect()),
    spec(Facet::Fields, "fields", "field", 2, 15).named(|it| texts(&it.fields)).with(Facet::Topics).listed(12),
    spec(Facet::Countries, "countries", "country", 10, 6)
        .named(|it| texts(&it.eligible_countries)).facts("country").places().admits().listed(7).who(),
    spec(Facet::Destinations, "destinations", "destination", 11, 7)
        .named(|it| texts(&it.destination_countries)).facts("destination").places().listed(8),
    spec(Facet::Careers, "careers", "career", 4, 3)
        .named(|it| texts(&it.career_stages)).facts("career").spoken().admits().listed(1).who(),
    spec(Facet::Topics, "topics", "topic", 1, 2).facts("topic").spoken().listed(11),
    spec(Facet::Applicants, "applicants", "applicant", 3, 8).facts("applicant").spoken().admits().listed(0).who(),
    spec(Facet::Audiences, "audiences", "audience", 5, 9).facts("audience").spoken().admits().listed(4),
    spec(Facet::Benefits, "benefits", "benefit", 12, 12).facts("benefit").spoken().listed(9),
    spec(Facet::Citizenships, "citizenships", "citizenship", 8, 4).facts("citizenship").places().admits().listed(5).who(),
    spec(Facet::Residences, "residences", "residence", 9, 5).facts("residence").places().admits().listed(6).who(),
    spec(Facet::Education, "education", "education", 6, 10).facts("education").spoken().admits().listed(2),
    spec(Facet::Enrollments, "enrollments", "enrollment", 7, 11).facts("enrollment").spoken().admits().listed(3),
    spec(Facet::FundingShapes, "fundingShapes", "fundingShape", 13, 13).facts("fundingShape").spoken().listed(10),
    spec(Facet::DurationUnits, "durationUnits", "durationUnit", 14, 14).facts("duration").by(|fact| fact.unit.as_ref()),
    spec(Facet::OpenStates, "openStates", "openState", 15, 0).daily().fixed(|| OPEN_STATES.to_vec()),
];

fn texts(values: &[InternedStr]) -> Vec<&str> {
    values.iter().map(InternedStr::as_str).collect()
}

/// Kinds of facts that are used: those that feed a facet, the intervals, sums, and notes for people.
pub fn fact_kinds() -> impl Iterator<Item = &'static str> {
    FACETS
        .iter()
        .filter_map(|spec| spec.fact_kind)
        .chain(MEASURES.iter().filter_map(MeasureSpec::fact_kind))
        .chain(["funding", "note"])
}

impl Facet {
    /// Its row of the table.
    pub fn spec(self) -> &'static FacetSpec {
        &FACETS[self as usize]
    }

    /// The facet that values of facts of a kind feed. Of durations it is the unit that does.
    pub fn of_kind(kind: &str) -> Option<Self> {
        let fed = FACETS.iter().find(|spec| spec.is_fed_by(kind))?.facet;
        (fed != Self::DurationUnits).then_some(fed)
    }

    /// The facet with this path name; case matters.
    pub fn parse(name: &str) -> Option<Self> {
        FACETS.iter().find(|spec| spec.name == name).map(|spec| spec.facet)
    }

    /// The facet that a parameter filters by.
    pub fn of_parameter(parameter: &str) -> Option<Self> {
        FACETS.iter().find(|spec| spec.parameter == parameter).map(|spec| spec.facet)
    }

    /// The first facet of those that share its selection.
    pub fn group(self) -> Self {
        self.spec().group
    }

    /// Values that a query may name although no record does.
    pub fn fixed_values(self) -> Vec<&'static str> {
        (self.spec().fixed)()
    }
}

/// The facets whose labels people use as words.
pub(crate) fn entity_facets() -> impl Iterator<Item = Facet> {
    FACETS.iter().filter(|spec| spec.names_entities).map(|spec| spec.facet)
}

/// The facets of places.
pub(crate) fn place_facets() -> impl Iterator<Item = Facet> {
    FACETS.iter().filter(|spec| spec.is_place).map(|spec| spec.facet)
}

/// The facets of who may apply.
pub(crate) fn eligibility_facets() -> impl Iterator<Item = Facet> {
    FACETS.iter().filter(|spec| spec.is_eligibility).map(|spec| spec.facet)
}

/// The facets of a record's page, in order.
pub fn detail_page_facets() -> impl Iterator<Item = &'static FacetSpec> {
    let mut listed: Vec<&FacetSpec> = FACETS.iter().filter(|spec| spec.detail_page_rank.is_some()).collect();
    listed.sort_by_key(|spec| spec.detail_page_rank);
    listed.into_iter()
}

/// Values that a program names for a facet, as they stand; places are not expanded. Open states
/// depend on the day and are not here.
pub fn named_values<'a>(facet: Facet, program: &'a Program, facts: &[&'a Fact]) -> Vec<&'a str> {
    let fed = binding(facet, facts, Polarity::Include).filter_map(|fact| facet.spec().fed(fact));
    distinct((facet.spec().named)(program).into_iter().chain(fed))
}

/// Places that a program shuts out of a facet.
pub(crate) fn excluded_values<'a>(facet: Facet, facts: &[&'a Fact]) -> Vec<&'a str> {
    if !facet.spec().is_place {
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
    facts.iter().copied().filter(move |fact| {
        facet.spec().is_fed_by(&fact.kind) && fact.polarity == polarity && fact.strength == Strength::Required
    })
}

/// Whether a program is in the requested place: it names the place or something around it,
/// and excludes neither. `with_ancestors` is the place and everything around it.
pub(crate) fn admits<P>(
    with_ancestors: &[P],
    names: impl Fn(&P) -> bool,
    excludes: impl Fn(&P) -> bool,
) -> bool {
    with_ancestors.iter().any(names) && !with_ancestors.iter().any(excludes)
}

/// Whether funding is published: an amount, or a funding shape other than `unfunded`.
pub(crate) fn is_funded(program: &Program, funding_shapes: &[&str]) -> bool {
    program.funding_min_usd.is_some()
        || program.funding_max_usd.is_some()
        || funding_shapes.iter().any(|shape| *shape != "unfunded")
}

/// Label of a value when neither vocabulary nor facts have one: the name of a place, else nothing.
pub fn place_label(facet: Facet, value: &str, locale: Locale) -> Option<&'static str> {
    facet.spec().is_place.then(|| place::label(value, locale))?
}

/// Label of one of the contract's own states, for when the vocabulary has none.
pub fn state_label(facet: Facet, value: &str, locale: Locale) -> Option<&'static str> {
    let mut rows = include_str!("../data/states.txt").lines().map(|row| row.split(" | "));
    rows.find_map(|mut row| {
        let is_it = row.next() == Some(facet.spec().name) && row.next() == Some(value);
        if is_it { row.nth(locale as usize) } else { None }
    })
}

/// Words for common values of facets, for datasets without labels of their own, in the order of [`Locale::ALL`].
pub static VALUE_WORDS: LazyLock<BTreeMap<&str, [&str; 2]>> = LazyLock::new(|| {
    let lines = include_str!("../data/value-words.txt").lines().skip(1);
    let words = lines.filter_map(|line| {
        let [value, english, spanish] = line.split('|').collect::<Vec<_>>().try_into().ok()?;
        Some((value, [english, spanish]))
    });
    words.collect()
});

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
}
