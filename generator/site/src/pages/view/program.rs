//! Template variables of a program: its page, its row in search and its line in lists.

use std::cmp::Reverse;

use html::templates::here;
use html::view::{Line, Link, Part, Program, Season, Text, variables};
use html::{Rule, passages};
use jiff::civil::Date;
use minijinja::{Value, context};
use snapshot::facet::{
    FACETS, Facet, FacetSpec, Measure, admits_persons, applicants, detail_page_facets, eligibility,
    named_values, without_ages_served,
};
use snapshot::page::money::{AmountPhrases, stated};
use snapshot::record::{Cycle, Fact, Lifecycle, Locale, Number, PROGRAM, Polarity, Strength};
use snapshot::text::words_of;
use snapshot::time::{deadline_in_words, is_filler};
use snapshot::truncate::at_word;

use super::award::AWARDS;
use super::blocks::{is_spread, without_lead};
use super::{ABOUT, SUMMARY, day, outside_address, search_address};
use crate::pages::Pages;

/// Maximum length of the texts whose passages a row can show, in characters.
const TEXT: usize = 1500;

/// Characters by which each row of a table shortens the description, and its minimum length: pages have a byte
/// budget, and the Markdown page has the full text.
const ROW: usize = 150;
const LEAST: usize = 1000;

/// Maximum length of a statement on a page, in characters; the Markdown page has all of it.
const STATEMENT: usize = 400;

/// The same of a statement that is folded.
const FOLDED: usize = 160;

/// Longest announcement of a list that a summary begins with, in bytes.
const ANNOUNCEMENT: usize = 200;

/// Most topics, and most applicants, that similar programs have one of.
const SIMILAR: usize = 2;

/// Longest quotation in the line of a row, in characters.
const QUOTED: usize = 160;

/// Number of a facet's values that a record's page shows before the rest is folded; fewer above the deadline, so
/// that a phone shows the deadline without scrolling.
const VALUES: usize = 12;
const WHO: usize = 5;

