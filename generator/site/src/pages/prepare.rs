//! Prepares the fragments of search pages and feeds for the edge: `index/html.bin`.

use html::prepare::OrganizationEntry;
use html::prepare::checkbox_attributes;
use html::prepare::{DocumentFragments, DocumentParts, FragmentsWriter, LanguageParts, Shared};
use html::{Message, bar_width};
use rayon::prelude::*;
use snapshot::facet::{FACETS, Facet};
use snapshot::page::shape::Shaper;
use snapshot::page::text::{escaped, grouped};
use snapshot::query::{PARAMETERS, ParameterKind};
use snapshot::record::{Locale, Number};
use snapshot::text::tokens;
use store::sections::SectionWriter;

use minijinja::{Value, context};

use super::Pages;
use crate::csv_rows;
use crate::theme::SLOT;

/// Programs whose fragments are made before they are written.
const SHARE: usize = 4096;
/// Limits between the bars of the chart of amounts, in US dollars.
const STEPS: [f64; 5] = [1e3, 1e4, 1e5, 1e6, 1e7];

/// Fields of the search form that take numbers or dates: names and types, in order.
fn fields() -> Vec<(&'static str, &'static str)> {
    let place = |kind: ParameterKind| match kind {
        ParameterKind::Least(measure) | ParameterKind::Most(measure) => {
            Some((measure.spec().search_page_rank, "number"))
        }
        ParameterKind::DeadlineFrom | ParameterKind::DeadlineTo => Some((1, "date")),
        _ => None,
    };
    let placed = PARAMETERS.iter().filter_map(|it| place(it.kind).map(|(at, input)| (at, it.name, input)));
    let mut fields: Vec<_> = placed.collect();
    fields.sort_by_key(|(at, ..)| *at);
    fields.into_iter().map(|(_, name, input)| (name, input)).collect()
}

