//! Queries to search and programs.

use super::parameter::{PARAMETERS, Parameter, ParameterKind};
use super::value::{Complaints, Paging, clamp, is_junk, pairs, parse_amount, parse_day, parse_flag, set};
use super::{
    LIMIT_DEFAULT, LIMIT_RANGE, OFFSET_RANGE, PAGE_RANGE, Page, TEXT_MAX, TEXT_PHRASES_MAX, TEXT_WORDS_MAX,
};
use crate::distinct::distinct;
use crate::facet::{Facet, Interval, MEASURES, Measure};
use crate::place;
use crate::record::{Locale, words};
use crate::time::Day;

words! {
    /// Order of the results.
    #[derive(Default)]
    Sort {
        /// Next deadline first.
        #[default]
        Deadline = "deadline",
        /// By name in the requested language.
        Name = "name",
        /// Newest first.
        Recent = "recent",
    }
}

/// Bytes of most canonical queries.
const CANONICAL_BYTES: usize = 128;

/// A requested facet value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FacetValue {
    /// A value that records name: its ordinal in the vocabulary.
    Value(u32),
    /// A place that no record names, which a record around it may still admit.
    Place(place::Code),
}

/// A query to search and programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Picked values by facet, sorted, each once.
    pub selected: Vec<(Facet, FacetValue)>,
    /// Slugs of organizations whose programs match, sorted, each once.
    pub organizations: Vec<String>,
    /// Free text with a word or more, trimmed.
    pub text: Option<String>,
    /// Bounds of each measure, in the order of [`MEASURES`].
    pub measures: [Option<Interval>; MEASURES.len()],
    /// Earliest next deadline.
    pub deadline_from: Option<Day>,
    /// Latest next deadline.
    pub deadline_to: Option<Day>,
    /// Earliest day of a record's last change.
    pub updated_from: Option<Day>,
    /// Latest day of it.
    pub updated_to: Option<Day>,
    /// Rolling only.
    pub rolling: bool,
    /// Funded only.
    pub funded: bool,
    /// Open only.
    pub open: bool,
    /// Whether records that state no value satisfy bounds and filters of eligibility. No parameter sets it.
    pub with_unstated: bool,
    /// Language of the answer.
    pub locale: Locale,
    /// Order of the results.
    pub sort: Sort,
    /// Which rows.
    pub page: Page,
    /// Whether facets are left out.
    pub no_facets: bool,
}

/// Reads a query to search and programs. `ordinal` looks a facet value up in the vocabulary, `organization` finds the
/// slug of an organization by that or a former one.
pub(crate) fn parse_search<'s>(
    query: &str,
    ordinal: impl Fn(Facet, &str) -> Option<u32>,
    organization: impl Fn(&str) -> Option<&'s str>,
) -> (Query, Vec<String>) {
    let (mut reader, mut complaints) = (SearchReader::default(), Complaints::default());
    // First value of each single-valued parameter; a repetition of it is no news.
    let mut seen = vec![None; PARAMETERS.len()];
    for (name, value) in pairs(query) {
        let Some(rank) = PARAMETERS.iter().position(|parameter| parameter.name == name) else {
            if !is_junk(&name) {
                complaints.add(PARAMETERS.len(), &name, &value);
            }
            continue;
        };
        let (kind, parsed) = (PARAMETERS[rank].kind, &mut reader.query);
        if value.is_empty() || kind == ParameterKind::Facets {
            parsed.no_facets |= value == "false";
            continue;
        }
        let is_used = match kind {
            ParameterKind::Values(facet) => {
                pick(facet, &value, &ordinal).map(|pick| parsed.selected.push(pick)).is_some()
            }
            ParameterKind::Organization => {
                organization(&value).map(|slug| parsed.organizations.push(slug.to_owned())).is_some()
            }
            _ => *seen[rank].get_or_insert_with(|| value.clone()) == value && reader.single(kind, &value),
        };
        if !is_used {
            complaints.add(rank, &name, &value);
        }
    }
    let SearchReader { mut query, paging, locale, lang } = reader;
    query.selected = distinct(query.selected);
    query.organizations = distinct(query.organizations);
    query.locale = locale.or(lang).unwrap_or(Locale::En);
    query.page = paging.page();
    (query, complaints.finish())
}

