//! Measures: numbers that a program publishes as intervals, and that a query filters by bounds. One
//! table of where they come from and which parameters filter by them.

use crate::record::{DurationUnit, Fact, Number, Polarity, Program, Strength};

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

/// What the numbers of facts count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Always the same, by its word on pages.
    Always(&'static str),
    /// What each fact states, a [`DurationUnit`].
    Stated,
}

impl Unit {
    /// Length of a fact's unit in that of the measure; none for a unit that is not known.
    fn length(self, fact: &Fact) -> Option<f64> {
        match self {
            Self::Always(_) => Some(1.0),
            Self::Stated => Some(DurationUnit::parse(fact.unit.as_deref()?)?.days()),
        }
    }

    /// Its word on pages; none where the fact states no unit.
    pub fn word(self, fact: &Fact) -> Option<String> {
        match self {
            Self::Always(word) => Some(word.to_owned()),
            Self::Stated => Some(format!("unit_{}", fact.unit.as_deref()?)),
        }
    }
}

/// A row of the table.
pub struct MeasureSpec {
    /// Which measure.
    pub measure: Measure,
    /// Parameters for the lower and the upper bound.
    pub parameters: [&'static str; 2],
    /// Place of the first of them among all, see [`crate::query::PARAMETERS`].
    pub parameter_rank: u8,
    /// Place of its bounds on the search form.
    pub search_page_rank: u8,
    /// Sections that the intervals of each document are in: where each one's begin, and they.
    pub sections: (&'static str, &'static str),
    /// Kind of the facts that feed it, and what their numbers count; none where the record itself has the bounds.
    facts: Option<(&'static str, Unit)>,
}

/// The table, in the order of [`Measure`].
pub static MEASURES: [MeasureSpec; 3] = [
    MeasureSpec {
        measure: Measure::Age,
        parameters: ["ageMin", "ageMax"],
        parameter_rank: 18,
        search_page_rank: 2,
        sections: ("age.at", "age"),
        facts: Some(("age", Unit::Always("age_unit"))),
    },
    MeasureSpec {
        measure: Measure::Funding,
        parameters: ["fundingMin", "fundingMax"],
        parameter_rank: 24,
        search_page_rank: 0,
        sections: ("funding.at", "funding"),
        facts: None,
    },
    MeasureSpec {
        measure: Measure::Duration,
        parameters: ["durationMin", "durationMax"],
        parameter_rank: 26,
        search_page_rank: 3,
        sections: ("duration.at", "duration"),
        facts: Some(("duration", Unit::Stated)),
    },
];

impl Measure {
    /// The measure that bounds of facts of a kind feed.
    pub fn of_kind(kind: &str) -> Option<Self> {
        MEASURES.iter().find(|spec| spec.fact_kind() == Some(kind)).map(|spec| spec.measure)
    }

    /// Its row of the table.
    pub fn spec(self) -> &'static MeasureSpec {
        &MEASURES[self as usize]
    }
}

impl MeasureSpec {
    /// Kind of the facts that feed it.
    pub fn fact_kind(&self) -> Option<&'static str> {
        self.facts.map(|(kind, _)| kind)
    }

    /// What the numbers of those facts count.
    pub fn unit(&self) -> Option<Unit> {
        self.facts.map(|(_, unit)| unit)
    }
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
    /// Holds every number.
    pub(crate) const EVERYTHING: Self = Self { min: f64::NEG_INFINITY, max: f64::INFINITY };

    /// The interval of two bounds in so many units; none without a bound.
    fn new(min: Option<Number>, max: Option<Number>, unit: f64) -> Option<Self> {
        let [least, greatest] = [(min, f64::NEG_INFINITY), (max, f64::INFINITY)]
            .map(|(bound, none)| bound.map_or(none, |bound| bound.0 * unit));
        (min.is_some() || max.is_some()).then_some(Self { min: least, max: greatest })
    }

    /// Whether the two share a value.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        self.min <= other.max && other.min <= self.max
    }
}

/// Intervals that a program publishes for a measure; any of them may match.
pub(crate) fn intervals(measure: Measure, program: &Program, facts: &[&Fact]) -> Vec<Interval> {
    let Some((kind, unit)) = measure.spec().facts else {
        return Interval::new(program.funding_min_usd, program.funding_max_usd, 1.0).into_iter().collect();
    };
    let of_fact = |fact: &&Fact| {
        let binds = fact.polarity == Polarity::Include && fact.strength == Strength::Required;
        let unit = (fact.kind == kind && binds).then(|| unit.length(fact))??;
        Interval::new(fact.min, fact.max, unit)
    };
    facts.iter().filter_map(of_fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        assert!(MEASURES.iter().enumerate().all(|(position, spec)| spec.measure as usize == position));
    }
}
