//! The checkboxes of the facets.

use super::Splice;
use crate::facet::Spec;
use crate::page::html::{Word, escaped, push_count};
use crate::query::Pick;
use crate::record::Locale;
use crate::search::FacetCounts;

/// Values of a facet that the page shows; picked ones always.
const VALUES_MAX: usize = 8;

impl Splice<'_> {
    pub(super) fn facets(&self, out: &mut Vec<u8>) {
        let Some(facets) = &self.answer.facets else { return };
        let mut facets: Vec<&FacetCounts> = facets.iter().collect();
        facets.sort_by_key(|counts| counts.facet.spec().panel);
        facets.into_iter().for_each(|counts| self.facet(counts, out));
    }

    fn facet(&self, counts: &FacetCounts, out: &mut Vec<u8>) {
        if counts.items.is_empty() {
            return;
        }
        let spec = counts.facet.spec();
        let picked = |pick: &Pick| self.query.picks.iter().any(|(of, it)| *of == counts.facet && it == pick);
        let any = counts.items.iter().any(|(pick, _)| picked(pick));
        out.extend_from_slice(if any { b"<details open>" } else { b"<details>" });
        out.extend_from_slice(b"<summary>");
        out.extend_from_slice(self.language.facets.bytes(counts.facet as usize));
        out.extend_from_slice(b"</summary><fieldset><legend class=\"vh\">");
        out.extend_from_slice(self.language.facets.bytes(counts.facet as usize));
        out.extend_from_slice(b"</legend>");
        for (position, (pick, count)) in counts.items.iter().enumerate() {
            let on = picked(pick);
            if position < VALUES_MAX || on {
                self.option(spec, pick, *count, on, out);
            }
        }
        if counts.items.len() > VALUES_MAX {
            self.all_values(spec, out);
        }
        out.extend_from_slice(b"</fieldset></details>");
    }

    fn option(&self, spec: &Spec, pick: &Pick, count: u32, on: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<label><input type=\"checkbox\" ");
        match pick {
            Pick::Value(ordinal) => out.extend_from_slice(self.html.options.bytes(*ordinal as usize)),
            Pick::Place(code) => out.extend_from_slice(option(spec.parameter, code).as_bytes()),
        }
        out.extend_from_slice(if on { b" checked> " } else { b"> " });
        match pick {
            Pick::Value(ordinal) => {
                out.extend_from_slice(self.language.labels.bytes(*ordinal as usize));
            }
            Pick::Place(code) => self.push_place(out, spec.facet, code),
        }
        push_count(out, count);
        out.extend_from_slice(b"</label>");
    }

    fn all_values(&self, spec: &Spec, out: &mut Vec<u8>) {
        out.extend_from_slice(b"<a href=\"");
        out.extend_from_slice(if self.query.locale == Locale::Es { b"/es" } else { b"" });
        out.extend_from_slice(b"/facets/");
        out.extend_from_slice(spec.name.as_bytes());
        out.extend_from_slice(b"\">");
        self.language.push_word(out, Word::AllValues);
        out.extend_from_slice(b"<span class=\"vh\">: ");
        out.extend_from_slice(self.language.facets.bytes(spec.facet as usize));
        out.extend_from_slice(b"</span></a>");
    }
}

/// Name and value of a checkbox.
#[must_use]
pub fn option(parameter: &str, value: &str) -> String {
    format!("name=\"{parameter}\" value=\"{}\"", escaped(value))
}