/// A value that records name, or a place that none does. A facet that shares the selection of another
/// looks the value up there first.
fn pick(
    facet: Facet,
    value: &str,
    ordinal: &impl Fn(Facet, &str) -> Option<u32>,
) -> Option<(Facet, FacetValue)> {
    for facet in [facet.group(), facet] {
        if let Some(ordinal) = ordinal(facet, value) {
            return Some((facet, FacetValue::Value(ordinal)));
        }
    }
    if !facet.spec().is_place {
        return None;
    }
    if let Some(code) = place::canonical(value) {
        return pick(facet, code, ordinal);
    }
    place::Code::new(value).map(|code| (facet, FacetValue::Place(code)))
}

/// A query being read, and the parameters that others complete.
#[derive(Default)]
struct SearchReader {
    query: Query,
    paging: Paging,
    locale: Option<Locale>,
    lang: Option<Locale>,
}

impl SearchReader {
    /// Takes a single-valued parameter; false when the value was not used as it stands.
    fn single(&mut self, kind: ParameterKind, value: &str) -> bool {
        let query = &mut self.query;
        match kind {
            ParameterKind::Text => {
                let cut = cut_text(value);
                let text = cut.trim();
                let has_words = text.chars().any(char::is_alphanumeric);
                query.text = has_words.then(|| text.to_owned());
                cut.len() == value.len() && (has_words || text.is_empty())
            }
            ParameterKind::Least(measure) => {
                parse_amount(value).map(|least| self.bound(measure).min = least).is_some()
            }
            ParameterKind::Most(measure) => {
                parse_amount(value).map(|most| self.bound(measure).max = most).is_some()
            }
            ParameterKind::DeadlineFrom => set(&mut query.deadline_from, parse_day(value)),
            ParameterKind::DeadlineTo => set(&mut query.deadline_to, parse_day(value)),
            ParameterKind::UpdatedFrom => set(&mut query.updated_from, parse_day(value)),
            ParameterKind::UpdatedTo => set(&mut query.updated_to, parse_day(value)),
            ParameterKind::Rolling => parse_flag(value).map(|on| query.rolling = on).is_some(),
            ParameterKind::Funded => parse_flag(value).map(|on| query.funded = on).is_some(),
            ParameterKind::Open => parse_flag(value).map(|on| query.open = on).is_some(),
            ParameterKind::Locale => set(&mut self.locale, Locale::parse(value)),
            ParameterKind::Lang => set(&mut self.lang, Locale::parse(value)),
            ParameterKind::Sort => Sort::parse(value).map(|sort| query.sort = sort).is_some(),
            ParameterKind::Page => clamp(value, PAGE_RANGE, &mut self.paging.number),
            ParameterKind::Limit => clamp(value, LIMIT_RANGE, &mut self.paging.limit),
            ParameterKind::Offset => clamp(value, OFFSET_RANGE, &mut self.paging.offset),
            ParameterKind::Values(_) | ParameterKind::Facets | ParameterKind::Organization => true,
        }
    }

    fn bound(&mut self, measure: Measure) -> &mut Interval {
        self.query.measures[measure as usize].get_or_insert(Interval::EVERYTHING)
    }
}

/// The first [`TEXT_MAX`] characters, and of these the first [`TEXT_WORDS_MAX`] words and
/// [`TEXT_PHRASES_MAX`] phrases.
fn cut_text(text: &str) -> &str {
    let text = text.char_indices().nth(TEXT_MAX).map_or(text, |(end, _)| &text[..end]);
    let (mut words, mut quotes) = (0, 0);
    let mut inside = false;
    for (position, c) in text.char_indices() {
        quotes += usize::from(c == '"');
        if quotes > 2 * TEXT_PHRASES_MAX {
            return text[..position].strip_suffix('-').unwrap_or(&text[..position]);
        }
        words += usize::from(c.is_alphanumeric() && !inside);
        inside = c.is_alphanumeric();
        if words > TEXT_WORDS_MAX {
            return &text[..position];
        }
    }
    text
}