impl Pages<'_> {
    /// `html.bin` of a directory; `order` gives the program of each document.
    ///
    /// # Errors
    ///
    /// If a template of a theme does not render.
    pub fn prepare(&self, order: &[usize]) -> Result<SectionWriter, minijinja::Error> {
        let mut all = FragmentsWriter::new(self.locales());
        for share in order.chunks(SHARE) {
            let documents = share.par_iter().map(|program| self.document(*program));
            documents.collect::<Result<Vec<_>, _>>()?.iter().for_each(|document| all.add(document));
        }
        let mut writer = SectionWriter::default();
        self.finish_fragments(all, &mut writer)?;
        Ok(writer)
    }

    /// The fragments of a program.
    fn document(&self, program: usize) -> Result<DocumentFragments, minijinja::Error> {
        let main = self.main_locale();
        let passages = self.passages(program, main);
        let own = |locale| match self.passages(program, locale) {
            own if own == passages => String::new(),
            own => own,
        };
        let language = |&locale: &Locale| {
            Ok(DocumentParts {
                row: self.row(program, locale)?,
                passages: if locale == main { passages.clone() } else { own(locale) },
                line: self.line(program, locale)?,
                entry: self.entry(program, locale),
                events: self.events(program, locale),
            })
        };
        let shaper = Shaper { directory: self.directory, locale: Locale::En };
        Ok(DocumentFragments {
            languages: self.locales().iter().map(language).collect::<Result<_, minijinja::Error>>()?,
            csv: csv_rows::start(&shaper.program_summary(program)),
            kind: self.kind(program),
        })
    }

    /// `html.bin`, once the fragments of all programs were added.
    ///
    /// # Errors
    ///
    /// If a template of a theme does not render.
    fn finish_fragments(
        &self,
        documents: FragmentsWriter,
        writer: &mut SectionWriter,
    ) -> Result<(), minijinja::Error> {
        let parts = self.locales().par_iter().map(|locale| self.language_of(*locale));
        let parts = parts.collect::<Result<Vec<_>, minijinja::Error>>()?;
        let values = &self.site.index.values;
        let spec = |ordinal: u32| &FACETS[values.facet_of(ordinal) as usize];
        let ordinals = 0..values.ordinals() as u32;
        // `O'Brien` is found as `o brien` and as `obrien`.
        let names = |locale| {
            let listed = self.listed_recipients(locale).into_iter();
            listed.map(|[name, _]| {
                let mut words = String::new();
                tokens(&name, |word, _| words.extend([word, " "]));
                words
            })
        };
        let shared = Shared {
            options: ordinals
                .map(|ordinal| checkbox_attributes(spec(ordinal).parameter, values.text(ordinal)))
                .collect(),
            organizations: self.by_slug().into_iter().map(|at| self.known(at)).collect(),
            recipients: names(Locale::En).zip(names(Locale::Es)).map(|(en, es)| en + &es).collect(),
            hints: self.hints(),
        };
        documents.finish(&parts, &shared, writer);
        Ok(())
    }

    /// The organizations in the order of their numbers on pages.
    pub(super) fn by_slug(&self) -> Vec<usize> {
        let all = &self.directory.organizations;
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| all[*a].slug.cmp(&all[*b].slug));
        order
    }

    fn known(&self, organization: usize) -> OrganizationEntry {
        let it = &self.directory.organizations[organization];
        let links = &self.directory.organization_links[organization];
        let mut docs: Vec<u32> = links.programs.iter().map(|program| self.numbers.doc_of[*program]).collect();
        docs.sort_unstable();
        let name = |locale| self.directory.text(it.entity(), locale, "name", &it.name).to_owned();
        let slugs = links.aliases.iter().map(|alias| self.directory.aliases[*alias].slug.to_string());
        let called = Locale::ALL.iter().map(|locale| name(*locale)).chain(slugs);
        let aliases = it.aliases.iter().map(ToString::to_string);
        OrganizationEntry {
            slug: it.slug.to_string(),
            called: called.chain(aliases).collect(),
            names: [escaped(&name(Locale::En)), escaped(&name(Locale::Es))],
            docs,
        }
    }

    /// The facet value of a program's type, or a number beyond all values.
    fn kind(&self, program: usize) -> u32 {
        let kind = &self.directory.programs[program].program_type;
        self.site.index.values.find(Facet::Types, kind).unwrap_or(u32::MAX)
    }

    fn language_of(&self, locale: Locale) -> Result<LanguageParts, minijinja::Error> {
        let values = &self.site.index.values;
        let word = |key: &str| escaped(self.word(locale, key));
        let label = |ordinal: u32| -> String {
            let facet: Facet = values.facet_of(ordinal);
            let text = values.text(ordinal);
            let (label, language) = self.spoken_label(facet, text, locale);
            let language = language.map(|it| format!(" lang=\"{it}\"")).unwrap_or_default();
            if text.is_empty() { String::new() } else { format!("<bdi{language}>{}</bdi>", escaped(&label)) }
        };
        let parameter = |name: &str| match FACETS.iter().find(|spec| spec.parameter == name) {
            Some(spec) => word(&format!("facet_{}", spec.name)),
            None => word(&format!("param_{name}")),
        };
        Ok(LanguageParts {
            words: Message::KEYS.iter().map(|key| word(key)).collect(),
            facets: FACETS.iter().map(|spec| word(&format!("facet_{}", spec.name))).collect(),
            parameters: PARAMETERS.iter().map(|it| parameter(it.name)).collect(),
            labels: (0..values.ordinals() as u32).into_par_iter().map(label).collect(),
            feed: self.feed_parts(locale),
            search: self.search_skeleton(locale)?,
            list: self.skeleton("recipients.html", ("/recipients", "recipients"), locale, context! {})?,
            recipients: self.listed_recipients(locale).into_iter().map(|[_, item]| item).collect(),
        })
    }

    /// Chart of the number of programs by maximum amount of one award; empty if none states an amount.
    fn sums(&self, locale: Locale) -> Vec<Value> {
        let paid = self.directory.programs.iter().filter_map(|it| it.funding_max_usd.or(it.funding_min_usd));
        let mut counts = [0u64; STEPS.len() + 1];
        for sum in paid {
            counts[STEPS.iter().take_while(|step| sum.0 >= **step).count()] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        let step = |at: usize| STEPS.get(at).map(|step| self.money(Number(*step), locale));
        let bar = |(at, count): (usize, &u64)| {
            let from = at.checked_sub(1).and_then(step);
            let to = step(at).filter(|_| from.is_none());
            let text = self.range(from, to, locale);
            context! { text, width => bar_width(*count, most), count => grouped(*count, locale) }
        };
        if most == 0 { Vec::new() } else { counts.iter().enumerate().map(bar).collect() }
    }

    fn search_skeleton(&self, locale: Locale) -> Result<(Vec<String>, Vec<u32>), minijinja::Error> {
        let fields: Vec<Value> = fields()
            .into_iter()
            .map(|(name, input)| {
                context! { name, type => input, text => self.word(locale, &format!("param_{name}")) }
            })
            .collect();
        let description = self.word(locale, "home_what");
        let view = context! { fields, description, sums => self.sums(locale) };
        self.skeleton("search.html", ("/programs", "search"), locale, view)
    }

    /// A page split at its slots.
    fn skeleton(
        &self,
        template: &str,
        (path, name): (&str, &str),
        locale: Locale,
        view: Value,
    ) -> Result<(Vec<String>, Vec<u32>), minijinja::Error> {
        let title = self.word(locale, &format!("{name}_title"));
        let page = self.render(template, locale, (path, title), view)?;
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
