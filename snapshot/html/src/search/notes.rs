//! Notes about invalid parameters, and about words: possible places, corrected words, and words without results.

use minijinja::{Value, context};
use snapshot::facet::Facet;
use snapshot::place;
use snapshot::query::Query;
use snapshot::search::{FilterPhrase, Interpretation, OfferedPlaces, RankedPage};

use super::Search;
use super::options::ORGANIZATION;
use crate::recipients;
use crate::templates::here;
use crate::view::link;

/// How many words a note names of the end of what was searched of a long text.
const END_WORDS: usize = 4;

impl Search<'_> {
    /// What was left out of a query; template `notes.html`, like the others.
    pub(super) fn invalid(&self) -> Option<Value> {
        if self.invalid.is_empty() {
            return None;
        }
        let (cut, others): (Vec<&String>, Vec<&String>) =
            self.invalid.iter().partition(|entry| self.is_cut_text(entry));
        let end = self.query.text.as_deref().filter(|_| !cut.is_empty()).map(|text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words[words.len().saturating_sub(END_WORDS)..].join(" ")
        });
        Some(context! {
            // The last words of a text of which only the beginning is searched.
            end,
            parameters => others.into_iter().collect::<Value>(),
            organization => self.unknown_organizations().next().map(|name| self.organizations_near(name)),
        })
    }

    /// Whether an invalid parameter is a text whose beginning was searched. The parameter itself may be cut.
    fn is_cut_text(&self, entry: &str) -> bool {
        let typed = entry.strip_prefix("q=").map(|text| text.trim_start().trim_end_matches('\u{2026}'));
        let both = typed.zip(self.query.text.as_deref());
        both.is_some_and(|(typed, text)| typed.starts_with(text) || text.starts_with(typed))
    }

    /// Names in the query that do not identify one organization.
    pub(super) fn unknown_organizations(&self) -> impl Iterator<Item = &str> {
        self.invalid.iter().filter_map(|entry| entry.strip_prefix(ORGANIZATION)?.strip_prefix('='))
    }

    /// What an unknown or ambiguous name of an organization may be meant for: similar organizations, words of the text, and
    /// the list of organizations.
    fn organizations_near(&self, name: &str) -> Value {
        let (organizations, locale) = (&self.site.index.organizations, self.query.locale);
        let near = organizations.near(name).into_iter().map(|number| {
            let mut query = self.query.clone();
            query.organizations.push(organizations.slug(number).to_owned());
            query.organizations.sort();
            link(self.first_page(query, &[]), organizations.name(number, locale))
        });
        let text = self.query.text.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(" ");
        let as_words = self.first_page(Query { text: Some(text), ..self.query.clone() }, &[]);
        let as_words = link(as_words, &self.words.phrase("organization_as_words", &[("name", name)]));
        let all = link(here("/organizations", locale), self.words.word("organizations_title"));
        context! { name, links => near.chain([as_words, all]).collect::<Vec<_>>() }
    }

    /// How words were understood.
    pub(super) fn notes(&self) -> Option<Value> {
        let RankedPage { guesses, unknown, offered, unapplied, interpretations, .. } = &self.answer;
        // The words mean any of their roles: one with as many records finds the same ones.
        let finds_other = |(_, total): &(_, usize)| *total != self.answer.total;
        let is_choice = |it: &&Interpretation| it.roles.len() > 1 && it.roles.iter().any(finds_other);
        let roles = interpretations.iter().filter(is_choice).map(|it| self.roles(it)).collect::<Vec<_>>();
        let is_clear = guesses.is_empty() && unknown.is_empty() && unapplied.is_empty();
        if is_clear && offered.is_empty() && roles.is_empty() {
            return None;
        }
        let recipient = unknown.iter().find(|word| self.site.index.names_recipient(word));
        let all_unknown = || self.quoted(unknown.iter().map(|word| self.typed(word)));
        let guessed = guesses.iter().map(|guess| (self.typed(&guess.word), self.quoted(&guess.read_as)));
        let unapplied = unapplied.chunk_by(|a, b| a.words == b.words).map(|it| self.unapplied(it));
        Some(context! {
            unapplied => unapplied.collect::<Vec<_>>(),
            offered => offered.iter().map(|it| self.offered(it)).collect::<Vec<_>>(),
            roles,
            // Words that were replaced, and by which.
            guesses => guessed.collect::<Vec<_>>(),
            // Words that no record has, and a link to the recipients whose names have one of them.
            unknown => (!unknown.is_empty()).then(all_unknown),
            recipients => recipient.map(|word| recipients::named(word, self.query.locale)),
        })
    }

    /// Words that mean filters and were not applied.
    fn unapplied(&self, phrases: &[FilterPhrase]) -> Value {
        let phrase = &phrases[0];
        let filter = (!phrase.parameter.is_empty()).then(|| {
            let left = Query { text: self.text_left(&phrase.words), ..self.query.clone() };
            let pairs: Vec<(&str, &str)> = phrases.iter().map(|it| (it.parameter, &*it.value)).collect();
            let name = |(parameter, value): &(&str, &str)| self.display.filter(parameter, value);
            let text = pairs.iter().map(name).collect::<Vec<_>>().join(", ");
            link(self.first_page(left, &pairs), &text)
        });
        context! {
            key => phrase.note,
            words => self.quoted([self.typed(&phrase.words)]),
            // As typed, and the address of a search for them as text.
            as_text => (&phrase.words, self.as_text(&phrase.words)),
            filter,
        }
    }

    /// A name, the number of records that it finds, and where, if it finds any: the first page of the query with another text
    /// and some more parameters.
    fn choice(&self, text: Option<String>, pairs: &[(&str, &str)], name: &str, total: usize) -> Value {
        let href = || self.first_page(Query { text, ..self.query.clone() }, pairs);
        context! { name, count => self.words.grouped(total), href => (total > 0).then(href) }
    }

    /// `Chile: Destination 12 · Eligible country 31 · in the text 44`
    fn roles(&self, words: &Interpretation) -> Value {
        let place = words.place.as_deref().unwrap_or_default();
        let choices = words.roles.iter().map(|(role, total)| {
            let Some(facet) = role else {
                let (text, name) = (self.query.text.clone(), self.words.word("search_in_the_text"));
                return self.choice(text, &[("plain", &words.words)], name, *total);
            };
            let pair = [(facet.spec().parameter, place)];
            self.choice(self.text_left(&words.words), &pair, self.display.facet(*facet), *total)
        });
        let choices: Vec<Value> = choices.collect();
        context! { name => self.display.place(Facet::Countries, place), choices }
    }

    /// The places that a word may name: `Did you mean a place? Georgia: Destination 3 · Georgia, United States: Eligible
    /// country 12`.
    fn offered(&self, OfferedPlaces { words, places }: &OfferedPlaces) -> Vec<Value> {
        let choice = |((code, facet), total): &((&'static str, Facet), usize)| {
            let place = place::label_with_country(code, self.query.locale);
            let name = format!("{place}: {}", self.display.facet(*facet));
            self.choice(self.text_left(words), &[(facet.spec().parameter, code)], &name, *total)
        };
        places.iter().map(choice).collect()
    }
}
