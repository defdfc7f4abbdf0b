//! Template variables of a program's page.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use html::view::{Text, variables};
use html::{Rule, search_address};
use minijinja::{Value, context};
use snapshot::facet::{
    FACETS, Facet, FacetSpec, Measure, admits_others, admitted_values, applicants, detail_page_facets,
    eligibility, is_excluded_by_text, named_values, without_ages_served,
};
use snapshot::page::hole;
use snapshot::page::money::{AmountPhrases, stated};
use snapshot::record::{Cycle, Fact, Locale, Number, PROGRAM, Polarity, Program, Strength};
use snapshot::text::{without_comment, words_of};
use snapshot::time::{Day, Season, is_filler, observed_phrase};
use snapshot::truncate::at_word;

use super::award::AWARDS;
use super::blocks::is_spread;
use super::{ABOUT, SUMMARY, day, outside_address};
use crate::pages::Pages;

/// Characters by which each row of a table shortens the description, and its minimum length: pages have a byte
/// budget, and the Markdown page has the full text.
const ROW: usize = 150;
const LEAST: usize = 1000;

/// Maximum length of a statement on a page, in characters; the Markdown page has all of it.
const STATEMENT: usize = 400;

/// The same of a statement that is folded.
const FOLDED: usize = 160;

/// Characters by which a text is found in another.
const BEGINNING: usize = 60;

/// Most topics, and most applicants, that similar programs have one of.
const SIMILAR: usize = 2;

/// Number of a facet's values that a record's page shows before the rest is folded; fewer above the deadline, so
/// that a phone shows the deadline without scrolling.
const VALUES: usize = 12;
const WHO: usize = 5;

/// Values of notes that describe how the data was made.
const MAKING: [&str; 3] = ["assistance-listing", "framework", "funding-conversion"];

