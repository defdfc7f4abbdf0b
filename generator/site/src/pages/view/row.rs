//! A program as rows, lists, feeds and its page show it.

use std::borrow::Cow;

use dataset::day_of;
use html::passages;
use html::view::{Line, Link, Part, Program, Season, Text};
use jiff::civil::Date;
use snapshot::facet::{
    Facet, FacetSpec, admits_any_nationality, admits_others, admits_persons, admitted_values,
};
use snapshot::page::money::AmountPhrases;
use snapshot::page::when::deadline_in_words;
use snapshot::record::{Cycle, Fact, Lifecycle, Locale};
use snapshot::text::{without_comment, words_of};
use snapshot::time::is_filler;
use snapshot::truncate::at_word;

use super::blocks::without_lead;
use super::{ProgramPage, namesakes};

/// Maximum length of the texts whose passages a row can show, in characters.
const TEXT: usize = 1500;

/// Longest announcement of a list that a summary begins with, in bytes.
const ANNOUNCEMENT: usize = 200;

/// Longest quotation in the line of a row, in characters.
const QUOTED: usize = 160;

/// Longest remark of a source about a country that a row has, in bytes.
const REMARK: usize = 40;

/// A value with its label, and those of a facet.
type Label = (String, Text);
type Stated = (&'static FacetSpec, Vec<Label>);

/// The label of a note, see [`ProgramPage::note_label`].
type NoteLabel<'a> = (Option<&'a str>, Cow<'a, str>, Option<&'static str>);

