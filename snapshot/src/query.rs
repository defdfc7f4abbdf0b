//! Questions: the one table of query parameters (name, meaning, bounds, default) and the parsers
//! that turn a stranger's query string into plain data. Parsing never fails: what cannot be used
//! is left out and reported as [`Invalid`].

use std::borrow::Cow;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::de::IgnoredAny;

use crate::facet::{FACETS, Facet, Interval, MEASURES, Measure};
use crate::place;
use crate::record::{Locale, RecipientKind};
use crate::time::Day;

/// Least and greatest page size everywhere.
pub const LIMIT_RANGE: (u64, u64) = (1, 100);
/// Page size when none is asked for.
pub const LIMIT_DEFAULT: u64 = 20;
/// Page size of the facet endpoint when none is asked for.
pub const FACET_LIMIT_DEFAULT: u64 = 50;
/// Least and greatest page number.
pub const PAGE_RANGE: (u64, u64) = (1, 10_000);
/// Greatest offset: the greatest integer that every JSON reader keeps exact.
pub const OFFSET_MAX: u64 = (1 << 53) - 1;
/// Longest `q` of facets and recipients, in characters.
pub const LIST_TEXT_MAX: usize = 100;
/// Longest `q` of a search, in characters; the rest is cut and reported.
pub const TEXT_MAX: usize = 400;
/// Most words of a search; the rest is cut and reported.
pub const TEXT_WORDS_MAX: usize = 32;
/// Most quoted phrases of a search; the rest is cut and reported.
pub const TEXT_PHRASES_MAX: usize = 8;
/// Most parameters that a list takes.
const LIST_PARAMETERS_MAX: usize = 7;
/// Years that a list may be asked for.
pub const YEAR_RANGE: (i32, i32) = (1900, 2100);
/// Most entries of `meta.invalid`.
pub const INVALID_MAX: usize = 50;
/// Longest value in an entry of `meta.invalid`, in characters.
pub const INVALID_VALUE_MAX: usize = 100;

/// How a parameter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values of a facet, repeatable.
    Values(Facet),
    /// Free text.
    Text,
    /// Lower bound of a measure.
    Least(Measure),
    /// Upper bound of a measure.
    Most(Measure),
    /// Earliest next deadline.
    DeadlineFrom,
    /// Latest next deadline.
    DeadlineTo,
    /// Rolling only.
    Rolling,
    /// Funded only.
    Funded,
    /// Open only.
    Open,
    /// Language of the answer.
    Locale,
    /// The same, where `locale` is not given.
    Lang,
    /// Order of the results.
    Sort,
    /// Page number.
    Page,
    /// Page size.
    Limit,
    /// Rows to skip; wins over the page.
    Offset,
    /// `false` leaves the facets out.
    Facets,
}

/// A parameter of search and programs.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name in query strings.
    pub name: &'static str,
    /// How it is read.
    pub kind: Kind,
}

/// Parameters that are neither values of a facet nor bounds of a measure, with their place among all.
const CONTROLS: [(u8, &str, Kind); 13] = [
    (17, "q", Kind::Text),
    (20, "deadlineFrom", Kind::DeadlineFrom),
    (21, "deadlineTo", Kind::DeadlineTo),
    (22, "rolling", Kind::Rolling),
    (23, "funded", Kind::Funded),
    (28, "open", Kind::Open),
    (29, "locale", Kind::Locale),
    (30, "lang", Kind::Lang),
    (31, "sort", Kind::Sort),
    (32, "page", Kind::Page),
    (33, "limit", Kind::Limit),
    (34, "offset", Kind::Offset),
    (35, "facets", Kind::Facets),
];

