//! What the edge renders pages from: `index/pages.bin`.

use dataset::parallel;
use html::index::{self, Document, LanguageEntries, SharedEntries};
use snapshot::facet::Facet;
use snapshot::record::{Locale, Number};
use snapshot::text::tokens;
use store::sections::SectionWriter;

use super::{Local, Pages};
use crate::csv_rows;

/// Programs that are prepared before they are written.
const SHARE: usize = 4096;
/// Limits between the bars of the chart of amounts, in US dollars.
const STEPS: [f64; 5] = [1e3, 1e4, 1e5, 1e6, 1e7];

impl Pages<'_> {
    /// `pages.bin` of a directory; `order` gives the program of each document.
    pub fn prepare(&self, order: &[usize]) -> SectionWriter {
        let documents = |share| parallel::flat_map(share, |program| [self.document(*program)]);
        let documents = order.chunks(SHARE).flat_map(documents);
        let entries = parallel::map(self.locals(), |it| (it.locale, it.entries()));
        // `O'Brien` is found as `o brien` and as `obrien`.
        let names = |locale| {
            let words = move |name: &str| {
                let mut words = String::new();
                tokens(name, |word, _| words.extend([word, " "]));
                words
            };
            self.local(locale).listed_recipients().into_iter().map(move |(link, _)| words(&link.text))
        };
        let shared = SharedEntries {
            templates: self.theme.files.clone(),
            words: self.theme.words.clone(),
            site: self.templates.site.clone(),
            recipients: names(Locale::En).zip(names(Locale::Es)).map(|(en, es)| en + &es).collect(),
            hints: self.hints(),
            csv_head: format!("\u{feff}{}", csv_rows::head()),
        };
        index::write(documents, &entries, &shared)
    }

    /// The view and the passages of a program in each language, and its CSV row.
    fn document(&self, program: usize) -> Document {
        let main = self.main_locale();
        let passages = self.local(main).program(program).passages();
        let entry = |it: Local<'_>| {
            let it = it.program(program);
            let own = Some(it.passages()).filter(|own| it.locale == main || *own != passages);
            (it.view(), own.unwrap_or_default())
        };
        let csv = csv_rows::start(&self.shaper(Locale::En).program_summary(program));
        (self.locals().map(entry).collect(), csv)
    }
}

impl Local<'_> {
    fn entries(&self) -> LanguageEntries {
        let values = &self.site.index.values;
        let ordinals: Vec<u32> = (0..values.ordinals() as u32).collect();
        let label = |&ordinal: &u32| {
            let facet: Facet = values.facet_of(ordinal);
            let (label, lang) = self.spoken_label(facet, values.text(ordinal));
            [(lang, label)]
        };
        LanguageEntries {
            labels: parallel::flat_map(&ordinals, label),
            recipients: self.listed_recipients(),
            sums: self.sums(),
        }
    }

    /// Number of programs by the most that one award pays; empty if none states an amount.
    fn sums(&self) -> Vec<(String, u64)> {
        let paid = self.directory.programs.iter().filter_map(|it| it.funding_max_usd.or(it.funding_min_usd));
        let mut counts = [0u64; STEPS.len() + 1];
        for sum in paid {
            counts[STEPS.iter().take_while(|step| sum.0 >= **step).count()] += 1;
        }
        let step = |at: usize| STEPS.get(at).map(|step| self.money(Number(*step), "USD"));
        let sum = |(at, count): (usize, u64)| {
            let from = at.checked_sub(1).and_then(step);
            let to = step(at).filter(|_| from.is_none());
            (self.range(from, to).unwrap_or_default(), count)
        };
        let is_stated = counts.iter().any(|count| *count > 0);
        counts.into_iter().enumerate().filter(|_| is_stated).map(sum).collect()
    }
}
