//! What the edge splices search pages and feeds from: `index/html.bin`.

use rayon::prelude::*;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::html::search::option;
use snapshot::page::html::{Prepared, Shared, Word, escaped, write};
use snapshot::page::shape::Shaper;
use snapshot::query::{Kind, PARAMETERS};
use snapshot::record::Locale;
use snapshot::store::sections::{SectionWriter, Sections};

use minijinja::{Value, context};

use super::Pages;
use super::theme::SLOT;
use crate::render::csv;

/// Fields of the search form that take numbers or dates: names and types, in order.
fn fields() -> Vec<(&'static str, &'static str)> {
    let place = |kind: Kind| match kind {
        Kind::Least(measure) | Kind::Most(measure) => Some((measure.spec().panel, "number")),
        Kind::DeadlineFrom | Kind::DeadlineTo => Some((1, "date")),
        _ => None,
    };
    let placed = PARAMETERS.iter().filter_map(|it| place(it.kind).map(|(at, input)| (at, it.name, input)));
    let mut fields: Vec<_> = placed.collect();
    fields.sort_by_key(|(at, ..)| *at);
    fields.into_iter().map(|(_, name, input)| (name, input)).collect()
}

impl Pages<'_> {
    /// `html.bin`; `order` gives the program of each document.
    ///
    /// # Errors
    ///
    /// If a template of a theme does not render.
    pub fn prepare(&self, order: &[usize]) -> Result<Sections, minijinja::Error> {
        let mut writer = SectionWriter::default();
        let prepared = [self.language_of(order, Locale::En)?, self.language_of(order, Locale::Es)?];
        let values = &self.site.index.values;
        let shaper = Shaper { directory: self.directory, locale: Locale::En };
        let spec = |ordinal: u32| &FACETS[values.facet_of(ordinal) as usize];
        let ordinals = 0..values.ordinals() as u32;
        let shared = Shared {
            options: ordinals.map(|ordinal| option(spec(ordinal).parameter, values.text(ordinal))).collect(),
            events: order.par_iter().map(|program| self.events(*program)).collect(),
            csv: order.par_iter().map(|program| csv::start(&shaper.program_summary(*program))).collect(),
        };
        write(&prepared, &shared, &mut writer);
        Ok(writer.finish())
    }

    fn language_of(&self, order: &[usize], locale: Locale) -> Result<Prepared, minijinja::Error> {
        let values = &self.site.index.values;
        let word = |key: &str| escaped(self.word(locale, key));
        let label = |ordinal: u32| -> String {
            let facet: Facet = values.facet_of(ordinal);
            let text = values.text(ordinal);
            match self.spoken_label(facet, text, locale) {
                _ if text.is_empty() => String::new(),
                (label, Some(language)) => format!("<span lang=\"{language}\">{}</span>", escaped(&label)),
                (label, None) => escaped(&label),
            }
        };
        let parameter = |name: &str| match FACETS.iter().find(|spec| spec.parameter == name) {
            Some(spec) => word(&format!("facet_{}", spec.name)),
            None => word(&format!("param_{name}")),
        };
        let (pieces, slots) = self.skeleton(locale)?;
        Ok(Prepared {
            words: Word::KEYS.iter().map(|key| word(key)).collect(),
            facets: FACETS.iter().map(|spec| word(&format!("facet_{}", spec.name))).collect(),
            parameters: PARAMETERS.iter().map(|it| parameter(it.name)).collect(),
            rows: order.par_iter().map(|program| self.row(*program, locale)).collect::<Result<_, _>>()?,
            passages: order.par_iter().map(|program| self.own_passages(*program, locale)).collect(),
            lines: order.par_iter().map(|program| self.line(*program, locale)).collect::<Result<_, _>>()?,
            labels: (0..values.ordinals() as u32).map(label).collect(),
            entries: order.par_iter().map(|program| self.entry(*program, locale)).collect(),
            feed: self.feed_parts(locale),
            pieces,
            slots,
        })
    }

    /// Passages of a row; nothing where they are those of the English one.
    fn own_passages(&self, program: usize, locale: Locale) -> String {
        let passages = self.passages(program, locale);
        let is_same = locale != Locale::En && passages == self.passages(program, Locale::En);
        if is_same { String::new() } else { passages }
    }

    /// The search page, cut at its slots.
    fn skeleton(&self, locale: Locale) -> Result<(Vec<String>, Vec<u32>), minijinja::Error> {
        let fields: Vec<Value> = fields()
            .into_iter()
            .map(|(name, input)| {
                context! { name, type => input, text => self.word(locale, &format!("param_{name}")) }
            })
            .collect();
        let title = self.word(locale, "search_title");
        let page = self.render("search.html", locale, ("/programs", title), context! { fields })?;
        let (mut pieces, mut slots) = (Vec::new(), Vec::new());
        for (position, part) in page.split(SLOT).enumerate() {
            if position % 2 == 0 {
                pieces.push(part.to_owned());
            } else {
                slots.extend(part.parse::<u32>());
            }
        }
        Ok((pieces, slots))
    }
}