/// Every parameter of search and programs, in the contract's order, which is also the order of
/// `meta.invalid`.
pub static PARAMETERS: LazyLock<Vec<Parameter>> = LazyLock::new(|| {
    let facets = FACETS.iter().map(|spec| (spec.asked, spec.parameter, Kind::Values(spec.facet)));
    let bounds = MEASURES.iter().flat_map(|spec| {
        let kinds = [Kind::Least(spec.measure), Kind::Most(spec.measure)];
        spec.parameters.into_iter().zip(kinds).filter_map(|(name, kind)| Some((spec.asked, name?, kind)))
    });
    let mut all: Vec<_> = facets.chain(bounds).chain(CONTROLS).collect();
    all.sort_by_key(|(place, ..)| *place);
    all.into_iter().map(|(_, name, kind)| Parameter { name, kind }).collect()
});

/// Order of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Next deadline first.
    Deadline,
    /// By name in the asked language.
    Name,
    /// Newest first.
    Recent,
}

impl Sort {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Deadline, Self::Name, Self::Recent];

    /// Word in parameters and `meta.sort`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadline => "deadline",
            Self::Name => "name",
            Self::Recent => "recent",
        }
    }

    /// The order that a word stands for.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == word)
    }
}

/// A facet value that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pick {
    /// A value that records name: its ordinal in the vocabulary.
    Value(u32),
    /// A place that no record names, which a record around it may still admit.
    Place(place::Code),
}

/// The rows that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to give.
    pub limit: u64,
}

impl Page {
    /// Number of the page that holds the first row, from 1.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.offset / self.limit + 1
    }

    /// The part of `total` rows that it covers.
    #[must_use]
    pub fn range(&self, total: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(self.offset).map_or(total, |offset| offset.min(total));
        start..start.saturating_add(self.limit as usize).min(total)
    }
}

/// A question to search and programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Picked values by facet, sorted, each once.
    pub picks: Vec<(Facet, Pick)>,
    /// Free text, trimmed, not empty.
    pub text: Option<String>,
    /// Bounds of each measure, in the order of [`MEASURES`].
    pub measures: [Option<Interval>; MEASURES.len()],
    /// Earliest next deadline.
    pub deadline_from: Option<Day>,
    /// Latest next deadline.
    pub deadline_to: Option<Day>,
    /// Rolling only.
    pub rolling: bool,
    /// Funded only.
    pub funded: bool,
    /// Open only.
    pub open: bool,
    /// Language of the answer.
    pub locale: Locale,
    /// Order of the results.
    pub sort: Sort,
    /// Which rows.
    pub page: Page,
    /// Whether facets are counted.
    pub facets: bool,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            picks: Vec::new(),
            text: None,
            measures: [None; MEASURES.len()],
            deadline_from: None,
            deadline_to: None,
            rolling: false,
            funded: false,
            open: false,
            locale: Locale::En,
            sort: Sort::Deadline,
            page: Page { offset: 0, limit: LIMIT_DEFAULT },
            facets: true,
        }
    }
}

/// A pair that was not used as it stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invalid {
    /// Position in the parameter table; unknown names come last.
    rank: usize,
    name: String,
    value: String,
}

/// Collects what was not used, in the order of the parameter table.
#[derive(Debug, Default)]
pub struct Complaints(Vec<Invalid>);

impl Complaints {
    fn add(&mut self, rank: usize, name: &str, value: &str) {
        self.0.push(Invalid { rank, name: name.to_owned(), value: value.to_owned() });
    }

    /// The entries of `meta.invalid`: `param=value`, equal questions giving equal entries.
    #[must_use]
    pub fn finish(mut self) -> Vec<String> {
        self.0.sort();
        self.0.dedup();
        self.0.truncate(INVALID_MAX);
        self.0.iter().map(Invalid::entry).collect()
    }
}

impl Invalid {
    fn entry(&self) -> String {
        let (name, value) = (cut(&self.name, INVALID_VALUE_MAX), cut(&self.value, INVALID_VALUE_MAX));
        format!("{name}={value}")
    }
}

/// The first `most` characters, with a mark when more were there.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
    }
}

/// Name-value pairs of a query string, decoded as forms are (URL standard, section 5.1).
pub fn pairs(query: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    form_urlencoded::parse(query.as_bytes())
}