/// A label, and its language if that is not the page's.
type Label = (String, Option<&'static str>);

/// Values of notes that describe how the data was made.
const MAKING: [&str; 3] = ["assistance-listing", "framework", "funding-conversion"];

impl Pages<'_> {
    /// Placeholder for status and deadline of a program.
    pub(in crate::pages) fn when(&self, program: usize, locale: Locale) -> Value {
        let doc = self.numbers.doc_of[program] as usize;
        Value::from_safe_string(Rule::When.mark(doc, locale))
    }

    pub(in crate::pages) fn facts(&self, program: usize) -> Vec<&Fact> {
        self.directory.program_links[program].facts.iter().map(|fact| &self.directory.facts[*fact]).collect()
    }

    fn provider(&self, program: usize, locale: Locale) -> Link {
        let it = self.organization_of(program);
        let about = (it.entity(), self.default_language());
        let Text { text, lang } = self.text_of(about, locale, "name", &it.name);
        Link { href: here(&format!("/organizations/{}", it.slug), locale), text, lang }
    }

    /// Who can apply: the words of the source, then the labels that these do not have, each with the separator before it.
    fn who(&self, program: usize, locale: Locale) -> Vec<Part> {
        let quoted = eligibility(self.directory, program, locale)
            .map(|(text, lang)| (at_word(&text, QUOTED).into_owned(), lang));
        let words = quoted.as_ref().map(|(text, _)| words_of(text)).unwrap_or_default();
        let is_quoted = |label: &str| {
            let label = words_of(label);
            !label.is_empty() && words.windows(label.len()).any(|part| part == label)
        };
        let people = self.applicant_labels(program, false, locale);
        let people = people.into_iter().flatten().filter(|(text, _)| !is_quoted(text)).collect();
        let quote = |(text, lang): (String, Option<&str>)| Part {
            text: self.phrase(locale, "quoted", &[("text", &text)]),
            lang: lang.map(str::to_owned),
            ..Part::default()
        };
        let mut parts: Vec<Part> = quoted.map(quote).into_iter().collect();
        let has_quote = !parts.is_empty();
        parts.extend(self.first_labels(people, locale));
        if let Some(first) = parts.get_mut(1).filter(|_| has_quote) {
            first.joint = format!(" {}: ", self.word(locale, "who_summary"));
        }
        parts
    }

    /// Where applicants are: the narrowest places that are stated.
    fn places(&self, program: usize, locale: Locale) -> Vec<Part> {
        let stated = self.applicant_labels(program, true, locale).into_iter().next();
        self.first_labels(stated.unwrap_or_default(), locale)
    }

    /// The labels of what is stated of applicants, by facet: of places, or of others.
    fn applicant_labels(&self, program: usize, of_places: bool, locale: Locale) -> Vec<Vec<Label>> {
        let facts = self.facts(program);
        let stated = applicants(&self.directory.programs[program], &facts).into_iter();
        let shown = stated.filter(|(spec, _)| spec.in_eligibility_line && spec.is_place == of_places);
        let labels = |(spec, values): (&FacetSpec, Vec<&str>)| {
            values.into_iter().map(|value| self.label_of(program, spec, value, locale)).collect()
        };
        shown.map(labels).collect()
    }

    /// The first labels, and how many more there are.
    fn first_labels(&self, labels: Vec<Label>, locale: Locale) -> Vec<Part> {
        const MOST: usize = 3;
        let more = labels.len().saturating_sub(MOST);
        let more = (more > 0).then(|| (self.phrase(locale, "more", &[("n", &more.to_string())]), None));
        let shown = labels.into_iter().take(MOST).chain(more).enumerate();
        let part = |(at, (text, lang)): (usize, Label)| Part {
            joint: if at > 0 { ", ".to_owned() } else { String::new() },
            text,
            lang: lang.map(str::to_owned),
        };
        shown.map(part).collect()
    }

    /// Whom the money serves, in the words of a note; no line where there is none.
    fn served(&self, program: usize, locale: Locale) -> Option<Line> {
        let facts = self.facts(program);
        let note = facts.into_iter().find(|fact| fact.value.as_deref() == Some("population"))?;
        let about = (note.entity(), self.language(&self.directory.programs[program]));
        let Text { text, lang } = self.text_of(about, locale, "text", note.text.as_deref()?);
        let part = Part { text: at_word(&text, QUOTED).into_owned(), lang, ..Part::default() };
        Some(Line { word: "facet_audiences".into(), parts: vec![part] })
    }

    /// A summary without headings of its source, such as `Expected Outcome:`, and without announcements of a list, such as
    /// `Projects contribute to the following outcomes:`, at its beginning. The words `summary_headings` and
    /// `summary_lists` list the headings and the words of announcements, divided by `|`.
    fn plain_summary<'t>(&self, summary: &'t str) -> &'t str {
        let listed = |key| {
            let words = Locale::ALL.iter().flat_map(move |locale| self.word(*locale, key).split('|'));
            words.collect::<Vec<&str>>()
        };
        without_headings(summary, &listed("summary_headings"), &listed("summary_lists"))
    }

    /// What a program pays, in the words of its source where it states them.
    fn funding(&self, program: usize, locale: Locale) -> Vec<Part> {
        let word = |key: &str| self.word(locale, key);
        let label = |fact: &Fact| Some(self.note_label(fact, locale)?.in_a_line());
        let record = &self.directory.programs[program];
        let facts = self.facts(program);
        let language = self.language(record);
        let lang =
            stated(record, &facts).map(|_| language).filter(|it| *it != locale.as_str()).map(str::to_owned);
        let funding = AmountPhrases { locale, word: &word }.funding(record, &facts, label);
        funding.into_iter().map(|text| Part { text, lang: lang.clone(), ..Part::default() }).collect()
    }

    /// The label of a fact whose kind feeds no facet: a translation, else the program's word for its value. Where the
    /// label states more than that word, it follows in its own language. The word `note_labels` lists others that do not,
    /// divided by `|`.
    fn note_label<'f>(&'f self, fact: &'f Fact, locale: Locale) -> Option<NoteLabel<'f>> {
        let stated = fact.label.as_deref().or(fact.value.as_deref())?;
        let text = self.directory.text(fact.entity(), locale, "label", stated);
        let original = self.directory.dataset.language();
        if text != stated || original == locale {
            return Some(NoteLabel { kind: None, text, language: None });
        }
        let value = fact.value.as_deref().unwrap_or(stated);
        let [own, known] = [locale, original].map(|locale| self.word(locale, &format!("value_{value}")));
        let rest = stated.strip_prefix(known).filter(|_| !known.is_empty());
        let is_more = rest.is_none_or(|rest| rest.contains(|c: char| c.is_ascii_digit()));
        let is_same =
            stated == value || self.word(original, "note_labels").split('|').any(|known| known == stated);
        Some(match own.is_empty() || is_more && !is_same {
            false => NoteLabel { kind: None, text: own, language: None },
            true => {
                let kind = Some(own).filter(|own| !own.is_empty());
                NoteLabel { kind, text, language: Some(original.as_str()) }
            }
        })
    }

    /// The observed lifecycle with the day of the observation, and a placeholder for how the dates differ from it.
    fn lifecycle(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let doc = self.numbers.doc_of[program] as usize;
        let label = self.label(Facet::Lifecycles, it.lifecycle.as_str(), locale);
        let date = it.lifecycle_observed_at().map(|time| self.day_text(day(time), locale).text);
        let observed = match date {
            Some(date) => {
                let values = [("lifecycle", &*label), ("date", &date)];
                self.phrase(locale, "program_lifecycle_checked", &values)
            }
            None => self.phrase(locale, "program_lifecycle_unchecked", &[("lifecycle", &label)]),
        };
        context! { observed, differs => Value::from_safe_string(Rule::Differs.mark(doc, locale)) }
    }

    /// A program as rows, lists, feeds and its page show it.
    pub(in crate::pages) fn view(&self, program: usize, locale: Locale) -> Program {
        let it = &self.directory.programs[program];
        let about = (it.entity(), self.language(it));
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        let who = self.who(program, locale);
        let official = url::Url::parse(&it.official_url).ok();
        let host = official.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        let season = |(cycle, deadline): (&Cycle, Date)| Season {
            id: cycle.id.to_string(),
            label: self.directory.text(cycle.entity(), locale, "label", &cycle.label).to_owned(),
            deadline,
            updated: cycle.updated_at,
        };
        Program {
            id: it.id.to_string(),
            slug: it.slug.to_string(),
            href: here(&format!("/programs/{}", it.slug), locale),
            name: self.text_of(about, locale, "name", &it.name),
            mark: self.mark_of(program),
            provider: self.provider(program, locale),
            kind: self.label(Facet::Types, &it.program_type, locale),
            for_persons: admits_persons(it, &self.facts(program)) && !who.is_empty(),
            summary: summary.map(|text| Text {
                text: self.plain_summary(text).to_owned(),
                lang: self.foreign(about, locale, "summary"),
            }),
            lines: [
                Line { word: "line_who".into(), parts: who },
                Line { word: "line_how_much".into(), parts: self.funding(program, locale) },
                Line { word: "line_where".into(), parts: self.places(program, locale) },
            ]
            .into_iter()
            .chain(self.served(program, locale))
            .collect(),
            official: it.official_url.to_string(),
            host: host.trim_start_matches("www.").to_owned(),
            checked: it.source_checked_at.map(|time| self.day_text(day(time), locale)),
            deadline_text: deadline_in_words(self.directory, program).map(|fact| {
                let original = fact.text.as_deref().unwrap_or_default();
                self.text_of((fact.entity(), self.language(it)), locale, "text", original)
            }),
            created: it.created_at,
            updated: it.updated_at,
            seasons: self.deadlines(program).map(season).collect(),
        }
    }

    /// The seasons of a program that end on a day, which is no filler. A paused or ended program has none.
    fn deadlines(&self, program: usize) -> impl Iterator<Item = (&Cycle, Date)> {
        let lifecycle = self.directory.programs[program].lifecycle;
        let rests =
            matches!(lifecycle, Lifecycle::Paused | Lifecycle::Ended | Lifecycle::ActiveNoApplications);
        let cycles = self.directory.program_links[program].cycles.iter().filter(move |_| !rests);
        cycles.filter_map(|cycle| {
            let cycle = &self.directory.cycles[*cycle];
            let deadline = cycle.deadline_on.filter(|it| !is_filler(*it, day(cycle.updated_at)))?;
            Some((cycle, deadline))
        })
    }

    /// Passages that a row can show instead of its summary, in the language of the summary.
    pub(in crate::pages) fn passages(&self, program: usize, locale: Locale) -> String {
        let it = &self.directory.programs[program];
        let about = (it.entity(), self.language(it));
        let text = |field, original| self.directory.optional_text(it.entity(), locale, field, original);
        let summary = text("summary", it.summary.as_deref());
        let is_alike = self.foreign(about, locale, "summary") == self.foreign(about, locale, "description");
        let rest = text("description", it.description.as_deref()).filter(|_| is_alike);
        let lines = rest.map(|rest| without_lead(rest.lines().map(str::trim).collect(), summary));
        let summary_text = summary.map(|text| self.plain_summary(text));
        let texts = summary_text.into_iter().chain(lines.into_iter().flatten()).collect::<Vec<_>>();
        if summary.is_some() { passages(&texts.join("\n"), TEXT) } else { String::new() }
    }

    /// All variables of a program's page.
    pub(in crate::pages) fn program_view(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let links = &self.directory.program_links[program];
        let about = (it.entity(), self.language(it));
        let suffix = if locale == Locale::Es { "?locale=es" } else { "" };
        let doc = self.numbers.doc_of[program] as usize;
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        let text =
            self.directory.optional_text(it.entity(), locale, "description", it.description.as_deref());
        let lead = summary.filter(|lead| !text.is_some_and(|text| is_spread(lead, text)));
        let rows = links.cycles.len() + links.awards.len().min(AWARDS);
        let room = ABOUT.saturating_sub(rows * ROW).max(LEAST);
        context! {
            description => summary.map(|text| at_word(self.plain_summary(text), SUMMARY)),
            when => self.when(program, locale),
            state => Value::from_safe_string(Rule::WhenText.mark(doc, locale)),
            record => self.record(PROGRAM, it, about, locale),
            about => self.lines(about, locale, ("description", it.description.as_deref()), (lead, room)),
            lead => lead.is_some(),
            lifecycle => self.lifecycle(program, locale),
            eligibility => eligibility(self.directory, program, locale).map(|(text, lang)| context! { text, lang }),
            measures => self.measures(program, locale),
            groups => self.groups(program, locale),
            statements => self.statements(program, locale),
            seasons => self.seasons(program, locale),
            has_calendar => self.deadlines(program).next().is_some(),
            opens => self.opens(program, locale),
            awards => self.awards(&links.awards, AWARDS, locale),
            awards_shown => self.shown(&links.awards, AWARDS, locale),
            awards_paid => self.paid(&links.awards, locale),
            history => self.history(program, locale),
            sources => self.sources(program, locale),
            similar => self.similar(program, locale),
            of_provider => search_address(locale, &[("organization", &self.organization_of(program).slug)]),
            json => format!("/api/v1/programs/{}{suffix}", it.slug),
            json_ld => self.program_json_ld(program, locale),
            ..variables(&self.view(program, locale))
        }
    }

    /// Address of a search for open programs with a topic and an applicant of this one; of its type if it states neither.
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
        search_address(locale, &[pairs, vec![("open", "true")]].concat())
    }

    /// Measures stated by facts, such as the age of applicants and duration, each with all its values.
    fn measures(&self, program: usize, locale: Locale) -> Vec<Value> {
        let facts = without_ages_served(&self.facts(program));
        let of = |fact: &Fact| {
            let unit = Measure::of_kind(&fact.kind)?.spec().unit()?.word(fact)?;
            let number = |it: Option<Number>| it.map(|it| it.to_string());
            let range = self.range(number(fact.min), number(fact.max), locale)?;
            let name = self.word(locale, &format!("program_{}", fact.kind));
            Some((name, format!("{range} {}", self.word(locale, &unit))))
        };
        let stated = facts.into_iter().filter(|fact| fact.polarity == Polarity::Include);
        let mut named: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, text) in stated.filter_map(of) {
            match named.iter_mut().find(|(known, _)| *known == name) {
                Some((_, texts)) if texts.contains(&text) => {}
                Some((_, texts)) => texts.push(text),
                None => named.push((name, vec![text])),
            }
        }
        named.into_iter().map(|(name, texts)| context! { name, texts }).collect()
    }

    /// The values of each facet: those of applicants, then others. Career stages and levels of education that are no
    /// applicants' are shown where the record does not state whom it is meant for.
    fn groups(&self, program: usize, locale: Locale) -> Vec<Value> {
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
        let group = |spec: &FacetSpec, values: &[&str], eligibility: bool| {
            let mut items: Vec<Value> =
                values.iter().map(|value| self.facet_link(program, spec, value, locale)).collect();
            let more = items.split_off(items.len().min(if eligibility { WHO } else { VALUES }));
            let count = more.len().to_string();
            // A state is no country.
            let is_part = spec.facet == Facet::Countries && values.iter().all(|it| it.contains('-'));
            let name = if is_part { "line_place".to_owned() } else { format!("facet_{}", spec.name) };
            (!items.is_empty()).then(|| {
                context! {
                    items, more,
                    more_text => self.phrase(locale, "more", &[("n", &count)]),
                    eligibility,
                    is_place => spec.is_place,
                    name => self.word(locale, &name),
                }
            })
        };
        let rest = detail_page_facets().filter(|spec| is_rest(spec));
        let rest = rest.filter_map(|spec| group(spec, &named_values(spec.facet, it, &facts), false));
        stated.iter().filter_map(|(spec, values)| group(spec, values, true)).chain(rest).collect()
    }

    /// Facts that are more than a value: with a text or an amount, exclusions and preferences; and of each whether it
    /// is the making of the data: the source's words behind a value that the page shows, or a note with a code.
    fn statements(&self, program: usize, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let statements = self.facts(program).into_iter().filter(|fact| {
            fact.text.is_some()
                || fact.amount.is_some()
                || fact.polarity == Polarity::Exclude
                || fact.strength == Strength::Preferred
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
            let is_excluded = fact.polarity == Polarity::Exclude;
            let is_preferred = !is_excluded && fact.strength == Strength::Preferred;
            let is_note =
                fact.kind == "note" && !fact.value.as_deref().is_some_and(|it| MAKING.contains(&it));
            let is_making = !is_note && !is_excluded && !is_preferred && fact.amount.is_none();
            context! {
                label, is_making, is_excluded, is_preferred,
                amount => self.stated_amount(fact, locale),
                text => fact.text.as_deref().filter(|text| !is_conversion(fact, text)).map(|text| {
                    let (of, language) = (fact.entity(), self.language(it));
                    let whole = self.directory.text(of, locale, "text", text);
                    let text = at_word(whole, if is_making { FOLDED } else { STATEMENT });
                    let is_cut = text != whole;
                    context! { text, is_cut, whole, lang => self.foreign((of, language), locale, "text") }
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
        let cycles = self.directory.program_links[program].cycles.iter();
        let day = |it: &Cycle| it.deadline_on.or(it.opens_on);
        let dated = cycles.map(|cycle| &self.directory.cycles[*cycle]).filter(|it| day(it).is_some());
        dated.min_by_key(|it| Reverse(day(it)))
    }

    /// From when the latest season takes applications; or a season that would open after its deadline.
    fn opens(&self, program: usize, locale: Locale) -> Option<String> {
        let cycles =
            self.directory.program_links[program].cycles.iter().map(|it| &self.directory.cycles[*it]);
        let reversed = cycles.filter_map(|cycle| cycle.opens_on.zip(cycle.deadline_on));
        if let Some((opens, deadline)) = reversed.into_iter().find(|(opens, deadline)| opens > deadline) {
            let [opens, deadline] = [opens, deadline].map(|date| self.day_text(date, locale).text);
            return Some(self.phrase(
                locale,
                "program_days_reversed",
                &[("opens", &opens), ("deadline", &deadline)],
            ));
        }
        let date = self.day_text(self.latest_season(program)?.opens_on?, locale).text;
        Some(self.phrase(locale, "program_opens_on", &[("date", &date)]))
    }

    fn seasons(&self, program: usize, locale: Locale) -> Vec<Value> {
        let language = self.language(&self.directory.programs[program]);
        let view = |cycle: &usize| {
            let it = &self.directory.cycles[*cycle];
            let number = self.numbers.cycle[*cycle] as usize;
            let days: Vec<Option<Value>> = [it.opens_on, it.deadline_on, it.decision_on, it.starts_on]
                .map(|date| date.map(|date| self.date(date, locale)))
                .into();
            context! {
                label => self.text((it.entity(), language), locale, "label", &it.label),
                href => outside_address(it.application_url.as_deref()),
                status => Value::from_safe_string(Rule::Status.mark(number, locale)),
                days,
            }
        };
        self.directory.program_links[program].cycles.iter().map(view).collect()
    }

    fn history(&self, program: usize, locale: Locale) -> Vec<Value> {
        let view = |transition: &usize| {
            let it = &self.directory.transitions[*transition];
            context! {
                day => self.date(day(it.observed_at), locale),
                text => self.label(Facet::Lifecycles, it.to_lifecycle.as_str(), locale),
                reason => it.reason.as_deref(),
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

/// Whether a text only states how the amount of its fact was converted.
fn is_conversion(fact: &Fact, text: &str) -> bool {
    let stated = fact.amount.zip(fact.currency);
    stated.is_some_and(|(amount, currency)| text.starts_with(&format!("{amount} {currency} at ")))
}

/// The label of a note: its text, its language if that is not the page's, and the page's word for its kind if the text
/// does not say that.
struct NoteLabel<'a> {
    kind: Option<&'a str>,
    text: &'a str,
    language: Option<&'static str>,
}

impl NoteLabel<'_> {
    fn in_a_line(&self) -> String {
        self.kind.map_or_else(|| self.text.to_owned(), |kind| format!("{kind} ({})", self.text))
    }
}

/// A text without the headings at its beginning, each followed by a colon; a text of nothing else stays.
fn without_headings<'t>(text: &'t str, headings: &[&str], lists: &[&str]) -> &'t str {
    let mut rest = text.trim_start();
    while let Some((heading, after)) = rest.split_once(':') {
        let is_known = headings.iter().any(|known| known.eq_ignore_ascii_case(heading.trim_end()));
        let announces = || heading.len() <= ANNOUNCEMENT && !heading.contains('.');
        let is_heading =
            is_known || announces() && heading.split_whitespace().any(|word| lists.contains(&word));
        let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == '-');
        if !is_heading || after.is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_a_source_are_cut_from_the_beginning_of_a_text_only() {
        let of = |text| {
            without_headings(text, &["Scope", "Expected Outcome", "Objetivo"], &["following", "outcomes"])
        };
        assert_eq!(of("Expected Outcome: Farms gain."), "Farms gain.");
        assert_eq!(of("EXPECTED OUTCOME :\n- Scope: Farms: all"), "Farms: all");
        assert_eq!(of("Objetivo: becas"), "becas");
        assert_eq!(of("Farms: Scope: all"), "Farms: Scope: all");
        assert_eq!(of("Scope:"), "Scope:");
        assert_eq!(of("Scope of work: all"), "Scope of work: all");
        assert_eq!(of("Scope: Teams reach one of the following outcomes: - Farms gain."), "Farms gain.");
        assert_eq!(of("Farms gain. See the following page: all"), "Farms gain. See the following page: all");
        assert_eq!(of(""), "");
    }
}