impl ProgramPage<'_> {
    fn provider(&self) -> Link {
        let it = self.organization_of(self.number);
        let Text { text, lang } = self.text((it.entity(), self.default_language()), "name", &it.name);
        Link { href: self.here(&format!("/organizations/{}", it.slug)), text, lang }
    }

    /// Who can apply: the words of the source, then the labels unless these have all of them, each with the separator before
    /// it.
    fn who(&self, people: Vec<Stated>) -> Line {
        let quoted = self.quoted.map(|(text, lang)| (at_word(text, QUOTED).into_owned(), *lang));
        let words = quoted.as_ref().map(|(text, _)| words_of(text)).unwrap_or_default();
        let is_quoted = |label: &str| {
            let label = words_of(label);
            !label.is_empty() && words.windows(label.len()).any(|part| part == label)
        };
        let mut people: Vec<Label> = people.into_iter().flat_map(|(_, labels)| labels).collect();
        if people.iter().all(|(_, label)| is_quoted(&label.text)) {
            people.clear();
        }
        let quote = |(text, lang): (String, Option<&str>)| Part {
            text: self.phrase("quoted", &[("text", &text)]),
            lang: lang.map(str::to_owned),
            ..Part::default()
        };
        let mut parts: Vec<Part> = quoted.map(quote).into_iter().collect();
        let has_quote = !parts.is_empty();
        let (labels, hidden) = self.first_labels(people);
        parts.extend(labels);
        if let Some(first) = parts.get_mut(1).filter(|_| has_quote) {
            first.joint = format!(" {}: ", self.word("who_summary"));
        }
        Line { word: "line_who".into(), parts, hidden }
    }

    /// Where applicants are: the narrowest places that are stated, else where they go. The line names the facet, unless it is
    /// of countries.
    fn places(&self, stated: Vec<Stated>) -> Line {
        let (spec, labels) = stated.into_iter().next().unwrap_or((Facet::Countries.spec(), Vec::new()));
        let is_any = labels.first().is_some_and(|(value, _)| admits_any_nationality(spec.facet, value));
        let is_country =
            spec.facet == Facet::Countries && labels.iter().any(|(value, _)| !value.contains('-'));
        let (mut parts, hidden) = self.first_labels(labels);
        let words = is_country.then(|| self.place_words(spec)).flatten();
        if let Some(Text { text, lang }) = words.filter(|words| words.text.len() <= REMARK) {
            parts.push(Part { joint: " ".to_owned(), text: format!("({text})"), lang });
        }
        if let Some(first) = parts.first_mut().filter(|_| spec.facet != Facet::Countries && !is_any) {
            first.joint = format!("{}: ", self.word(&format!("facet_{}", spec.name)));
        }
        if let Some(last) = parts.last_mut().filter(|_| admits_others(spec, &self.facts)) {
            last.text = format!("{} {}", last.text, self.word("citizens_others"));
        }
        let to = admitted_values(Facet::Destinations, self.it, &self.facts);
        if let Some(first) = to.first().filter(|_| parts.is_empty()) {
            let place = self.label(Facet::Destinations, first);
            let text = format!("{}: {place}", self.word("facet_destinations"));
            parts.push(Part { text, ..Part::default() });
        }
        Line { word: "line_where".into(), parts, hidden }
    }

    /// The labels of what is stated of applicants, by facet.
    fn applicant_labels(&self) -> impl Iterator<Item = Stated> {
        let shown = self.findings.applicants.iter().filter(|(spec, _)| spec.in_eligibility_line);
        let labels = move |(spec, values): &(&'static FacetSpec, Vec<&str>)| {
            let label = |value: &&str| {
                let (text, lang) = self.label_of(spec, value);
                ((*value).to_owned(), Text { text, lang: lang.map(str::to_owned) })
            };
            (*spec, values.iter().map(label).collect())
        };
        shown.map(labels)
    }

    /// The first labels and how many more there are, and these.
    fn first_labels(&self, mut labels: Vec<Label>) -> (Vec<Part>, Vec<Label>) {
        const MOST: usize = 3;
        let hidden = labels.split_off(labels.len().min(MOST));
        let more = (!hidden.is_empty()).then(|| hidden.len().to_string());
        let more = more.map(|n| Text { text: self.phrase("more", &[("n", &n)]), lang: None });
        let shown = labels.into_iter().map(|(_, label)| label).chain(more).enumerate();
        let part = |(at, Text { text, lang }): (usize, Text)| Part {
            joint: if at > 0 { ", ".to_owned() } else { String::new() },
            text,
            lang,
        };
        (shown.map(part).collect(), hidden)
    }

    /// Whom the money serves, in the words of a note; no line where there is none.
    fn served(&self) -> Option<Line> {
        let note = self.facts.iter().find(|fact| fact.value.as_deref() == Some("population"))?;
        let Text { text, lang } = self.of_fact(note, note.text.as_deref()?);
        let part = Part { text: at_word(&text, QUOTED).into_owned(), lang, ..Part::default() };
        Some(Line::new("facet_audiences", vec![part]))
    }

    /// A summary without headings of its source, such as `Expected Outcome:`, and without announcements of a list, such as
    /// `Projects contribute to the following outcomes:`, at its beginning. The words `summary_headings` and
    /// `summary_lists` list the headings and the words of announcements, divided by `|`.
    pub(super) fn plain_summary<'t>(&self, summary: &'t str) -> &'t str {
        let listed = |key| {
            let words =
                Locale::ALL.iter().flat_map(move |locale| self.templates.word(*locale, key).split('|'));
            words.collect::<Vec<&str>>()
        };
        without_headings(summary, &listed("summary_headings"), &listed("summary_lists"))
    }

    /// What a program pays, in the words of its source where it states them.
    fn funding(&self) -> Vec<Part> {
        let word = |key: &str| self.word(key);
        let label = |fact: &Fact| {
            let (kind, text, _) = self.note_label(fact)?;
            Some(kind.map_or_else(|| text.to_string(), |kind| format!("{kind} ({text})")))
        };
        let pays = self.findings.pays;
        let lang = pays.map(|_| self.language.to_owned()).filter(|it| *it != self.locale.as_str());
        let phrases = AmountPhrases { locale: self.locale, word: &word };
        let funding = phrases.funding(self.it, (&self.facts, pays), label);
        funding.into_iter().map(|text| Part { text, lang: lang.clone(), ..Part::default() }).collect()
    }

    /// The label of a fact whose kind feeds no facet: a translation, else the program's word for its value. Where the
    /// label states more than that word, it follows in its own language. The word `note_labels` lists others that do not,
    /// divided by `|`. Given are the page's word for its kind if the text does not say that, the text, and its language if
    /// that is not the page's.
    pub(super) fn note_label<'f>(&'f self, fact: &'f Fact) -> Option<NoteLabel<'f>> {
        let stated = fact.label.as_deref().or(fact.value.as_deref())?;
        let text = self.directory.text(fact.entity(), self.locale, "label", stated);
        let original = self.directory.dataset.language();
        let plain = |text: Cow<'f, str>| (None, text, None);
        if text != stated || original == self.locale {
            return Some(plain(text.into()));
        }
        let value = fact.value.as_deref().unwrap_or(stated);
        let [own, known] =
            [self.locale, original].map(|it| self.templates.word(it, &format!("value_{value}")));
        let rest = stated.strip_prefix(known).filter(|_| !known.is_empty());
        // `Obligations, fiscal year 2024` in the words of the page.
        let [own_year, year] = [self.locale, original].map(|it| self.templates.word(it, "fiscal_year"));
        if let Some((", ", number)) = rest.and_then(|rest| rest.split_once(year))
            && !own.is_empty()
        {
            return Some(plain(format!("{own}, {own_year}{number}").into()));
        }
        let is_more = rest.is_none_or(|rest| rest.contains(|c: char| c.is_ascii_digit()));
        let mut alike = self.templates.word(original, "note_labels").split('|');
        let is_same = stated == value || alike.any(|known| known == stated);
        Some(match own.is_empty() || is_more && !is_same {
            false => plain(own.into()),
            true => (Some(own).filter(|own| !own.is_empty()), text.into(), Some(original.as_str())),
        })
    }

    /// A program as rows, lists, feeds and its page show it: prepared, or made.
    pub(in crate::pages) fn view(&self) -> Program {
        let prepared = self.html.and_then(|html| html.program(self.doc, self.locale));
        prepared.unwrap_or_else(|| self.new_view())
    }

    fn new_view(&self) -> Program {
        let it = self.it;
        let namesakes = self.cache.namesakes.get_or_init(|| namesakes(self.directory));
        let (places, people) = self.applicant_labels().partition(|(spec, _)| spec.is_place);
        let places = self.places(places);
        let who = self.who(people);
        let mut sources = self.links.sources.iter();
        let official = url::Url::parse(&self.it.official_url).ok();
        let host = official.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        let published = day_of(self.directory.dataset.published_at);
        let season = |(cycle, deadline): (&Cycle, Date)| Season {
            id: cycle.id.to_string(),
            label: self.directory.text(cycle.entity(), self.locale, "label", &cycle.label).to_owned(),
            deadline,
            updated: cycle.updated_at,
        };
        Program {
            id: it.id.to_string(),
            slug: it.slug.to_string(),
            href: self.here(&format!("/programs/{}", it.slug)),
            name: self.text(self.about(), "name", &it.name),
            mark: namesakes.get(&self.number).map(|it| self.as_day(it).unwrap_or_else(|| it.clone())),
            provider: self.provider(),
            kind: self.label(Facet::Types, &it.program_type),
            for_persons: admits_persons(it, &self.facts) && !who.parts.is_empty(),
            summary: self.summary.map(|text| Text {
                text: without_footnotes(self.plain_summary(text)),
                lang: self.foreign(self.about(), "summary"),
            }),
            lines: [who, Line::new("line_how_much", self.funding()), places]
                .into_iter()
                .chain(self.served())
                .collect(),
            official: it.official_url.to_string(),
            host: host.trim_start_matches("www.").to_owned(),
            publisher: sources.find_map(|it| {
                let publisher = self.directory.sources[*it].publisher.as_ref()?;
                Some(at_word(publisher, QUOTED).into_owned())
            }),
            checked: it.source_checked_at.map(|time| self.day(day_of(time))),
            deadline_text: deadline_in_words(self.directory, self.number, self.locale).map(
                |(text, of, field)| Text {
                    text: at_word(text, QUOTED).into_owned(),
                    lang: self.foreign((of, self.language), field),
                },
            ),
            created: it.created_at,
            updated: it.updated_at,
            seasons: self.deadlines().filter(|(_, it)| *it >= published).map(season).collect(),
        }
    }

    /// The seasons of a program that end on a day, which is no filler. A paused or ended program has none.
    pub(in crate::pages) fn deadlines(&self) -> impl Iterator<Item = (&Cycle, Date)> {
        let lifecycle = self.it.lifecycle;
        let rests =
            matches!(lifecycle, Lifecycle::Paused | Lifecycle::Ended | Lifecycle::ActiveNoApplications);
        self.cycles().filter(move |_| !rests).filter_map(|cycle| {
            let deadline = cycle.deadline_on.filter(|it| !is_filler(*it, day_of(cycle.updated_at)))?;
            Some((cycle, deadline))
        })
    }

    /// Passages that a row can show instead of its summary, in the language of the summary.
    pub(in crate::pages) fn passages(&self) -> String {
        let Some(summary) = self.summary else { return String::new() };
        let [of_summary, of_text] = ["summary", "description"].map(|field| self.foreign(self.about(), field));
        let rest = self.text.filter(|_| of_summary == of_text);
        let lines = rest.map(|rest| without_lead(rest.lines().map(str::trim).collect(), Some(summary)));
        let mut texts = vec![self.plain_summary(summary)];
        texts.extend(lines.into_iter().flatten());
        passages(&texts.join("\n"), TEXT)
    }
}

/// A text without the headings at its beginning, each followed by a colon; a text of nothing else stays.
fn without_headings<'t>(text: &'t str, headings: &[&str], lists: &[&str]) -> &'t str {
    let mut rest = without_comment(text);
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

/// A text without the numbers of its source's footnotes, words such as `[1]`.
fn without_footnotes(text: &str) -> String {
    let number = |word: &str| word.strip_prefix('[')?.strip_suffix(']')?.parse::<u16>().ok();
    let words: Vec<&str> = text.split(' ').filter(|word| number(word).is_none()).collect();
    words.join(" ").replace(" .", ".")
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

    #[test]
    fn numbers_of_footnotes_are_left_out_and_other_brackets_are_not() {
        for (text, expected) in [
            ("Housing-led approaches [1] aligned with it [12] .", "Housing-led approaches aligned with it."),
            ("Farms [see below] and [2] fields", "Farms [see below] and fields"),
            ("[", "["),
            ("open [1", "open [1"),
        ] {
            assert_eq!(without_footnotes(text), expected);
        }
    }
}