/// Whether a parameter that nobody defined is left unreported: trackers and private markers.
fn is_junk(name: &str) -> bool {
    name.is_empty() || name.starts_with("utm_") || name.starts_with('_') || matches!(name, "fbclid" | "gclid")
}

/// Reads a question to search and programs. `ordinal` looks a facet value up in the vocabulary.
pub fn parse_search(query: &str, ordinal: impl Fn(Facet, &str) -> Option<u32>) -> (Query, Vec<String>) {
    let mut reader = SearchReader {
        query: Query::default(),
        number: None,
        offset: None,
        locale: None,
        lang: None,
        seen: vec![None; PARAMETERS.len()],
        complaints: Complaints::default(),
        ordinal,
    };
    for (name, value) in pairs(query) {
        reader.pair(&name, &value);
    }
    reader.finish()
}

struct SearchReader<F> {
    query: Query,
    number: Option<u64>,
    offset: Option<u64>,
    locale: Option<Locale>,
    lang: Option<Locale>,
    /// First value of each single-valued parameter; a repetition of it is no news.
    seen: Vec<Option<String>>,
    complaints: Complaints,
    ordinal: F,
}

impl<F: Fn(Facet, &str) -> Option<u32>> SearchReader<F> {
    fn pair(&mut self, name: &str, value: &str) {
        let Some(rank) = PARAMETERS.iter().position(|parameter| parameter.name == name) else {
            if !is_junk(name) {
                self.complaints.add(PARAMETERS.len(), name, value);
            }
            return;
        };
        let kind = PARAMETERS[rank].kind;
        if value.is_empty() || kind == Kind::Facets {
            self.query.facets &= value != "false";
            return;
        }
        if let Kind::Values(facet) = kind {
            match self.pick(facet, value) {
                Some(pick) => self.query.picks.push(pick),
                None => self.complaints.add(rank, name, value),
            }
            return;
        }
        match &self.seen[rank] {
            Some(first) if first == value => return,
            Some(_) => return self.complaints.add(rank, name, value),
            None => self.seen[rank] = Some(value.to_owned()),
        }
        if !self.single(kind, value) {
            self.complaints.add(rank, name, value);
        }
    }

    /// A value that records name, or a place that none does. A facet that shares the selection of another
    /// asks there first.
    fn pick(&self, facet: Facet, value: &str) -> Option<(Facet, Pick)> {
        for facet in [facet.group(), facet] {
            if let Some(ordinal) = (self.ordinal)(facet, value) {
                return Some((facet, Pick::Value(ordinal)));
            }
        }
        let code = place::Code::new(value).filter(|_| facet.spec().places);
        code.map(|code| (facet, Pick::Place(code)))
    }

    /// Takes a single-valued parameter; false when the value was not used as it stands.
    fn single(&mut self, kind: Kind, value: &str) -> bool {
        let query = &mut self.query;
        match kind {
            Kind::Text => {
                let cut = cut_text(value);
                query.text = Some(cut.trim().to_owned()).filter(|text| !text.is_empty());
                cut.len() == value.len()
            }
            Kind::Least(measure) => {
                parse_amount(value).map(|least| self.bound(measure).min = least).is_some()
            }
            Kind::Most(measure) => parse_amount(value).map(|most| self.bound(measure).max = most).is_some(),
            Kind::DeadlineFrom => set(&mut query.deadline_from, parse_day(value)),
            Kind::DeadlineTo => set(&mut query.deadline_to, parse_day(value)),
            Kind::Rolling => parse_flag(value).map(|on| query.rolling = on).is_some(),
            Kind::Funded => parse_flag(value).map(|on| query.funded = on).is_some(),
            Kind::Open => parse_flag(value).map(|on| query.open = on).is_some(),
            Kind::Locale => set(&mut self.locale, Locale::parse(value)),
            Kind::Lang => set(&mut self.lang, Locale::parse(value)),
            Kind::Sort => Sort::parse(value).map(|sort| query.sort = sort).is_some(),
            Kind::Page => clamp(value, PAGE_RANGE, &mut self.number),
            Kind::Limit => {
                let mut limit = None;
                let kept = clamp(value, LIMIT_RANGE, &mut limit);
                query.page.limit = limit.unwrap_or(LIMIT_DEFAULT);
                kept
            }
            Kind::Offset => clamp(value, (0, OFFSET_MAX), &mut self.offset),
            Kind::Values(_) | Kind::Facets => true,
        }
    }