impl Pages<'_> {
    /// Placeholder for status and deadline of a program.
    pub(in crate::pages) fn when(&self, program: usize, locale: Locale) -> Value {
        let doc = self.numbers.doc_of[program] as usize;
        Value::from_safe_string(Rule::When.mark(doc, locale))
    }

    pub(super) fn each_fact(&self, program: usize) -> impl Iterator<Item = &Fact> {
        self.directory.program_links[program].facts.iter().map(|fact| &self.directory.facts[*fact])
    }

    pub(super) fn cycles(&self, program: usize) -> impl Iterator<Item = &Cycle> {
        self.directory.program_links[program].cycles.iter().map(|cycle| &self.directory.cycles[*cycle])
    }

    pub(in crate::pages) fn facts(&self, program: usize) -> Vec<&Fact> {
        self.each_fact(program).collect()
    }

    /// The observed lifecycle with the day of the observation, and a placeholder for how the dates differ from it.
    fn lifecycle(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let doc = self.numbers.doc_of[program] as usize;
        let label = self.label(Facet::Lifecycles, it.lifecycle.as_str(), locale);
        let on = it.lifecycle_observed_at().map(day);
        let last = self.cycles(program).filter_map(|cycle| cycle.deadline_on).max();
        let [checked, last] = [on, last].map(|date| date.map_or(Day::NONE, Day::new));
        let date = on.map(|date| self.templates.day(date, locale).text).unwrap_or_default();
        let key = observed_phrase(it.lifecycle, checked, last);
        let observed = self.phrase(locale, key, &[("lifecycle", &label), ("date", &date)]);
        context! { observed, differs => Value::from_safe_string(Rule::Differs.mark(doc, locale)) }
    }

    /// All variables of a program's page.
    pub(in crate::pages) fn program_view(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let links = &self.directory.program_links[program];
        let about = (it.entity(), self.language(it));
        let suffix = if locale == Locale::Es { "?locale=es" } else { "" };
        let doc = self.numbers.doc_of[program] as usize;
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        let summary = summary.map(without_comment);
        let text =
            self.directory.optional_text(it.entity(), locale, "description", it.description.as_deref());
        let lead = summary.filter(|lead| !text.is_some_and(|text| is_spread(lead, text)));
        let rows = links.cycles.len() + links.awards.len().min(AWARDS);
        let room = ABOUT.saturating_sub(rows * ROW).max(LEAST);
        let published = day(self.directory.dataset.published_at);
        let quoted = eligibility(self.directory, program, locale);
        context! {
            description => summary.map(|text| at_word(self.plain_summary(text), SUMMARY)),
            when => self.when(program, locale),
            state => Value::from_safe_string(Rule::WhenText.mark(doc, locale)),
            deadline => Value::from_safe_string(hole::Rule::NextDeadlineText.mark(doc)),
            record => self.record(PROGRAM, it, about, locale),
            about => self.lines(about, locale, ("description", it.description.as_deref()), (lead, room)),
            lead => lead.is_some(),
            lifecycle => self.lifecycle(program, locale),
            groups => self.groups(program, quoted.as_ref().map(|(text, _)| &**text), locale),
            eligibility => quoted.map(|(text, lang)| context! { text, lang }),
            measures => self.measures(program, locale),
            statements => self.statements(program, locale),
            seasons => self.seasons(program, locale),
            has_calendar => self.deadlines(program).any(|(_, deadline)| deadline >= published),
            opens => self.opens(program, locale),
            awards => self.awards(&links.awards, AWARDS, locale),
            awards_shown => self.shown(&links.awards, AWARDS, locale),
            awards_paid => self.paid(&links.awards, locale),
            history => self.history(program, locale),
            sources => self.sources(program, locale),
            similar => self.similar(program, locale),
            of_provider => search_address(locale, "", &[("organization", &self.organization_of(program).slug)]),
            json => format!("/api/v1/programs/{}{suffix}", it.slug),
            json_ld => self.program_json_ld(program, locale),
            ..variables(&self.view(program, locale))
        }
    }

    /// Address of a search for programs with a topic and an applicant of this one; of its type if it states neither.
    fn similar(&self, program: usize, locale: Locale) -> String {
        let (it, facts) = (&self.directory.programs[program], self.facts(program));
        let values = |facet: Facet| {
            let values = named_values(facet, it, &facts).into_iter().take(SIMILAR);
            values.map(move |value| (facet.spec().parameter, value))
        };
        let mut pairs: Vec<(&str, &str)> = values(Facet::Topics).chain(values(Facet::Applicants)).collect();
        if pairs.is_empty() {
            pairs.extend(values(Facet::Types));
        }
        search_address(locale, "", &pairs)
    }

    /// Measures stated by facts, such as the age of applicants and duration, by name, each with its values. The words of
    /// the source follow a duration: it may be that of projects that were funded before. Where they bound it, they stand alone.
    fn measures(&self, program: usize, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let facts = without_ages_served(&self.facts(program));
        let mut seen = BTreeSet::new();
        let of = |fact: &Fact| {
            let measure = Measure::of_kind(&fact.kind)?;
            let unit = measure.spec().unit()?.word(fact)?;
            let number = |it: Option<Number>| it.map(|it| it.to_string());
            let range = self.range(number(fact.min), number(fact.max), locale)?;
            let is_one = fact.min.is_none_or(|min| min.0 == 1.0) && fact.max.is_some_and(|max| max.0 == 1.0);
            let unit = self.word(locale, &if is_one { format!("{unit}_one") } else { unit });
            let (name, text) = (format!("program_{}", fact.kind), format!("{range} {unit}"));
            let words = fact.text.as_deref().filter(|_| measure == Measure::Duration);
            let about = (fact.entity(), self.language(it));
            let words = words.map(|words| self.text_of(about, locale, "text", words));
            let quote = words.as_ref().and_then(|words| {
                let quote = with_number(&words.text, fact.max?);
                let is_more = words_of(quote.unwrap_or(&words.text)).len() > words_of(&text).len();
                is_more.then_some((quote, words))
            });
            let bounds = |(quote, _): (Option<&str>, _)| Some(is_bounded(quote?, fact.max?));
            let stated = Some(text.clone()).filter(|_| !quote.and_then(bounds).unwrap_or_default());
            let quote = quote.map(|(quote, Text { text, lang })| {
                context! { text => at_word(quote.unwrap_or(text), FOLDED), lang }
            });
            seen.insert((name.clone(), text)).then(|| context! { name, text => stated, quote })
        };
        facts.into_iter().filter(|fact| fact.polarity == Polarity::Include).filter_map(of).collect()
    }

    /// The text of a fact, at most so many characters of it.
    fn fact_text(&self, fact: &Fact, program: &Program, most: usize, locale: Locale) -> Value {
        let (of, stated) = (fact.entity(), fact.text.as_deref().unwrap_or_default());
        let placeholder = stated.parse().ok().filter(|date| is_filler(*date, day(fact.updated_at)));
        let placeholder = placeholder.map(|date| self.templates.day(date, locale).text);
        let whole = match placeholder.filter(|_| fact.is_deadline()) {
            Some(date) => self.phrase(locale, "deadline_filler", &[("date", &date)]),
            None => {
                percentage(fact).unwrap_or_else(|| self.directory.text(of, locale, "text", stated).to_owned())
            }
        };
        let text = at_word(&whole, most);
        let is_cut = text != whole;
        context! { text, is_cut, whole => &whole, lang => self.foreign((of, self.language(program)), locale, "text") }
    }

    /// The values of each facet: those of applicants, then others. Career stages and levels of education that are no
    /// applicants' are shown where the record does not state whom it is meant for.
    fn groups(&self, program: usize, quoted: Option<&str>, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let facts = self.facts(program);
        let stated = applicants(it, &facts);
        let meant = named_values(Facet::Audiences, it, &facts);
        let is_rest = |spec: &FacetSpec| {
            let is_stated = stated.iter().any(|(of, _)| of.facet == spec.facet);
            !spec.is_eligibility
                || spec.facet == Facet::Audiences
                || meant.is_empty() && !spec.is_place && !is_stated
        };
        let place_words = |spec: &FacetSpec| self.place_words(spec, program, quoted, locale);
        let group = |spec: &FacetSpec, values: &[&str], eligibility: bool| {
            let link = |value: &&str| {
                let link = self.facet_link(program, spec, value, locale);
                let scope = eligibility.then(|| self.scope(program, spec, value, locale)).flatten();
                scope.map_or(link.clone(), |scope| context! { scope => variables(&scope), ..link })
            };
            let mut items: Vec<Value> = values.iter().map(link).collect();
            let more = items.split_off(items.len().min(if eligibility { WHO } else { VALUES }));
            let count = more.len().to_string();
            let has_others = admits_others(spec, &facts);
            // A state is no country.
            let is_part = spec.facet == Facet::Countries && values.iter().all(|it| it.contains('-'));
            let has_words = eligibility && spec.is_place && !is_part;
            let name = if is_part { "line_place".to_owned() } else { format!("facet_{}", spec.name) };
            let name = self.word(locale, &name);
            let is_mentioned = !eligibility && spec.is_eligibility && spec.facet != Facet::Audiences;
            (!items.is_empty()).then(|| {
                context! {
                    items, more,
                    more_text => self.phrase(locale, "more", &[("n", &count)]),
                    eligibility,
                    is_place => spec.is_place,
                    quote => Some(spec).filter(|_| has_words).and_then(place_words).map(|it| variables(&it)),
                    others => has_others.then(|| self.word(locale, "citizens_others")),
                    name => if is_mentioned { self.phrase(locale, "mentioned", &[("name", name)]) } else { name.to_owned() },
                }
            })
        };
        let rest = detail_page_facets().filter(|spec| is_rest(spec));
        // Sources name one thing as topic and field, or as benefit and form of payment.
        let mut seen = BTreeSet::new();
        let rest = rest.filter_map(|spec| {
            let mut values = admitted_values(spec.facet, it, &facts);
            let label = |value| words_of(&self.stated_label(spec.facet, value, Locale::En));
            values.retain(|value| spec.is_eligibility || seen.insert(label(value)));
            group(spec, &values, false)
        });
        stated.iter().filter_map(|(spec, values)| group(spec, values, true)).chain(rest).collect()
    }

    /// Whom the source's term of an applicant includes or excludes: the parentheses behind its label.
    fn scope(&self, program: usize, spec: &FacetSpec, value: &str, locale: Locale) -> Option<Text> {
        let fact = self.fact_of(program, spec, value).filter(|fact| has_scope(fact))?;
        let about = (fact.entity(), self.language(&self.directory.programs[program]));
        let Text { text, lang } = self.text_of(about, locale, "text", fact.text.as_deref()?);
        let scope = text.split_once('(').map_or(&*text, |(_, scope)| scope.trim_end_matches(')'));
        Some(Text { text: scope.to_owned(), lang })
    }

    /// What the source writes of a place of applicants, where the `quoted` words of who can apply do not have it: a place may be
    /// narrower, or that of the projects.
    pub(super) fn place_words(
        &self,
        spec: &FacetSpec,
        program: usize,
        quoted: Option<&str>,
        locale: Locale,
    ) -> Option<Text> {
        let facts = self.facts(program);
        let mut stated = facts.iter().filter(|fact| spec.is_fed_by(&fact.kind) && fact.text.is_some());
        let fact = stated.next().filter(|first| stated.all(|other| other.text == first.text))?;
        let about = (fact.entity(), self.language(&self.directory.programs[program]));
        let Text { text, lang } = self.text_of(about, locale, "text", fact.text.as_deref()?);
        // `concurso nacional (Chile)` stands beside the place.
        let beside = |label: &str| text.strip_suffix(&format!(" ({label})")).map(str::to_owned);
        let text = fact.label.as_deref().and_then(beside).unwrap_or(text);
        let start = at_word(&text, BEGINNING);
        let start = start.trim_end_matches('\u{2026}');
        let is_quoted = quoted.is_some_and(|it| it.contains(start));
        (!is_quoted).then(|| Text { text: at_word(&text, FOLDED).into_owned(), lang })
    }

    /// Facts that are more than a value: with a text or an amount, exclusions and preferences; and of each whether it
    /// is the making of the data: the source's words behind a value that the page shows, or a note with a code.
    fn statements(&self, program: usize, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let facts = self.facts(program);
        let quoted = stated(it, &facts).unwrap_or_default();
        let of = |(spec, values): (&'static FacetSpec, Vec<&str>)| {
            values.into_iter().filter_map(|value| self.fact_of(program, spec, value)).collect::<Vec<_>>()
        };
        let of_applicants: Vec<&Fact> = applicants(it, &facts).into_iter().flat_map(of).collect();
        let mut seen = BTreeSet::new();
        let statements = facts.iter().copied().filter(|fact| {
            let is_more = fact.text.is_some()
                || fact.amount.is_some()
                || fact.polarity == Polarity::Exclude
                || fact.strength == Strength::Preferred;
            let amount = fact.amount.map(|it| it.to_string());
            is_more && seen.insert((&fact.kind, &fact.value, &fact.label, &fact.text, amount))
        });
        let view = |fact: &Fact| {
            let facet = FACETS.iter().find(|spec| spec.is_fed_by(&fact.kind));
            let label = match (facet, &fact.value) {
                (Some(spec), Some(value)) => {
                    let (text, lang) = self.label_of(program, spec, value, locale);
                    Some(context! { kind => (), text, lang })
                }
                _ if Measure::of_kind(&fact.kind).is_some() => {
                    let text = self.word(locale, &format!("program_{}", fact.kind));
                    Some(context! { kind => (), text, lang => () })
                }
                _ => self.note_label(fact, locale).map(|it| {
                    context! { kind => it.kind, text => it.text, lang => it.language }
                }),
            };
            let by_text = is_excluded_by_text(fact, it, &facts);
            let is_excluded = by_text || fact.polarity == Polarity::Exclude;
            let is_preferred = !is_excluded && fact.strength == Strength::Preferred;
            let is_note =
                fact.kind == "note" && !fact.value.as_deref().is_some_and(|it| MAKING.contains(&it));
            let is_statement = is_note || is_excluded || is_preferred || fact.amount.is_some();
            let is_making = !is_statement && !is_term(fact, quoted);
            // It stands with the applicant.
            let is_scope = has_scope(fact) && of_applicants.iter().any(|it| it.id == fact.id);
            context! {
                label, is_making, is_scope, is_excluded, is_preferred,
                amount => self.stated_amount(fact, locale),
                // What excludes it is quoted at the top.
                text => fact.text.as_deref().filter(|text| !by_text && !is_conversion(fact, text)).map(|_| {
                    self.fact_text(fact, it, if is_making { FOLDED } else { STATEMENT }, locale)
                }),
            }
        };
        statements.map(view).collect()
    }

    /// The amount of a fact, with its currency if it has one.
    fn stated_amount(&self, fact: &Fact, locale: Locale) -> Option<String> {
        let amount = fact.amount?;
        let word = |key: &str| self.word(locale, key);
        Some(match fact.currency.as_deref() {
            Some(currency) => AmountPhrases { locale, word: &word }.amount(amount.0, currency),
            None => amount.to_string(),
        })
    }

    /// The latest season with an opening day or a deadline.
    fn latest_season(&self, program: usize) -> Option<&Cycle> {
        let day = |it: &Cycle| it.deadline_on.or(it.opens_on);
        self.cycles(program).filter(|it| day(it).is_some()).min_by_key(|it| Reverse(day(it)))
    }

    /// From when the latest season takes applications; or a season that would open after its deadline.
    fn opens(&self, program: usize, locale: Locale) -> Option<String> {
        let mut reversed = self.cycles(program).filter_map(|cycle| cycle.opens_on.zip(cycle.deadline_on));
        if let Some((opens, deadline)) = reversed.find(|(opens, deadline)| opens > deadline) {
            let [opens, deadline] = [opens, deadline].map(|date| self.templates.day(date, locale).text);
            return Some(self.phrase(
                locale,
                "program_days_reversed",
                &[("opens", &opens), ("deadline", &deadline)],
            ));
        }
        let date = self.templates.day(self.latest_season(program)?.opens_on?, locale).text;
        Some(self.phrase(locale, "program_opens_on", &[("date", &date)]))
    }

    /// The seasons, newest first by their days, else by the year in their names.
    fn seasons(&self, program: usize, locale: Locale) -> Vec<Value> {
        let language = self.language(&self.directory.programs[program]);
        let mut cycles = self.directory.program_links[program].cycles.clone();
        cycles.sort_by_key(|cycle| {
            let it = &self.directory.cycles[*cycle];
            let stated = it.deadline_on.or(it.opens_on).map(Day::new);
            Reverse(stated.unwrap_or(Season::of(it).named))
        });
        let view = |cycle: &usize| {
            let it = &self.directory.cycles[*cycle];
            let number = self.numbers.cycle[*cycle] as usize;
            let days: Vec<Option<Value>> = [it.opens_on, it.deadline_on, it.decision_on, it.starts_on]
                .map(|date| date.map(|date| self.date(date, locale)))
                .into();
            let filler = it.deadline_on.filter(|deadline| is_filler(*deadline, day(it.updated_at)));
            let filler = filler.map(|date| self.templates.day(date, locale).text);
            context! {
                label => self.text((it.entity(), language), locale, "label", &it.label),
                href => outside_address(it.application_url.as_deref()),
                status => Value::from_safe_string(Rule::Status.mark(number, locale)),
                days,
                filler => filler.map(|date| self.phrase(locale, "deadline_filler", &[("date", &date)])),
            }
        };
        cycles.iter().map(view).collect()
    }

    fn history(&self, program: usize, locale: Locale) -> Vec<Value> {
        let view = |transition: &usize| {
            let it = &self.directory.transitions[*transition];
            context! {
                day => self.date(day(it.observed_at), locale),
                text => self.label(Facet::Lifecycles, it.to_lifecycle.as_str(), locale),
                reason => it.reason.as_deref().filter(|_| locale == self.directory.dataset.language()),
            }
        };
        self.directory.program_links[program].transitions.iter().map(view).collect()
    }

    fn sources(&self, program: usize, locale: Locale) -> Vec<Value> {
        let view = |source: &usize| {
            let it = &self.directory.sources[*source];
            let title = it.title.as_deref().or(it.url.as_deref()).unwrap_or(&it.kind);
            context! {
                title,
                href => outside_address(it.url.as_deref()),
                publisher => it.publisher.as_deref(),
                day => self.date(day(it.source_checked_at.unwrap_or(it.retrieved_at)), locale),
            }
        };
        self.directory.program_links[program].sources.iter().map(view).collect()
    }
}

