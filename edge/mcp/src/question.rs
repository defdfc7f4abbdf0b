//! Search questions: arguments translated into parameters of the REST interface, so that one table and one parser
//! interpret both. All errors of a question are reported together.

use form_urlencoded::Serializer;
use serde_json::{Value, json};
use snapshot::facet::{Facet, Interval, MEASURES};
use snapshot::place;
use snapshot::query::{
    LIMIT_RANGE, PARAMETERS, Parameter, ParameterKind, Query, Sort, TEXT_PHRASES_MAX, TEXT_WORDS_MAX,
    parse_date,
};
use snapshot::record::Locale;

use crate::arguments::Arguments;
use crate::context::Context;
use crate::organizations;
use crate::reply::{json as quoted, shown};
use crate::vocabulary::{Reading, Vocabulary, is_code};

const QUERY_MAX: usize = 300;
/// Most values of a filter, and the longest in characters.
pub(crate) const ITEMS_MAX: usize = 20;
pub(crate) const ITEM_MAX: usize = 100;
const LIMIT_DEFAULT: u64 = 10;
pub(crate) const OFFSET_MAX: u64 = 10_000;
/// Most values of a question that are looked up by name; each lookup scans the vocabulary of its facet.
const LOOKED_UP_MAX: usize = 24;

pub(crate) const SORTS: [&str; 4] =
    ["relevance", Sort::Deadline.as_str(), Sort::Name.as_str(), Sort::Recent.as_str()];

const WORDS_CUT: &str = "Only the first 32 words and 8 phrases of the query were used.";
const NO_WORD: &str = "The query has no letter or digit to search for and was left out.";

/// Aliases: names that models use for arguments, and the arguments.
pub(crate) const ALIASES: [(&str, &str); 4] =
    [("q", "query"), ("text", "query"), ("open", "openOnly"), ("funded", "fundedOnly")];

/// The argument for a parameter of the REST interface, if there is one.
fn argument(parameter: &Parameter) -> Option<&'static str> {
    match parameter.kind {
        ParameterKind::Text => Some("query"),
        ParameterKind::Funded => Some("fundedOnly"),
        ParameterKind::Open => Some("openOnly"),
        ParameterKind::Lang | ParameterKind::Page | ParameterKind::Facets => None,
        _ => Some(parameter.name),
    }
}

/// The argument for the parameter of the REST interface with this name.
pub(crate) fn named(parameter: &'static str) -> &'static str {
    PARAMETERS.iter().find(|known| known.name == parameter).and_then(argument).unwrap_or(parameter)
}

/// Arguments of a search that are parameters of the REST interface.
pub(crate) fn arguments() -> impl Iterator<Item = &'static str> {
    PARAMETERS.iter().filter_map(argument)
}

/// A filter value that was replaced by the values it names, or that a client may have meant as another one.
pub(crate) struct InterpretedValue {
    pub(crate) argument: &'static str,
    /// The value as the client wrote it.
    pub(crate) given: String,
    pub(crate) values: Vec<String>,
    /// This project's own label of the value, where there is a single one that has a label.
    pub(crate) label: Option<&'static str>,
}

/// A question, read from arguments.
pub(crate) struct Question {
    pub(crate) query: Query,
    pub(crate) interpreted: Vec<InterpretedValue>,
    /// What of the text was not used.
    pub(crate) text_notice: Option<&'static str>,
}

/// Reads a question.
pub(crate) fn read(context: &Context<'_>, arguments: &Arguments<'_>) -> Result<Question, String> {
    let reader = Reader::read(context, arguments, LOOKED_UP_MAX);
    let hint = reader.hint();
    let Reader { mut pairs, interpreted, mut mistakes, .. } = reader;
    mistakes.extend(hint);
    let (query, invalid) = context.site.index.parse(&pairs.finish());
    let mut text_notice = None;
    for entry in &invalid {
        if entry.starts_with("q=") {
            text_notice = Some(if query.text.is_some() { WORDS_CUT } else { NO_WORD });
        } else {
            mistakes.push(format!("{} is not accepted.", quoted(&shown(entry))));
        }
    }
    const { assert!(TEXT_WORDS_MAX == 32 && TEXT_PHRASES_MAX == 8) };
    check_order(&query, &mut mistakes);
    if mistakes.is_empty() {
        Ok(Question { query: Query { no_facets: true, ..query }, interpreted, text_notice })
    } else {
        Err(mistakes.join(" "))
    }
}