    fn bound(&mut self, measure: Measure) -> &mut Interval {
        self.query.measures[measure as usize].get_or_insert(Interval::EVERYTHING)
    }

    fn finish(mut self) -> (Query, Vec<String>) {
        let query = &mut self.query;
        query.picks.sort();
        query.picks.dedup();
        query.locale = self.locale.or(self.lang).unwrap_or(Locale::En);
        let page_offset = (self.number.unwrap_or(1) - 1) * query.page.limit;
        query.page.offset = self.offset.unwrap_or(page_offset);
        (self.query, self.complaints.finish())
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

fn set<T>(slot: &mut Option<T>, value: Option<T>) -> bool {
    *slot = value;
    slot.is_some()
}

/// A number that is not negative, written as in JSON: many programs print `1.0E7` or `1E+7`.
fn parse_amount(value: &str) -> Option<f64> {
    // In a query string a plus that nobody escaped stands for a space.
    let written = value.replacen(['e', 'E'], "e", 1).replacen("e ", "e+", 1);
    let bare = written.starts_with(|c: char| c == '-' || c.is_ascii_digit())
        && written.ends_with(|c: char| c.is_ascii_digit());
    let is_json = bare && serde_json::from_str::<IgnoredAny>(&written).is_ok();
    let number = written.parse::<f64>().ok().filter(|number| is_json && number.is_finite() && *number >= 0.0);
    // `-0` is 0, which is written in one way.
    number.map(f64::abs)
}

fn parse_flag(value: &str) -> Option<bool> {
    match value {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// `YYYY-MM-DD`, a day that exists.
#[must_use]
pub fn parse_date(value: &str) -> Option<Date> {
    let shaped = value.len() == 10 && value.as_bytes()[4] == b'-' && value.as_bytes()[7] == b'-';
    if !shaped { None } else { value.parse().ok() }
}

fn parse_day(value: &str) -> Option<Day> {
    parse_date(value).map(Day::new)
}

/// An integer of any length, saturating; `None` when it is not one.
fn parse_integer(value: &str) -> Option<i128> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let far = if value.starts_with('-') { i128::MIN } else { i128::MAX };
    Some(value.parse().unwrap_or(far))
}

/// Clamps an integer into a range; a non-number leaves the default. True when used as it stands.
fn clamp(value: &str, (least, most): (u64, u64), slot: &mut Option<u64>) -> bool {
    let Some(number) = parse_integer(value) else { return false };
    let used = number.clamp(i128::from(least), i128::from(most));
    *slot = u64::try_from(used).ok();
    used == number
}

/// A question to one of the lists. Fields that a list does not know stay at their default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListQuery {
    /// Which rows.
    pub page: Page,
    /// Cycles: only what is still to come.
    pub upcoming: bool,
    /// Recipients: part of the display name.
    pub text: Option<String>,
    /// Recipients: received an award in that year; with a program, of that program in that year.
    pub year: Option<i32>,
    /// Recipients: received an award of that program; with a year, in that year.
    pub program: Option<String>,
    /// Recipients: of that kind.
    pub kind: Option<RecipientKind>,
}

/// Which list a question goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `/organizations`
    Organizations,
    /// `/cycles`
    Cycles,
    /// `/awards`
    Awards,
    /// `/recipients`
    Recipients,
}

impl List {
    /// Every list.
    pub const ALL: [Self; 4] = [Self::Organizations, Self::Cycles, Self::Awards, Self::Recipients];

