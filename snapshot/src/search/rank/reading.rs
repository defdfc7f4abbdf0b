//! What a ranked answer reports about the words of its query: what they were taken for and what else they may mean, each
//! with the number of full matches.

use super::{Guess, Interpretation, OfferedPlaces, RankedPage, RankedQuery};
use crate::facet::{Facet, place_facets};
use crate::search::entities::places_offered_for;
use crate::search::filter_phrases::FilterPhrase;
use crate::search::matching::{Clause, Form};
use crate::search::set::{DocSet, both};
use crate::search::tiers::Part;

impl RankedQuery<'_> {
    /// Number of full matches with each of some sets in place of a part.
    fn counts<'b, T>(
        &self,
        position: usize,
        readings: impl Iterator<Item = (T, DocSet<'b>)>,
    ) -> Vec<(T, usize)> {
        let base = both(self.parts.full_without(position), self.required.as_ref());
        let others = self.narrowed(base.as_ref());
        let count = |docs: DocSet<'_>| others.as_ref().map_or(docs.len(), |others| docs.and(others).len());
        readings.map(|(reading, docs)| (reading, count(docs))).collect()
    }

    /// Whether the query selects no value of a facet.
    fn is_free(&self, facet: Facet) -> bool {
        self.filters.selected.iter().all(|(selected, _)| selected.group() != facet.group())
    }

    /// The facets that a place may be meant for, and its words as text, each with the number of full matches.
    fn roles(&self, position: usize, clause: &Clause<'_>) -> Vec<(Option<Facet>, usize)> {
        let Some(place) = clause.place().filter(|_| clause.left_out.is_none()) else { return Vec::new() };
        let facets = place_facets().filter(|facet| self.is_free(*facet));
        let facets = facets.map(|facet| (Some(facet), self.index.values.docs_of_place(facet, place)));
        let as_words = (None, self.text.docs_of_words(clause, self.index));
        let mut roles = self.counts(position, facets.chain([as_words]));
        roles.retain(|(_, total)| *total > 0);
        roles
    }

    /// The places that a word may name, in each facet; `None` if there are none, or if it is to be searched as text.
    fn offered(&self, position: usize, words: String) -> Option<OfferedPlaces> {
        let codes = places_offered_for(&words);
        if codes.is_empty() || self.options.literal.contains(&words) {
            return None;
        }
        let facets = || place_facets().filter(|facet| self.is_free(*facet));
        let readings = codes.into_iter().flat_map(|code| facets().map(move |facet| (code, facet)));
        let docs = |(code, facet)| ((code, facet), self.index.values.docs_of_place(facet, code));
        let all = self.counts(position, readings.map(docs));
        let is_found = |code: &str| all.iter().any(|((of, _), total)| *of == code && *total > 0);
        let is_listed = |((code, facet), total): &((&str, Facet), usize)| {
            *total > 0 || *facet == Facet::Countries && !is_found(code)
        };
        let places: Vec<_> = all.iter().copied().filter(is_listed).collect();
        (!places.is_empty()).then_some(OfferedPlaces { words, places })
    }

    /// Adds how the words of the query were interpreted.
    pub(super) fn interpret(&self, ranked: &mut RankedPage) {
        let values = &self.index.values;
        let known = self.parts.known.iter().map(|part| &part.clause);
        for (position, clause) in known.chain(&self.parts.unknown).enumerate() {
            let words = clause.words.join(" ");
            if clause.is_idle {
                let note = Some("search_idle");
                ranked.unapplied.push(FilterPhrase { words, note, ..FilterPhrase::default() });
                continue;
            }
            ranked.interpretations.extend(clause.benefits.iter().map(|benefits| Interpretation {
                words: words.clone(),
                values: benefits.iter().map(|ordinal| (values.facet_of(*ordinal), *ordinal)).collect(),
                ..Interpretation::default()
            }));
            let left_out = clause.left_out.is_some().then(|| clause.named.clone());
            if clause.entity.is_none() && left_out.is_none() {
                ranked.offered.extend(self.offered(position, words.clone()));
                if self.parts.known.get(position).is_none_or(|part| part.alternative.is_none()) {
                    continue;
                }
            }
            let stated = clause.entity.map_or_else(Vec::new, |entity| entity.values.clone());
            ranked.interpretations.push(Interpretation {
                words,
                values: stated.iter().map(|ordinal| (values.facet_of(*ordinal), *ordinal)).collect(),
                place: clause.place().map(str::to_owned),
                is_alternative: clause.is_alternative,
                left_out,
                roles: self.roles(position, clause),
            });
        }
        ranked.interpretations.extend(self.text.negated.iter().cloned());
        let is_guess = |(_, form): &&(u32, Form)| *form == Form::Guess;
        let text = |(term, _): &(u32, _)| self.index.terms.text(*term).to_owned();
        let has_guess = |part: &&Part<'_>| part.clause.forms.iter().any(|form| is_guess(&form));
        let guessed = self.parts.known.iter().filter(has_guess).filter(|part| part.own().is_empty());
        ranked.guesses.extend(guessed.map(|part| Guess {
            word: self.text.with_hyphens(&part.clause.words.join(" ")),
            read_as: part.clause.forms.iter().filter(is_guess).map(text).collect(),
        }));
        let is_unheard = |part: &&Part<'_>| part.alternative.is_some() && part.clause.is_unknown();
        let unheard = self.parts.known.iter().filter(is_unheard).map(|part| &part.clause);
        let unknown = unheard.filter(|clause| clause.place().is_none()).chain(&self.parts.unknown);
        let unknown = unknown.map(|clause| self.text.with_hyphens(&clause.words.join(" ")));
        ranked.unknown.extend(unknown);
    }
}