/// The work of reading a question, in units of the search, and the query without the values that have to be
/// looked up.
pub(crate) fn price(context: &Context<'_>, arguments: &Arguments<'_>) -> (u64, Query) {
    let Reader { mut pairs, work, .. } = Reader::read(context, arguments, 0);
    let (query, _) = context.site.index.parse(&pairs.finish());
    (work, Query { no_facets: true, ..query })
}

struct Reader<'a> {
    context: &'a Context<'a>,
    arguments: &'a Arguments<'a>,
    locale: Locale,
    /// Number of values that may still be looked up.
    left: usize,
    /// The work of looking up those that may not, in units of the search.
    work: u64,
    pairs: Serializer<'static, String>,
    interpreted: Vec<InterpretedValue>,
    mistakes: Vec<String>,
    /// What is listed by `list_filter_options` and has unknown values, and the first such value of each.
    unknown: Vec<(&'static str, String)>,
}

impl<'a> Reader<'a> {
    fn read(context: &'a Context<'a>, arguments: &'a Arguments<'a>, left: usize) -> Self {
        let mut reader = Self {
            context,
            arguments,
            locale: arguments.locale().ok().flatten().unwrap_or_default(),
            left,
            work: 0,
            pairs: Serializer::new(String::new()),
            interpreted: Vec::new(),
            mistakes: Vec::new(),
            unknown: Vec::new(),
        };
        for parameter in PARAMETERS.iter() {
            let Some(name) = argument(parameter) else { continue };
            let read = match parameter.kind {
                ParameterKind::Values(facet) => reader.values(parameter.name, name, facet),
                ParameterKind::Organization => reader.organizations(name),
                kind => single(kind, name, arguments).map(|value| {
                    reader.pairs.extend_pairs(value.map(|value| (parameter.name, value)));
                }),
            };
            reader.mistakes.extend(read.err());
        }
        reader
    }

    fn values(&mut self, parameter: &str, argument: &'static str, facet: Facet) -> Result<(), String> {
        let vocabulary = Vocabulary { context: self.context, facet, locale: self.locale };
        for given in self.arguments.texts(argument, ITEMS_MAX, ITEM_MAX)? {
            if vocabulary.has(&given) {
                self.pairs.append_pair(parameter, &given);
                // `PA` is Panama, and Pennsylvania in addresses of the United States.
                if facet.spec().is_place && place::is_place(&format!("US-{given}")) {
                    let (values, label) = (vec![given.clone()], vocabulary.label(&given));
                    self.interpreted.push(InterpretedValue { argument, given, values, label });
                }
                continue;
            }
            if !self.may_look_up(argument, &given, || vocabulary.units(&given)) {
                continue;
            }
            match vocabulary.read(&given) {
                Reading::Resolved(values) => {
                    self.pairs.extend_pairs(values.iter().map(|value| (parameter, value)));
                    let label = values.first().filter(|_| values.len() == 1);
                    let label = label.and_then(|value| vocabulary.label(value));
                    self.interpreted.push(InterpretedValue { argument, given, values, label });
                }
                reading => {
                    self.mistakes.push(vocabulary.refuse(argument, &given, &reading));
                    if reading == Reading::Nothing {
                        self.add_unknown(facet.spec().name, given);
                    }
                }
            }
        }
        Ok(())
    }

    /// Organizations by their slugs, former slugs and names.
    fn organizations(&mut self, argument: &'static str) -> Result<(), String> {
        let context = self.context;
        let all = &context.site.index.organizations;
        for given in self.arguments.texts(argument, ITEMS_MAX, ITEM_MAX)? {
            if let Some(number) = all.named(&given) {
                let slug = all.slug(number);
                self.pairs.append_pair(argument, slug);
                if slug != given {
                    let values = vec![slug.to_owned()];
                    self.interpreted.push(InterpretedValue { argument, given, values, label: None });
                }
            } else if self.may_look_up(argument, &given, || organizations::units(context)) {
                self.mistakes.push(organizations::refuse(context, &given));
                self.add_unknown(organizations::LISTED, given);
            }
        }
        Ok(())
    }