    /// Name in paths.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Organizations => "organizations",
            Self::Cycles => "cycles",
            Self::Awards => "awards",
            Self::Recipients => "recipients",
        }
    }

    /// Its parameters, in the contract's order.
    #[must_use]
    pub const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Organizations | Self::Awards => &["page", "limit", "offset"],
            Self::Cycles => &["page", "limit", "offset", "upcoming"],
            Self::Recipients => &["page", "limit", "offset", "q", "year", "program", "kind"],
        }
    }
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            page: Page { offset: 0, limit: LIMIT_DEFAULT },
            upcoming: true,
            text: None,
            year: None,
            program: None,
            kind: None,
        }
    }
}

/// Reads a question to a list.
#[must_use]
pub fn parse_list(list: List, query: &str) -> (ListQuery, Vec<String>) {
    let mut parsed = ListQuery::default();
    let mut complaints = Complaints::default();
    let parameters = list.parameters();
    let mut seen = [const { None }; LIST_PARAMETERS_MAX];
    let mut wanted = Wanted::default();
    for (name, value) in pairs(query) {
        let Some(rank) = parameters.iter().position(|parameter| *parameter == name) else {
            if !is_junk(&name) {
                complaints.add(parameters.len(), &name, &value);
            }
            continue;
        };
        let repeats = seen[rank].get_or_insert_with(|| value.clone()) != &value;
        if !value.is_empty() && (repeats || !parsed.take(parameters[rank], &value, &mut wanted)) {
            complaints.add(rank, &name, &value);
        }
    }
    let page_offset = (wanted.number.unwrap_or(1) - 1) * parsed.page.limit;
    parsed.page.offset = wanted.offset.unwrap_or(page_offset);
    (parsed, complaints.finish())
}

/// Where a list is to begin, in both ways of saying it; the offset wins over the page.
#[derive(Default)]
struct Wanted {
    number: Option<u64>,
    offset: Option<u64>,
}

impl ListQuery {
    fn take(&mut self, name: &str, value: &str, wanted: &mut Wanted) -> bool {
        match name {
            "page" => clamp(value, PAGE_RANGE, &mut wanted.number),
            "limit" => {
                let mut limit = None;
                let kept = clamp(value, LIMIT_RANGE, &mut limit);
                self.page.limit = limit.unwrap_or(LIMIT_DEFAULT);
                kept
            }
            "offset" => clamp(value, (0, OFFSET_MAX), &mut wanted.offset),
            "upcoming" => parse_flag(value).map(|on| self.upcoming = on).is_some(),
            "q" => set(&mut self.text, Some(value.to_owned()).filter(|q| q.chars().count() <= LIST_TEXT_MAX)),
            "year" => set(&mut self.year, parse_year(value)),
            "program" => set(&mut self.program, Some(value.to_owned()).filter(|slug| is_slug(slug))),
            "kind" => set(&mut self.kind, RecipientKind::parse(value)),
            _ => false,
        }
    }
}

fn parse_year(value: &str) -> Option<i32> {
    let year = parse_integer(value).and_then(|year| i32::try_from(year).ok())?;
    (YEAR_RANGE.0..=YEAR_RANGE.1).contains(&year).then_some(year)
}

/// `^[a-z0-9]+(?:-[a-z0-9]+)*$`
#[must_use]
pub fn is_slug(text: &str) -> bool {
    text.split('-').all(|part| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// A question to the facet endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FacetQuery {
    /// Part of value or label; empty matches all.
    pub text: String,
    /// Which rows.
    pub page: Page,
}

/// A fault that the facet endpoint refuses a question for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    /// Which parameter.
    pub parameter: &'static str,
    /// Its value, cut.
    pub value: String,
    /// What is wrong, and what is accepted.
    pub reason: String,
}