/// Whether a fact states a condition of how a program pays, such as the share that an applicant pays, with a number that the
/// quoted amount does not have.
fn is_term(fact: &Fact, quoted: &str) -> bool {
    let has_number = |text: &&str| text.contains(|c: char| c.is_ascii_digit()) && !quoted.contains(*text);
    Facet::FundingShapes.spec().is_fed_by(&fact.kind) && fact.text.as_deref().filter(has_number).is_some()
}

/// The share of a way of paying that is stated as a fraction of two digits: `0.25`. What a bare `1` counts is not stated.
fn percentage(fact: &Fact) -> Option<String> {
    let digits = fact
        .text
        .as_deref()?
        .strip_prefix("0.")
        .filter(|_| Facet::FundingShapes.spec().is_fed_by(&fact.kind))?;
    let share: u32 = format!("{digits:0<2}").parse().ok().filter(|share| (1..100).contains(share))?;
    (digits.len() <= 2).then(|| format!("{share}\u{a0}%"))
}

/// Whether a fact's short term is its label, or a part of it, with parentheses behind it; the last one may be missing.
fn has_scope(fact: &Fact) -> bool {
    let (Some(term), Some(label)) = (fact.text.as_deref(), fact.label.as_deref()) else { return false };
    let Some((name, inner)) = term.split_once(" (").filter(|_| term.len() <= FOLDED) else { return false };
    let is_label = !label.contains('(') && (label.starts_with(name) || name.starts_with(label));
    is_label && !inner.trim_end_matches(')').contains(['(', ')', ';'])
}

/// The part of a text that has a number. The parts of a list are quotations of their own, and the first one may begin within
/// a number.
fn with_number(text: &str, number: Number) -> Option<&str> {
    let number = number.to_string();
    let mut parts = text.split([';', '+', ':', '(', ')']);
    let has_number =
        |part: &&str| part.split(|c: char| !c.is_ascii_digit() && c != ',').any(|it| it == number);
    parts.find(has_number).map(str::trim)
}

/// Whether a number is the greatest in a text: `up to 3`, `3 of 5`.
fn is_bounded(text: &str, number: Number) -> bool {
    let (words, number) = (words_of(text), number.to_string());
    words.windows(2).any(|two| ["to", "of", "hasta"].contains(&&*two[0]) && two[1] == number)
}

/// Whether a text only states how the amount of its fact was converted.
fn is_conversion(fact: &Fact, text: &str) -> bool {
    let stated = fact.amount.zip(fact.currency);
    stated.is_some_and(|(amount, currency)| text.starts_with(&format!("{amount} {currency} at ")))
}
