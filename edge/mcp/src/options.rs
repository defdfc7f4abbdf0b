//! `list_filter_options`: the values of facets, counted over all records or over those that match the filters.

use std::cmp::Reverse;
use std::sync::LazyLock;

use serde_json::Map;
use serde_json::value::RawValue;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::facet::options;
use snapshot::query::{FACET_LIMIT_DEFAULT, FacetValue, LIMIT_RANGE, LIST_TEXT_MAX, Page, Query};

use crate::arguments::{Arguments, ToolError};
use crate::context::Context;
use crate::nearest;
use crate::organizations;
use crate::question::{self, OFFSET_MAX, Question};
use crate::reply::{json, push, shown};
use crate::vocabulary::{Reading, Vocabulary};
use net::blocking_pool::TEXT_UNITS;

/// Arguments that the search does not have. Those of the search are accepted too, except for `sort`.
const OWN: [&str; 4] = ["facet", "facets", "q", "includeUnstated"];
const ALIASES: [(&str, &str); 3] = [("search", "q"), ("open", "openOnly"), ("funded", "fundedOnly")];
static KNOWN: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| OWN.into_iter().chain(question::arguments().filter(|name| *name != "sort")).collect());

/// What values are listed of.
#[derive(Clone, Copy, PartialEq)]
enum Listed {
    Facet(Facet),
    Organizations,
}

impl Listed {
    fn all() -> impl Iterator<Item = Self> {
        FACETS.iter().map(|spec| Self::Facet(spec.facet)).chain([Self::Organizations])
    }

    /// Its name, and that of the filter which takes its values.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Facet(facet) => (facet.spec().name, facet.spec().parameter),
            Self::Organizations => (organizations::LISTED, organizations::FILTER),
        }
    }
}

/// The work that a call takes, in units of the search.
pub(crate) fn price(context: &Context<'_>, raw: Option<&RawValue>) -> u64 {
    let Ok(arguments) = Arguments::read(raw, &KNOWN, &ALIASES) else { return 0 };
    let values = |listed: Listed| match listed {
        Listed::Facet(facet) => context.site.index.values.of(facet).len() as u64 * TEXT_UNITS,
        Listed::Organizations => organizations::units(context) + context.site.index.programs() as u64,
    };
    // Where q is part of no value, they are looked through once more for what means it.
    let scans = 1 + 2 * u64::from(arguments.has("q"));
    let listed = scans * facets(&arguments).map_or(0, |facets| facets.into_iter().map(values).sum::<u64>());
    let (work, query) = question::price(context, &arguments);
    if !query.is_narrowed() {
        return listed + work;
    }
    // Values are counted under filters by their sets of records.
    let sets = listed * (context.site.index.programs() as u64 / u64::from(u64::BITS)) / TEXT_UNITS;
    listed + work + sets + context.site.index.cost(&Query { no_facets: false, ..query })
}

/// Answers a call.
pub(crate) fn call(context: &Context<'_>, raw: Option<&RawValue>) -> Result<Vec<u8>, ToolError> {
    let arguments = Arguments::read(raw, &KNOWN, &ALIASES)?;
    let facets = facets(&arguments)?;
    let text = arguments.text("q", LIST_TEXT_MAX)?.unwrap_or_default();
    let limit = arguments.integer("limit", LIMIT_RANGE)?.unwrap_or(FACET_LIMIT_DEFAULT);
    let offset = arguments.integer("offset", (0, OFFSET_MAX))?.unwrap_or(0);
    let mut question = question::read(context, &arguments)?;
    question.query.with_unstated = arguments.flag("includeUnstated")?.unwrap_or(false);
    let request = ListRequest { question: &question, text: &text, page: Page { offset, limit } };
    Ok(render(context, &facets, &request))
}

/// The result for the most frequent values of a facet, as many as a page may have.
pub(crate) fn whole(context: &Context<'_>, facet: Facet) -> Vec<u8> {
    let question = Question { query: Query::default(), interpreted: Vec::new(), text_notice: None };
    let request =
        ListRequest { question: &question, text: "", page: Page { offset: 0, limit: LIMIT_RANGE.1 } };
    render(context, &[Listed::Facet(facet)], &request)
}

/// Facets by their names, or by the names of the filters that take their values; each once.
fn facets(arguments: &Arguments<'_>) -> Result<Vec<Listed>, String> {
    let names = || Listed::all().map(|listed| listed.names().0);
    let all = || names().collect::<Vec<_>>().join(", ");
    let no_facet = || arguments.wrong("facet", &format!("one of {}", all()));
    let mut given = arguments.texts("facet", FACETS.len(), LIST_TEXT_MAX).map_err(|_| no_facet())?;
    given.extend(arguments.texts("facets", FACETS.len(), LIST_TEXT_MAX)?);
    if given.is_empty() {
        return Err(no_facet());
    }
    let (mut facets, mut unknown) = (Vec::new(), Vec::new());
    for given in &given {
        let by_name = |listed: &Listed| listed.names().0 == given;
        let by_filter = |listed: &Listed| listed.names().1 == given;
        match Listed::all().find(by_name).or_else(|| Listed::all().find(by_filter)) {
            Some(listed) if facets.contains(&listed) => {}
            Some(listed) => facets.push(listed),
            None => {
                let hint = nearest::hint(given, names());
                unknown.push(format!("Unknown facet {}.{hint}", json(&shown(given))));
            }
        }
    }
    match unknown.is_empty() {
        true => Ok(facets),
        false => Err(format!("{} Facets: {}.", unknown.join(" "), all())),
    }
}