/// Reads a question to the facet endpoint, strictly: every fault at once. Names that it does not
/// know are left to caches and trackers.
pub fn parse_facet(query: &str) -> Result<FacetQuery, Vec<Fault>> {
    let mut parsed = FacetQuery { text: String::new(), page: Page { offset: 0, limit: FACET_LIMIT_DEFAULT } };
    let mut faults = Vec::new();
    let mut seen: Vec<(&str, String)> = Vec::new();
    for (name, value) in pairs(query) {
        let Some(name) = ["q", "limit", "offset"].into_iter().find(|known| *known == name) else { continue };
        let reason = match seen.iter().find(|(earlier, _)| *earlier == name) {
            Some((_, earlier)) if *earlier == value => continue,
            Some(_) => Some("given twice with different values".to_owned()),
            None => parsed.take(name, &value).err(),
        };
        seen.push((name, value.clone().into_owned()));
        if let Some(reason) = reason {
            let value = cut(&value, INVALID_VALUE_MAX).into_owned();
            faults.push(Fault { parameter: name, value, reason });
        }
    }
    if faults.is_empty() { Ok(parsed) } else { Err(faults) }
}

impl FacetQuery {
    fn take(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "q" if value.chars().count() > LIST_TEXT_MAX => {
                Err(format!("longer than {LIST_TEXT_MAX} characters"))
            }
            "q" => {
                value.clone_into(&mut self.text);
                Ok(())
            }
            "limit" => in_range(value, LIMIT_RANGE).map(|limit| self.page.limit = limit),
            _ => in_range(value, (0, OFFSET_MAX)).map(|offset| self.page.offset = offset),
        }
    }
}

fn in_range(value: &str, (least, most): (u64, u64)) -> Result<u64, String> {
    let mut number = None;
    match (clamp(value, (least, most), &mut number), number) {
        (true, Some(number)) => Ok(number),
        _ => Err(format!("not an integer from {least} to {most}")),
    }
}

/// The language that a record is asked for in; anything unknown is the default.
#[must_use]
pub fn parse_locale(query: &str) -> Locale {
    let of = |wanted: &str| {
        pairs(query).filter(|(name, _)| name == wanted).find_map(|(_, value)| Locale::parse(&value))
    };
    of("locale").or_else(|| of("lang")).unwrap_or(Locale::En)
}

/// File format of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// ExportResponse.
    Json,
    /// RFC 4180.
    Csv,
}

/// Reads `format` of the export; the value back when it is neither format.
pub fn parse_export(query: &str) -> Result<ExportFormat, String> {
    let format = pairs(query).find(|(name, value)| name == "format" && !value.is_empty());
    match format.as_ref().map(|(_, value)| value.as_ref()) {
        None | Some("json") => Ok(ExportFormat::Json),
        Some("csv") => Ok(ExportFormat::Csv),
        Some(other) => Err(cut(other, INVALID_VALUE_MAX).into_owned()),
    }
}