    /// Whether one more value may be looked up among names; a mistake if not, and the units that it would take.
    fn may_look_up(&mut self, argument: &str, given: &str, units: impl FnOnce() -> u64) -> bool {
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        if !may {
            self.work += units();
            self.mistakes.push(format!("{argument} value {} was not looked up.", quoted(&shown(given))));
        }
        may
    }

    fn add_unknown(&mut self, listed: &'static str, given: String) {
        if !self.unknown.iter().any(|(known, _)| *known == listed) {
            self.unknown.push((listed, given));
        }
    }

    /// The call that lists the values of the facets with unknown values.
    fn hint(&self) -> Option<String> {
        let [(first, given), more @ ..] = &*self.unknown else { return None };
        let part = || given.chars().filter(|c| c.is_alphanumeric() || *c == ' ').take(3).collect::<String>();
        let more: Vec<&str> = more.iter().map(|(listed, _)| *listed).collect();
        let (name, values) = match more.is_empty() {
            true => ("q", quoted(part().trim())),
            false => ("facets", quoted(&more)),
        };
        let first = quoted(first);
        Some(format!("Live values: list_filter_options {{\"facet\":{first},\"{name}\":{values}}}."))
    }
}

/// The value of a parameter that takes a single one.
fn single(kind: ParameterKind, name: &str, arguments: &Arguments<'_>) -> Result<Option<String>, String> {
    Ok(match kind {
        ParameterKind::Text => arguments.text(name, QUERY_MAX)?.map(Into::into),
        ParameterKind::Least(_) | ParameterKind::Most(_) => {
            arguments.amount(name)?.map(|number| number.to_string())
        }
        ParameterKind::DeadlineFrom
        | ParameterKind::DeadlineTo
        | ParameterKind::UpdatedFrom
        | ParameterKind::UpdatedTo => match arguments.text(name, ITEM_MAX)? {
            Some(day) if parse_date(day.trim()).is_none() => {
                return Err(arguments.wrong(name, "a day that exists, written YYYY-MM-DD"));
            }
            day => day.map(|day| day.trim().to_owned()),
        },
        ParameterKind::Rolling | ParameterKind::Funded | ParameterKind::Open => {
            arguments.flag(name)?.map(|on| on.to_string())
        }
        ParameterKind::Locale => arguments.locale()?.map(|locale| locale.as_str().to_owned()),
        ParameterKind::Sort => {
            arguments.choice(name, &SORTS)?.filter(|sort| *sort != SORTS[0]).map(str::to_owned)
        }
        ParameterKind::Limit => {
            Some(arguments.integer(name, LIMIT_RANGE)?.unwrap_or(LIMIT_DEFAULT).to_string())
        }
        ParameterKind::Offset => arguments.integer(name, (0, OFFSET_MAX))?.map(|offset| offset.to_string()),
        // Those take several values, or are no arguments.
        _ => None,
    })
}

/// Reports empty ranges, which would give an answer without rows.
fn check_order(query: &Query, mistakes: &mut Vec<String>) {
    for (spec, bounds) in MEASURES.iter().zip(query.measures) {
        if let Some(Interval { min, max }) = bounds.filter(|bounds| bounds.min > bounds.max) {
            let [least, most] = spec.parameters;
            mistakes.push(format!("{least} {min} is greater than {most} {max}. Swap or drop one."));
        }
    }
    for (name, from, to) in [
        ("deadline", query.deadline_from, query.deadline_to),
        ("updated", query.updated_from, query.updated_to),
    ] {
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            mistakes.push(format!("{name}From is later than {name}To. Swap or drop one."));
        }
    }
}

/// Interpreted values as members of `understood`. Values that are texts of records are not repeated.
pub(crate) fn understood(interpreted: &[InterpretedValue]) -> Vec<Value> {
    let one = |item: &InterpretedValue| {
        let mut filter = json!({"parameter": item.argument});
        let codes: Vec<&str> = item.values.iter().map(String::as_str).filter(|it| is_code(it)).collect();
        if !codes.is_empty() {
            filter["value"] = codes.join(" ").into();
        }
        if let Some(label) = item.label {
            filter["label"] = label.into();
        }
        json!({"words": shown(&item.given), "filters": [filter]})
    };
    interpreted.iter().map(one).collect()
}