impl Query {
    /// Whether it has any filter.
    pub fn is_narrowed(&self) -> bool {
        let Self { page, locale, no_facets, sort, with_unstated, .. } = *self;
        *self != Self { page, locale, no_facets, sort, with_unstated, ..Self::default() }
    }

    /// Whether the day of a record's last change is bounded.
    pub(crate) fn bounds_updates(&self) -> bool {
        self.updated_from.or(self.updated_to).is_some()
    }

    /// Whether a record that was changed last on this day is within the bounds.
    pub(crate) fn is_updated(&self, day: Day) -> bool {
        self.updated_from.is_none_or(|from| from <= day) && self.updated_to.is_none_or(|to| day <= to)
    }

    /// The query as a query string that parses to itself: canonical order, defaults left out.
    /// `name` gives the text of a value's ordinal. The page is written as `offset` unless it is the
    /// first.
    pub fn canonical<'v>(&self, name: impl Fn(u32) -> &'v str) -> String {
        let mut out = form_urlencoded::Serializer::new(String::with_capacity(CANONICAL_BYTES));
        for Parameter { name: parameter, kind } in PARAMETERS.iter() {
            match *kind {
                ParameterKind::Values(facet) => {
                    let picks = self.selected.iter().filter(|(picked, _)| *picked == facet);
                    out.extend_pairs(picks.map(|(_, pick)| match pick {
                        FacetValue::Value(ordinal) => (parameter, name(*ordinal)),
                        FacetValue::Place(code) => (parameter, &**code),
                    }));
                }
                ParameterKind::Organization => {
                    out.extend_pairs(self.organizations.iter().map(|slug| (parameter, slug)));
                }
                kind => {
                    out.extend_pairs(self.single_value(kind).map(|value| (parameter, value)));
                }
            }
        }
        out.finish()
    }

    /// Text of a single-valued parameter that differs from its default.
    fn single_value(&self, kind: ParameterKind) -> Option<String> {
        let finite = |number: f64| number.is_finite().then(|| number.to_string());
        let measured = |measure: Measure| self.measures[measure as usize];
        let on = |flag: bool| flag.then(|| "true".to_owned());
        let date = |day: Option<Day>| day.and_then(Day::date).map(|date| date.to_string());
        match kind {
            ParameterKind::Text => self.text.clone(),
            ParameterKind::Least(measure) => measured(measure).and_then(|interval| finite(interval.min)),
            ParameterKind::Most(measure) => measured(measure).and_then(|interval| finite(interval.max)),
            ParameterKind::DeadlineFrom => date(self.deadline_from),
            ParameterKind::DeadlineTo => date(self.deadline_to),
            ParameterKind::UpdatedFrom => date(self.updated_from),
            ParameterKind::UpdatedTo => date(self.updated_to),
            ParameterKind::Rolling => on(self.rolling),
            ParameterKind::Funded => on(self.funded),
            ParameterKind::Open => on(self.open),
            ParameterKind::Locale => (self.locale != Locale::En).then(|| self.locale.as_str().to_owned()),
            ParameterKind::Sort => (self.sort != Sort::Deadline).then(|| self.sort.as_str().to_owned()),
            ParameterKind::Limit => (self.page.limit != LIMIT_DEFAULT).then(|| self.page.limit.to_string()),
            ParameterKind::Offset => (self.page.offset != 0).then(|| self.page.offset.to_string()),
            ParameterKind::Facets => self.no_facets.then(|| "false".to_owned()),
            ParameterKind::Values(_)
            | ParameterKind::Organization
            | ParameterKind::Lang
            | ParameterKind::Page => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a vocabulary of one value, without organizations.
    fn parse(query: &str) -> (Query, Vec<String>) {
        parse_search(query, |facet, value| (facet == Facet::Types && value == "grant").then_some(1), |_| None)
    }

    #[test]
    fn a_country_may_have_any_of_its_codes() {
        let expected = parse("country=US&citizenship=PE");
        assert_eq!(parse("country=840&citizenship=PER"), expected);
        assert_eq!(parse("country=USA&country=US&country=840&citizenship=604"), expected);
        assert_eq!(parse("country=usa").1, ["country=usa"]);
        assert_eq!(parse("type=USA").1, ["type=USA"]);
    }

    #[test]
    fn numbers_out_of_bounds_are_clamped_and_reported() {
        for (query, offset, limit) in [
            ("limit=500", 0, 100),
            ("limit=0", 0, 1),
            ("limit=ten", 0, 20),
            ("limit=99999999999999999999999999999999999999999999", 0, 100),
            ("page=0", 0, 20),
            ("page=20000", 199_980, 20),
            ("offset=-1", 0, 20),
            ("offset=1e3", 0, 20),
            ("limit=2.5", 0, 20),
            ("page=٣", 0, 20),
        ] {
            let (parsed, invalid) = parse(query);
            assert_eq!(parsed.page, Page { offset, limit }, "{query}");
            assert_eq!(invalid, [query], "{query}");
        }
    }

    #[test]
    fn other_bad_values_are_dropped_and_reported_in_table_order() {
        let query =
            "zzz=1&sort=best&ageMin=-3&deadlineFrom=2026-02-30&type=Grant&type=grant&utm_source=x&_=1";
        let (parsed, invalid) = parse(query);
        assert_eq!(parsed.selected, [(Facet::Types, FacetValue::Value(1))]);
        assert_eq!(invalid, ["type=Grant", "ageMin=-3", "deadlineFrom=2026-02-30", "sort=best", "zzz=1"]);
        assert_eq!(Query { selected: Vec::new(), ..parsed }, Query::default());
    }

    #[test]
    fn numbers_are_written_as_in_json_and_known_by_one_spelling() {
        for (spelling, canonical) in [
            ("10000000", "10000000"),
            ("1e7", "10000000"),
            ("1.0E7", "10000000"),
            ("1E%2B7", "10000000"),
            ("1E+7", "10000000"),
            ("1e+07", "10000000"),
            ("100000000e-1", "10000000"),
            ("2.5E-1", "0.25"),
            ("0.250", "0.25"),
            ("0e5", "0"),
            ("-0", "0"),
            ("-0.0E3", "0"),
        ] {
            let (parsed, invalid) = parse(&format!("fundingMin={spelling}"));
            assert_eq!(invalid, [""; 0], "{spelling}");
            assert_eq!(parsed.canonical(|_| ""), format!("fundingMin={canonical}"), "{spelling}");
        }
    }

    #[test]
    fn what_json_does_not_call_a_number_is_dropped_and_reported() {
        let faults = [
            "-1", "-1e7", "1e", "e7", "1e7.0", "1e400", ".5", "5.", "07", "0x10", "1_000", "1,000", "1 000",
            "NaN", "inf", "Infinity", "null", "true", "[1]", "\"1\"", "٣", "1e7 ", " 1", "1\n", "1ee7",
            "1e  7",
        ];
        for fault in faults {
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("ageMax", fault).finish();
            let (parsed, invalid) = parse(&query);
            assert_eq!(invalid, [format!("ageMax={fault}")], "{fault}");
            assert_eq!(parsed, Query::default(), "{fault}");
        }
    }

    #[test]
    fn a_text_without_a_word_is_dropped_and_reported_and_a_blank_one_is_absent() {
        for nothing in ["🎓", "!!!", "\u{fffd}", "\"-\" &"] {
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("q", nothing).finish();
            assert_eq!(parse(&query), (Query::default(), vec![format!("q={nothing}")]));
        }
        assert_eq!(parse("q=%ff").1, ["q=\u{fffd}"]);
        for absent in ["q=", "q=+", "type=&ageMin=&sort=&limit=&locale=&rolling="] {
            assert_eq!(parse(absent), (Query::default(), vec![]), "{absent}");
        }
        assert_eq!(parse("q=🎓+3").0.text.as_deref(), Some("🎓 3"));
    }

    #[test]
    fn the_first_of_repeated_values_wins_and_an_equal_repetition_is_no_news() {
        let (parsed, invalid) = parse("limit=5&limit=5&limit=7");
        assert_eq!((parsed.page.limit, invalid), (5, vec!["limit=7".to_owned()]));
    }
}