impl Query {
    /// The question as a query string that parses to itself: canonical order, defaults left out.
    /// `name` gives the text of a value's ordinal. The page is written as `offset` unless it is the
    /// first.
    pub fn canonical<'v>(&self, name: impl Fn(u32) -> &'v str) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        for parameter in PARAMETERS.iter() {
            self.write_parameter(parameter, &mut out, &name);
        }
        out.finish()
    }

    fn write_parameter<'v>(
        &self,
        parameter: &Parameter,
        out: &mut form_urlencoded::Serializer<'_, String>,
        name: &impl Fn(u32) -> &'v str,
    ) {
        if let Kind::Values(facet) = parameter.kind {
            for (_, pick) in self.picks.iter().filter(|(picked, _)| *picked == facet) {
                match pick {
                    Pick::Value(ordinal) => out.append_pair(parameter.name, name(*ordinal)),
                    Pick::Place(code) => out.append_pair(parameter.name, code),
                };
            }
        } else if let Some(value) = self.single_value(parameter.kind) {
            out.append_pair(parameter.name, &value);
        }
    }

    /// Text of a single-valued parameter that differs from its default.
    fn single_value(&self, kind: Kind) -> Option<String> {
        let finite = |number: f64| number.is_finite().then(|| number.to_string());
        let measured = |measure: Measure| self.measures[measure as usize];
        let on = |flag: bool| flag.then(|| "true".to_owned());
        let date = |day: Option<Day>| day.and_then(Day::date).map(|date| date.to_string());
        match kind {
            Kind::Text => self.text.clone(),
            Kind::Least(measure) => measured(measure).and_then(|interval| finite(interval.min)),
            Kind::Most(measure) => measured(measure).and_then(|interval| finite(interval.max)),
            Kind::DeadlineFrom => date(self.deadline_from),
            Kind::DeadlineTo => date(self.deadline_to),
            Kind::Rolling => on(self.rolling),
            Kind::Funded => on(self.funded),
            Kind::Open => on(self.open),
            Kind::Locale => (self.locale != Locale::En).then(|| self.locale.as_str().to_owned()),
            Kind::Sort => (self.sort != Sort::Deadline).then(|| self.sort.as_str().to_owned()),
            Kind::Limit => (self.page.limit != LIMIT_DEFAULT).then(|| self.page.limit.to_string()),
            Kind::Offset => (self.page.offset != 0).then(|| self.page.offset.to_string()),
            Kind::Facets => (!self.facets).then(|| "false".to_owned()),
            Kind::Values(_) | Kind::Lang | Kind::Page => None,
        }
    }
}

