//! Template variables of a program's page.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Deref;

use dataset::day_of;
use dataset::text::slug_of;
use html::Rule;
use html::view::{Text, variables};
use jiff::Timestamp;
use jiff::civil::Date;
use minijinja::{Value, context};
use snapshot::facet::{
    FACETS, Facet, FacetSpec, Measure, admits_others, admitted_values, detail_page_facets,
    is_excluded_by_text, named_values, without_ages_served,
};
use snapshot::page::findings::Findings;
use snapshot::page::hole;
use snapshot::record::{
    Cycle, EntityRef, Fact, Locale, Number, PROGRAM, Polarity, Program, ProgramLinks, Strength,
};
use snapshot::text::{without_comment, words_of};
use snapshot::time::{Day, Season, is_filler, observed_phrase};
use snapshot::truncate::at_word;

use super::blocks::is_spread;
use super::organization::AWARDS;
use super::{ABOUT, SUMMARY, outside_address};
use crate::pages::Local;

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

/// A program in the language of a page.
pub(in crate::pages) struct ProgramPage<'a> {
    local: Local<'a>,
    pub(in crate::pages) number: usize,
    /// Its number in the search index.
    pub(in crate::pages) doc: u32,
    pub(in crate::pages) it: &'a Program,
    pub(in crate::pages) links: &'a ProgramLinks,
    pub(in crate::pages) facts: Vec<&'a Fact>,
    pub(super) findings: &'a Findings<'a>,
    /// Who can apply in the words of the source, and their language if that is not the page's.
    pub(super) quoted: Option<&'a (String, Option<&'a str>)>,
    /// The language of the record.
    pub(super) language: &'a str,
    pub(in crate::pages) summary: Option<&'a str>,
    pub(super) text: Option<&'a str>,
}

impl<'a> Deref for ProgramPage<'a> {
    type Target = Local<'a>;

    fn deref(&self) -> &Local<'a> {
        &self.local
    }
}

impl<'a> Local<'a> {
    /// A program by its number.
    pub(in crate::pages) fn program(self, number: usize) -> ProgramPage<'a> {
        let (directory, findings) = (self.directory, &self.pages.findings[number]);
        let (it, links) = (&directory.programs[number], &directory.program_links[number]);
        let facts = links.facts.iter().map(|fact| &directory.facts[*fact]).collect();
        let text = |field, original| directory.translation(it.entity(), self.locale, field).or(original);
        ProgramPage {
            local: self,
            number,
            doc: self.numbers.doc_of[number],
            it,
            links,
            facts,
            findings,
            quoted: findings.eligibility[self.locale as usize].as_ref(),
            language: it.language.as_deref().unwrap_or(self.default_language()),
            summary: text("summary", it.summary.as_deref()),
            text: text("description", it.description.as_deref()),
        }
    }
}

impl<'a> ProgramPage<'a> {
    /// The record, and its language.
    pub(in crate::pages) fn about(&self) -> (EntityRef, &'a str) {
        (self.it.entity(), self.language)
    }

    /// A text of one of its facts.
    pub(super) fn of_fact(&self, fact: &Fact, text: &str) -> Text {
        self.text((fact.entity(), self.language), "text", text)
    }