/// The filters, the text and the page that apply to each facet.
struct ListRequest<'a> {
    question: &'a Question,
    /// Text that values or labels must contain; may be empty.
    text: &'a str,
    page: Page,
}

/// The values of a facet with their numbers of records, most first.
fn counted(context: &Context<'_>, listed: Listed, request: &ListRequest<'_>) -> Vec<(FacetValue, u32)> {
    let (Context { site, dated, .. }, query) = (context, &request.question.query);
    let Listed::Facet(facet) = listed else { return organizations::counted(context, query, request.text) };
    let (index, today) = (&site.index, &dated.today);
    if query.is_narrowed() && request.text.is_empty() {
        let page = Page { offset: 0, limit: 1 };
        let answer = index.search(&Query { no_facets: false, page, ..query.clone() }, today);
        let of_facet = answer.facets.into_iter().flatten().find(|counts| counts.facet == facet);
        return of_facet.map_or_else(Vec::new, |counts| counts.items);
    }
    let mut items = options(site, dated, facet, request.text, query.locale);
    if items.is_empty() {
        items = meant(context, facet, request);
    }
    if query.is_narrowed() {
        let mut others = query.clone();
        others.selected.retain(|(of, _)| of.group() != facet.group());
        let found = index.matching(&others, today);
        for (pick, count) in &mut items {
            *count = index.docs_of(facet, pick, today).and(&found).len() as u32;
        }
        items.retain(|(_, count)| *count > 0);
        items.sort_by_key(|(_, count)| Reverse(*count));
    }
    items
}

/// The values that a text means which is part of none, with their numbers of records.
fn meant(context: &Context<'_>, facet: Facet, request: &ListRequest<'_>) -> Vec<(FacetValue, u32)> {
    let (Context { site, dated, .. }, locale) = (context, request.question.query.locale);
    let vocabulary = Vocabulary { context, facet, locale };
    let values = match vocabulary.read(request.text) {
        Reading::Resolved(values) => values,
        Reading::Several(readings) => readings.concat(),
        Reading::Exact | Reading::Nothing => Vec::new(),
    };
    let mut items = options(site, dated, facet, "", locale);
    items.retain(|(pick, _)| values.iter().any(|value| value == site.index.value_text(pick)));
    items
}

fn render(context: &Context<'_>, facets: &[Listed], request: &ListRequest<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(4_000);
    push(&mut out, "{\"data\":[");
    let (start, mut totals, mut next) = (out.len(), Vec::new(), None);
    let mut more = Map::new();
    for listed in facets {
        let (name, _) = listed.names();
        let items = counted(context, *listed, request);
        let range = request.page.range(items.len());
        for value in &items[range.clone()] {
            let comma = if out.len() > start { "," } else { "" };
            push(&mut out, comma);
            let item = out.len();
            let locale = request.question.query.locale;
            match listed {
                Listed::Facet(facet) => {
                    context.site.rows.push_item(*facet, &value.0, value.1, locale, &mut out);
                }
                Listed::Organizations => organizations::push_item(context, value, locale, &mut out),
            }
            if facets.len() > 1 {
                let name = format!("\"facet\":{},", json(name));
                out.splice(item + 1..item + 1, name.into_bytes());
            }
        }
        let end = range.end as u64;
        next = next.or(Some(end).filter(|end| *end < items.len() as u64));
        let behind = items.len() - range.end;
        if behind > 0 {
            more.insert(name.to_owned(), behind.into());
        }
        totals.push((name, items.len()));
    }
    let (names, totals): (Vec<&str>, Vec<usize>) = totals.into_iter().unzip();
    push(&mut out, format_args!("],\"facet\":{}", json(&names.join(" "))));
    if !request.text.is_empty() {
        push(&mut out, format_args!(",\"q\":{}", json(request.text)));
    }
    let (Page { offset, limit }, total) = (request.page, totals.iter().sum::<usize>());
    push(&mut out, format_args!(",\"limit\":{limit},\"offset\":{offset},\"total\":{total}"));
    if let Some(next) = next {
        push(&mut out, format_args!(",\"nextOffset\":{next},\"more\":{}", json(&more)));
    }
    push(&mut out, format_args!(",\"asOf\":{}", context.day()));
    let understood = question::understood(&request.question.interpreted);
    if !understood.is_empty() {
        push(&mut out, format_args!(",\"understood\":{}", json(&understood)));
    }
    out.push(b'}');
    out
}