impl ListQuery {
    /// The question as a query string that parses to itself; defaults left out.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        if self.page.limit != LIMIT_DEFAULT {
            out.append_pair("limit", &self.page.limit.to_string());
        }
        if self.page.offset != 0 {
            out.append_pair("offset", &self.page.offset.to_string());
        }
        if !self.upcoming {
            out.append_pair("upcoming", "false");
        }
        if let Some(text) = &self.text {
            out.append_pair("q", text);
        }
        if let Some(year) = self.year {
            out.append_pair("year", &year.to_string());
        }
        if let Some(program) = &self.program {
            out.append_pair("program", program);
        }
        if let Some(kind) = self.kind {
            out.append_pair("kind", kind.as_str());
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vocabulary of three values.
    fn ordinal(facet: Facet, value: &str) -> Option<u32> {
        match (facet, value) {
            (Facet::Types, "grant") => Some(1),
            (Facet::Topics, "energy") => Some(2),
            (Facet::Fields, "Energy") => Some(3),
            _ => None,
        }
    }

    fn parse(query: &str) -> (Query, Vec<String>) {
        parse_search(query, ordinal)
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
        assert_eq!(parse("page=3&limit=50").0.page, Page { offset: 100, limit: 50 });
        assert_eq!(parse("page=3&offset=7").0.page.offset, 7);
    }

    #[test]
    fn other_bad_values_are_dropped_and_reported_in_table_order() {
        let query =
            "zzz=1&sort=best&ageMin=-3&deadlineFrom=2026-02-30&type=Grant&type=grant&utm_source=x&_=1";
        let (parsed, invalid) = parse(query);
        assert_eq!(parsed.picks, [(Facet::Types, Pick::Value(1))]);
        assert_eq!(invalid, ["type=Grant", "ageMin=-3", "deadlineFrom=2026-02-30", "sort=best", "zzz=1"]);
        assert_eq!(Query { picks: Vec::new(), ..parsed }, Query::default());
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
    fn field_asks_for_a_topic_first_then_for_a_field() {
        assert_eq!(parse("field=energy").0.picks, [(Facet::Topics, Pick::Value(2))]);
        assert_eq!(parse("field=Energy").0.picks, [(Facet::Fields, Pick::Value(3))]);
        assert_eq!(parse("topic=Energy").1, ["topic=Energy"]);
    }

    #[test]
    fn a_place_that_no_record_names_may_be_asked_for() {
        let (parsed, invalid) = parse("citizenship=NG&citizenship=US-PA&citizenship=Narnia&topic=NG");
        assert_eq!(parsed.picks.len(), 2);
        assert_eq!(invalid, ["topic=NG", "citizenship=Narnia"]);
    }

    #[test]
    fn the_first_of_repeated_values_wins_and_an_equal_repetition_is_no_news() {
        let (parsed, invalid) = parse("limit=5&limit=5&limit=7");
        assert_eq!((parsed.page.limit, invalid), (5, vec!["limit=7".to_owned()]));
    }

    #[test]
    fn only_false_switches_facets_off_and_nothing_is_reported() {
        assert!(!parse("facets=false").0.facets);
        for other in ["facets=true", "facets=no", "facets=", ""] {
            assert_eq!(parse(other), (Query::default(), vec![]), "{other}");
        }
    }

    #[test]
    fn locale_wins_over_lang() {
        assert_eq!(parse("lang=es").0.locale, Locale::Es);
        assert_eq!(parse("lang=es&locale=en").0.locale, Locale::En);
        assert_eq!(parse("lang=es&locale=fr").0.locale, Locale::Es);
    }

    #[test]
    fn a_long_value_is_cut_and_at_most_fifty_are_reported() {
        let many: String = (0..80).map(|n| format!("x{n}={}&", "é".repeat(200))).collect();
        let (_, invalid) = parse(&many);
        assert_eq!(invalid.len(), 50);
        assert!(invalid.iter().all(|entry| entry.split_once('=').unwrap().1.chars().count() == 101));
    }

    #[test]
    fn the_facet_endpoint_names_every_fault_at_once() {
        let long = "x".repeat(101);
        let faults = parse_facet(&format!("q={long}&limit=0&offset=a")).unwrap_err();
        let named: Vec<_> = faults.iter().map(|fault| fault.parameter).collect();
        assert_eq!(named, ["q", "limit", "offset"]);
        assert_eq!(parse_facet("limit=100&q=ni&utm_x=1").unwrap().page.limit, 100);
    }

    #[test]
    fn a_list_reports_what_it_does_not_know() {
        let (parsed, invalid) = parse_list(List::Recipients, "kind=robot&year=1899&program=a_b&limit=0&x=1");
        assert_eq!(parsed.page.limit, 1);
        assert_eq!((parsed.kind, parsed.year, parsed.program), (None, None, None));
        assert_eq!(invalid, ["limit=0", "year=1899", "program=a_b", "kind=robot", "x=1"]);
    }

    #[test]
    fn a_list_takes_the_page_as_a_search_does() {
        for list in List::ALL {
            let page = |query: &str| {
                let (parsed, invalid) = parse_list(list, query);
                ((parsed.page.offset, parsed.page.limit), invalid)
            };
            assert_eq!(page("page=3&limit=50"), ((100, 50), vec![]));
            assert_eq!(page("limit=50&page=2"), ((50, 50), vec![]));
            assert_eq!(page("page=3&offset=7"), ((7, 20), vec![]));
            assert_eq!(page("page=0"), ((0, 20), vec!["page=0".to_owned()]));
            assert_eq!(page("page=two"), ((0, 20), vec!["page=two".to_owned()]));
            assert_eq!(page("page=2&page=3"), ((20, 20), vec!["page=3".to_owned()]));
            assert!(list.parameters().len() <= LIST_PARAMETERS_MAX);
        }
    }

    #[test]
    fn a_canonical_question_parses_to_itself() {
        let query = "type=grant&field=Energy&citizenship=NG&q=a%26b+c&ageMax=30.5&deadlineTo=2027-01-31&open=1\
                     &locale=es&sort=name&page=3&limit=7&facets=false";
        let (parsed, _) = parse(query);
        let canonical = parsed.canonical(|ordinal| if ordinal == 1 { "grant" } else { "Energy" });
        assert_eq!(parse(&canonical), (parsed, vec![]), "{canonical}");
    }
}