    pub(super) fn cycles(&self) -> impl Iterator<Item = &'a Cycle> {
        self.links.cycles.iter().map(|cycle| &self.directory.cycles[*cycle])
    }

    /// A link to the search for a facet value, in the words of the program.
    fn facet_link(&self, spec: &FacetSpec, value: &str) -> Value {
        let link = |(text, lang): (String, Option<&str>)| {
            context! { href => self.search(&[(spec.parameter, value)]), text, lang }
        };
        if let Some(own) = self.own_label(spec, value) {
            return link((own, None));
        }
        let links = &self.cache.links[self.locale as usize];
        self.once(links, (spec.facet, value), || link(self.spoken_label(spec.facet, value)))
    }

    /// What the program calls a facet value where other programs call it otherwise: in the language of the page, or the
    /// word for it.
    fn own_label(&self, spec: &FacetSpec, value: &str) -> Option<String> {
        let fact = self.fact_of(spec, value)?;
        let stated =
            fact.label.as_deref().filter(|it| *it != self.stated_label(spec.facet, value, Locale::En))?;
        let label = self.directory.text(fact.entity(), self.locale, "label", stated);
        if label != stated || self.language == self.locale.as_str() {
            return Some(label.to_owned());
        }
        let word = self.word(&format!("value_{}", slug_of(stated)));
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// The first fact that states a facet value, unless it is a place.
    fn fact_of(&self, spec: &FacetSpec, value: &str) -> Option<&'a Fact> {
        let is_of = |fact: &&Fact| spec.is_fed_by(&fact.kind) && fact.value.as_deref() == Some(value);
        self.facts.iter().copied().filter(|_| !spec.is_place).find(is_of)
    }

    /// What the page calls a facet value, and the language of that if it is another one.
    pub(super) fn label_of(&self, spec: &FacetSpec, value: &str) -> (String, Option<&'static str>) {
        let own = self.own_label(spec, value);
        own.map_or_else(|| self.spoken_label(spec.facet, value), |own| (own, None))
    }

    /// The observed lifecycle with the day of the observation, and a placeholder for how the dates differ from it.
    fn lifecycle(&self) -> Value {
        let label = self.label(Facet::Lifecycles, self.it.lifecycle.as_str());
        let on = self.it.lifecycle_observed_at().map(day_of);
        let last = self.cycles().filter_map(|cycle| cycle.deadline_on).max();
        let [checked, last] = [on, last].map(|date| date.map_or(Day::NONE, Day::new));
        let date = on.map(|date| self.day(date).text).unwrap_or_default();
        let key = observed_phrase(self.it.lifecycle, checked, last);
        let observed = self.phrase(key, &[("lifecycle", &label), ("date", &date)]);
        context! { observed, differs => self.hole(Rule::Differs, self.doc) }
    }

    /// All variables of a program's page.
    pub(in crate::pages) fn page(&self) -> Value {
        let (it, links, about) = (self.it, self.links, self.about());
        let suffix = if self.locale == Locale::Es { "?locale=es" } else { "" };
        let summary = self.summary.map(without_comment);
        let lead = summary.filter(|lead| !self.text.is_some_and(|text| is_spread(lead, text)));
        let rows = links.cycles.len() + links.awards.len().min(AWARDS);
        let room = ABOUT.saturating_sub(rows * ROW).max(LEAST);
        let published = day_of(self.directory.dataset.published_at);
        context! {
            description => summary.map(|text| at_word(self.plain_summary(text), SUMMARY)),
            when => self.hole(Rule::When, self.doc),
            state => self.hole(Rule::WhenText, self.doc),
            deadline => Value::from_safe_string(hole::Rule::NextDeadlineText.mark(self.doc as usize)),
            record => self.record(PROGRAM, it, about),
            about => self.lines(about, ("description", it.description.as_deref()), (lead, room)),
            lead => lead.is_some(),
            lifecycle => self.lifecycle(),
            groups => self.groups(),
            eligibility => self.quoted.map(|(text, lang)| context! { text, lang }),
            measures => self.measures(),
            statements => self.statements(),
            seasons => self.seasons(),
            has_calendar => self.deadlines().any(|(_, deadline)| deadline >= published),
            opens => self.opens(),
            awards => self.awards(&links.awards, AWARDS),
            awards_shown => self.shown(&links.awards, AWARDS),
            awards_paid => self.paid(&links.awards),
            history => self.history(),
            sources => self.sources(),
            similar => self.similar(),
            of_provider => self.search(&[("organization", &self.organization_of(self.number).slug)]),
            json => format!("/api/v1/programs/{}{suffix}", it.slug),
            json_ld => self.json_ld(),
            ..variables(&self.view())
        }
    }

    /// Address of a search for programs with a topic of this one; of its applicants, else of its type, if it states none. An
    /// applicant beside the topic would leave out most of what is open: few of those records state one.
    fn similar(&self) -> String {
        let values = |facet: Facet| {
            let values = named_values(facet, self.it, &self.facts).into_iter().take(SIMILAR);
            values.map(|value| (facet.spec().parameter, value)).collect::<Vec<_>>()
        };
        let facets = [Facet::Topics, Facet::Applicants, Facet::Types];
        self.search(&facets.map(values).into_iter().find(|pairs| !pairs.is_empty()).unwrap_or_default())
    }

    /// Measures stated by facts, such as the age of applicants and duration, by name, each with its values. The words of
    /// the source follow a duration: it may be that of projects that were funded before. Where they bound it, they stand alone.
    fn measures(&self) -> Vec<Value> {
        let facts = without_ages_served(&self.facts);
        let mut seen = BTreeSet::new();
        let of = |fact: &Fact| {
            let measure = Measure::of_kind(&fact.kind)?;
            let unit = measure.spec().unit()?.word(fact)?;
            let number = |it: Option<Number>| it.map(|it| it.to_string());
            let range = self.range(number(fact.min), number(fact.max))?;
            let is_one = fact.min.is_none_or(|min| min.0 == 1.0) && fact.max.is_some_and(|max| max.0 == 1.0);
            let unit = self.word(&if is_one { format!("{unit}_one") } else { unit });
            let (name, text) = (format!("program_{}", fact.kind), format!("{range} {unit}"));
            let words = fact.text.as_deref().filter(|_| measure == Measure::Duration);
            let words = words.map(|words| self.of_fact(fact, words));
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

    /// What stands for a day that means no deadline.
    fn filler(&self, date: Date, updated: Timestamp) -> Option<String> {
        let words = || self.phrase("deadline_filler", &[("date", &self.day(date).text)]);
        is_filler(date, day_of(updated)).then(words)
    }

    /// The text of a fact, at most so many characters of it.
    fn fact_text(&self, fact: &Fact, most: usize) -> Value {
        let stated = fact.text.as_deref().unwrap_or_default();
        let date = stated.parse().ok().filter(|_| fact.is_deadline());
        let filler = date.and_then(|date| self.filler(date, fact.updated_at));
        let whole = filler.or_else(|| percentage(fact)).unwrap_or_else(|| self.of_fact(fact, stated).text);
        let text = at_word(&whole, most);
        let is_cut = text != whole;
        context! { text, is_cut, whole => &whole, lang => self.foreign((fact.entity(), self.language), "text") }
    }

    /// The values of each facet: those of applicants, then others. Career stages and levels of education that are no
    /// applicants' are shown where the record does not state whom it is meant for.
    fn groups(&self) -> Vec<Value> {
        let stated = &self.findings.applicants;
        let meant = named_values(Facet::Audiences, self.it, &self.facts);
        let is_rest = |spec: &FacetSpec| {
            let is_stated = stated.iter().any(|(of, _)| of.facet == spec.facet);
            !spec.is_eligibility
                || spec.facet == Facet::Audiences
                || meant.is_empty() && !spec.is_place && !is_stated
        };
        let group = |spec: &FacetSpec, values: &[&str], eligibility: bool| {
            let link = |value: &&str| {
                let link = self.facet_link(spec, value);
                let scope = eligibility.then(|| self.scope(spec, value)).flatten();
                scope.map_or(link.clone(), |scope| context! { scope => variables(&scope), ..link })
            };
            let mut items: Vec<Value> = values.iter().map(link).collect();
            let more = items.split_off(items.len().min(if eligibility { WHO } else { VALUES }));
            let count = more.len().to_string();
            // A state is no country.
            let is_part = spec.facet == Facet::Countries && values.iter().all(|it| it.contains('-'));
            let has_words = eligibility && spec.is_place && !is_part;
            let name = if is_part { "line_place".to_owned() } else { format!("facet_{}", spec.name) };
            let name = self.word(&name);
            let is_mentioned = !eligibility && spec.is_eligibility && spec.facet != Facet::Audiences;
            (!items.is_empty()).then(|| {
                context! {
                    items, more,
                    more_text => self.phrase("more", &[("n", &count)]),
                    eligibility,
                    is_place => spec.is_place,
                    quote => Some(spec).filter(|_| has_words).and_then(|spec| self.place_words(spec)).map(|it| variables(&it)),
                    others => admits_others(spec, &self.facts).then(|| self.word("citizens_others")),
                    name => if is_mentioned { self.phrase("mentioned", &[("name", name)]) } else { name.to_owned() },
                }
            })
        };
        let rest = detail_page_facets().filter(|spec| is_rest(spec));
        // Sources name one thing as topic and field, or as benefit and form of payment.
        let mut seen = BTreeSet::new();
        let rest = rest.filter_map(|spec| {
            let mut values = admitted_values(spec.facet, self.it, &self.facts);
            let label = |value| words_of(&self.stated_label(spec.facet, value, Locale::En)).into();
            let words = |value| self.once(&self.cache.words, (spec.facet, value), || label(value));
            values.retain(|value| spec.is_eligibility || seen.insert(words(value)));
            group(spec, &values, false)
        });
        stated.iter().filter_map(|(spec, values)| group(spec, values, true)).chain(rest).collect()
    }

    /// Whom the source's term of an applicant includes or excludes: the parentheses behind its label.
    fn scope(&self, spec: &FacetSpec, value: &str) -> Option<Text> {
        let fact = self.fact_of(spec, value).filter(|fact| has_scope(fact))?;
        let Text { text, lang } = self.of_fact(fact, fact.text.as_deref()?);
        let scope = text.split_once('(').map_or(&*text, |(_, scope)| scope.trim_end_matches(')'));
        Some(Text { text: scope.to_owned(), lang })
    }

    /// What the source writes of a place of applicants, where the quoted words of who can apply do not have it: a place may be
    /// narrower, or that of the projects.
    pub(super) fn place_words(&self, spec: &FacetSpec) -> Option<Text> {
        let mut stated = self.facts.iter().filter(|fact| spec.is_fed_by(&fact.kind) && fact.text.is_some());
        let fact = stated.next().filter(|first| stated.all(|other| other.text == first.text))?;
        let Text { text, lang } = self.of_fact(fact, fact.text.as_deref()?);
        // `concurso nacional (Chile)` stands beside the place.
        let beside = |label: &str| text.strip_suffix(&format!(" ({label})")).map(str::to_owned);
        let text = fact.label.as_deref().and_then(beside).unwrap_or(text);
        let start = at_word(&text, BEGINNING);
        let start = start.trim_end_matches('\u{2026}');
        let is_quoted = self.quoted.is_some_and(|(text, _)| text.contains(start));
        (!is_quoted).then(|| Text { text: at_word(&text, FOLDED).into_owned(), lang })
    }

    /// Facts that are more than a value: with a text or an amount, exclusions and preferences; and of each whether it
    /// is the making of the data: the source's words behind a value that the page shows, or a note with a code.
    fn statements(&self) -> Vec<Value> {
        let quoted = self.findings.pays.unwrap_or_default();
        // It stands with the applicant.
        let is_scope = |fact: &Fact| {
            let is_its = |value: &&str, spec| self.fact_of(spec, value).is_some_and(|it| it.id == fact.id);
            let mut applicants = self.findings.applicants.iter();
            has_scope(fact) && applicants.any(|(spec, values)| values.iter().any(|it| is_its(it, spec)))
        };
        let mut seen = BTreeSet::new();
        let statements = self.facts.iter().copied().filter(|fact| {
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
                    let (text, lang) = self.label_of(spec, value);
                    Some((None, text.into(), lang))
                }
                _ if Measure::of_kind(&fact.kind).is_some() => {
                    Some((None, self.word(&format!("program_{}", fact.kind)).into(), None))
                }
                _ => self.note_label(fact),
            };
            let label = label.map(|(kind, text, lang)| context! { kind, text, lang });
            let by_text = is_excluded_by_text(fact, self.it, &self.facts);
            let is_excluded = by_text || fact.polarity == Polarity::Exclude;
            let is_preferred = !is_excluded && fact.strength == Strength::Preferred;
            let is_note =
                fact.kind == "note" && !fact.value.as_deref().is_some_and(|it| MAKING.contains(&it));
            let is_statement = is_note || is_excluded || is_preferred || fact.amount.is_some();
            let is_making = !is_statement && !is_term(fact, quoted);
            context! {
                label, is_making, is_excluded, is_preferred,
                is_scope => is_scope(fact),
                amount => fact.amount.map(|amount| match fact.currency.as_deref() {
                    Some(currency) => self.money(amount, currency),
                    None => amount.to_string(),
                }),
                // What excludes it is quoted at the top.
                text => fact.text.as_deref().filter(|text| !by_text && !is_conversion(fact, text)).map(|_| {
                    self.fact_text(fact, if is_making { FOLDED } else { STATEMENT })
                }),
            }
        };
        statements.map(view).collect()
    }

    /// From when the latest season takes applications; or a season that would open after its deadline.
    fn opens(&self) -> Option<String> {
        let mut reversed = self.cycles().filter_map(|cycle| cycle.opens_on.zip(cycle.deadline_on));
        if let Some((opens, deadline)) = reversed.find(|(opens, deadline)| opens > deadline) {
            let [opens, deadline] = [opens, deadline].map(|date| self.day(date).text);
            return Some(self.phrase("program_days_reversed", &[("opens", &opens), ("deadline", &deadline)]));
        }
        let day = |it: &&Cycle| it.deadline_on.or(it.opens_on);
        let latest = self.cycles().filter(|it| day(it).is_some()).min_by_key(|it| Reverse(day(it)))?;
        let date = self.day(latest.opens_on?).text;
        // Which season it is, if the status may be that of one without days.
        let deadline = latest.deadline_on.filter(|_| self.cycles().any(|it| day(&it).is_none()));
        let Some(deadline) = deadline else {
            return Some(self.phrase("program_opens_on", &[("date", &date)]));
        };
        let deadline = self.day(deadline).text;
        Some(self.phrase("program_open_between", &[("date", &date), ("deadline", &deadline)]))
    }

    /// The seasons, newest first by their days, else by the year in their names.
    fn seasons(&self) -> Vec<Value> {
        let mut cycles = self.links.cycles.clone();
        cycles.sort_by_key(|cycle| {
            let it = &self.directory.cycles[*cycle];
            let stated = it.deadline_on.or(it.opens_on).map(Day::new);
            Reverse(stated.unwrap_or(Season::of(it).named))
        });
        let view = |cycle: &usize| {
            let it = &self.directory.cycles[*cycle];
            let number = self.numbers.cycle[*cycle];
            let label = self.text((it.entity(), self.language), "label", &it.label);
            let days: Vec<Option<Value>> = [it.opens_on, it.deadline_on, it.decision_on, it.starts_on]
                .map(|date| date.map(|date| self.date(date)))
                .into();
            context! {
                label => variables(&self.as_day(&label.text).map_or(label, |text| Text { text, lang: None })),
                href => outside_address(it.application_url.as_deref()),
                status => self.hole(Rule::Status, number),
                days,
                filler => it.deadline_on.and_then(|date| self.filler(date, it.updated_at)),
            }
        };
        cycles.iter().map(view).collect()
    }

    fn history(&self) -> Vec<Value> {
        let view = |transition: &usize| {
            let it = &self.directory.transitions[*transition];
            context! {
                day => self.date(day_of(it.observed_at)),
                text => self.label(Facet::Lifecycles, it.to_lifecycle.as_str()),
                reason => it.reason.as_deref().filter(|_| self.locale == self.directory.dataset.language()),
            }
        };
        self.links.transitions.iter().map(view).collect()
    }

    fn sources(&self) -> Vec<Value> {
        let view = |source: &usize| {
            let it = &self.directory.sources[*source];
            let title = it.title.as_deref().or(it.url.as_deref()).unwrap_or(&it.kind);
            context! {
                title,
                href => outside_address(it.url.as_deref()),
                publisher => it.publisher.as_deref(),
                day => self.date(day_of(it.source_checked_at.unwrap_or(it.retrieved_at))),
            }
        };
        self.links.sources.iter().map(view).collect()
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
