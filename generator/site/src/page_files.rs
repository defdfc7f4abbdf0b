//! Tables, fragments and pages of a build: what programs have part by part, the rest from all records at once.

use html::prepare::FragmentsWriter;
use html::{Filler, Html};
use rayon::prelude::*;
use snapshot::page::Site;
use snapshot::page::list::{Numbers, documents};
use snapshot::record::Directory;
use snapshot::search;
use snapshot::time::Day;
use store::sections::SectionWriter;
use store::spill::Spill;
use store::{NewFile, Stage};

use crate::downloads::{Download, RowDigests};
use crate::error::GenerateError;
use crate::files::{File, Records};
use crate::options::BuildOptions;
use crate::pages::{Keys, PageCache, Pages};
use crate::progress::Progress;
use crate::rest::RestPages;
use crate::theme::Theme;

/// Path of the fragments of HTML pages.
const HTML: &str = "index/html.bin";

/// A part of the programs, with what belongs to them.
pub(crate) struct Part<'a> {
    pub(crate) directory: &'a Directory,
    /// The program of each of its documents.
    pub(crate) order: &'a [usize],
}

/// What is done with each part, in the order of documents.
pub(crate) type Visit<'a> = &'a mut (dyn FnMut(Part<'_>) -> Result<(), GenerateError> + Send);
/// The same with the hashes of the rows of the part.
pub(crate) type FirstVisit<'a> =
    &'a mut (dyn FnMut(Part<'_>, &RowDigests) -> Result<(), GenerateError> + Send);

/// The programs of a build, in parts that fit into memory.
pub(crate) trait Parts {
    /// Visits every part for the first time; gives the tables, which are stored by then.
    fn first(&mut self, build: &PageFiles<'_>, visit: FirstVisit<'_>)
    -> Result<Vec<Download>, GenerateError>;

    /// Visits every part again.
    fn again(&mut self, build: &PageFiles<'_>, visit: Visit<'_>) -> Result<(), GenerateError>;

    /// The hashes of the rows of all records, if they are known.
    fn all_digests(&self) -> Option<&RowDigests>;
}

/// The keys of the programs of each part, if the inputs of the build are known.
type PartKeys = Vec<Option<Keys>>;

/// What pages are made from, beside the programs in parts.
pub(crate) struct PageFiles<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) options: &'a BuildOptions,
    pub(crate) progress: &'a Progress,
    pub(crate) theme: &'a Theme,
    pub(crate) site: &'a Site,
    /// All records; of a build in parts, their outline.
    pub(crate) directory: &'a Directory,
    /// Where long columns are kept until they are stored.
    pub(crate) spill: &'a Spill,
}

impl PageFiles<'_> {
    /// Stores tables, fragments and pages.
    pub(crate) fn store(&self, parts: &mut dyn Parts) -> Result<(), GenerateError> {
        let order = search::document_order(self.directory, self.day());
        let bare = Pages {
            directory: self.directory,
            numbers: &Numbers::new(self.directory, &order),
            site: self.site,
            html: None,
            theme: self.theme,
            base_url: &self.options.base_url,
            downloads: &[],
            cache: PageCache::default(),
        };
        let (fragments, keys, downloads) = self.fragments(&bare, parts)?;
        let html = self.progress.step("suggestions", || self.finish_fragments(&bare, fragments))?;
        let pages = Pages { html: Some(&html), downloads: &downloads, ..bare };
        let fill = Filler { html: &html, dated: &self.site.dated(self.day()) };
        self.programs(&pages, fill, keys, parts)?;
        self.others(&pages, fill, parts.all_digests())
    }

    pub(crate) fn day(&self) -> Day {
        Day::new(self.options.as_of)
    }

    /// Makes the fragments of programs, and stores the tables; gives the keys of the programs of each part too.
    fn fragments(
        &self,
        pages: &Pages<'_>,
        parts: &mut dyn Parts,
    ) -> Result<(FragmentsWriter, PartKeys, Vec<Download>), GenerateError> {
        let mut fragments = FragmentsWriter::new(&self.directory.dataset.locales, self.spill);
        let (mut keys, mut first) = (Vec::new(), 0);
        let downloads = parts.first(self, &mut |part, digests| {
            let numbers = self.numbers(pages, &part, &mut first);
            let pages = Pages { directory: part.directory, numbers: &numbers, ..pages.clone() };
            let programs = Records::programs(part.directory);
            let own = self.options.made_from.map(|it| pages.keys(it.tools, digests, programs));
            let live =
                own.as_ref().and_then(|keys| pages.live_fragments(keys, |it| self.stage.live_with(it)));
            pages.add_fragments(part.order, live.as_ref(), &mut fragments)?;
            keys.push(own);
            Ok(())
        })?;
        Ok((fragments, keys, downloads))
    }

    fn finish_fragments(&self, pages: &Pages<'_>, fragments: FragmentsWriter) -> Result<Html, GenerateError> {
        let mut writer = SectionWriter::spilling(self.spill);
        pages.finish_fragments(fragments, &mut writer)?;
        Ok(Html::open(&self.stage.put_sections(HTML, writer)?, self.site)?)
    }

    /// The numbers of a part, whose first document is `first`; moves that to the next part.
    fn numbers(&self, pages: &Pages<'_>, part: &Part<'_>, first: &mut u32) -> Numbers {
        let documents = documents(part.order, *first);
        *first += part.order.len() as u32;
        pages.numbers.of_part(self.directory, part.directory, documents)
    }

    /// Stores the pages of programs: takes those of unchanged ones from the live snapshot, renders the others.
    fn programs(
        &self,
        pages: &Pages<'_>,
        fill: Filler<'_>,
        keys: PartKeys,
        parts: &mut dyn Parts,
    ) -> Result<(), GenerateError> {
        let (mut keys, mut first) = (keys.into_iter(), 0);
        self.progress.each("programs", (self.directory.programs.len(), "pages"), |done| {
            parts.again(self, &mut |part| {
                let numbers = self.numbers(pages, &part, &mut first);
                let pages = Pages { directory: part.directory, numbers: &numbers, ..pages.clone() };
                let all = Records::programs(part.directory);
                let count = all.programs.len();
                let left = keys.next().flatten().map_or(all, |keys| self.unkept(&pages, fill, &keys));
                (left.programs.len()..count).for_each(|_| done());
                let rest = rest_pages(&pages, fill);
                pages.programs(&rest, left.programs, fill.dated).render(|files| self.put(files), done)
            })
        })
    }

    /// Stores the other pages and files.
    fn others(
        &self,
        pages: &Pages<'_>,
        fill: Filler<'_>,
        digests: Option<&RowDigests>,
    ) -> Result<(), GenerateError> {
        let all = Records::others(self.directory);
        let left = self.options.made_from.map(|it| {
            let keys = match digests {
                Some(digests) => pages.keys(it.tools, digests, all.clone()),
                None => pages.keys(it.tools, &RowDigests::new(self.directory), all.clone()),
            };
            self.unkept(pages, fill, &keys)
        });
        let rest = rest_pages(pages, fill);
        let families = pages.families(&rest, &left.unwrap_or(all), fill.dated);
        families.into_par_iter().try_for_each(|family| {
            self.progress.each(family.name, (family.count, "pages"), |done| {
                family.render(|files| self.put(files), done)
            })
        })
    }

    /// The records with keys whose pages cannot be taken from the live snapshot.
    fn unkept(&self, pages: &Pages<'_>, fill: Filler<'_>, keys: &Keys) -> Records {
        let encode = self.options.effort.encoder();
        let encodings = self.options.effort.has_encodings();
        pages.unkept(keys, fill, |record, renew| self.stage.keep(record, renew, (encodings, &encode)))
    }

    /// Stores the files of a page.
    fn put(&self, files: &[File]) -> Result<(), GenerateError> {
        let new = files.iter().map(|(path, it)| NewFile {
            path,
            body: &it.bytes,
            holes: &it.holes,
            encodings: self.options.effort.has_encodings(),
        });
        Ok(self.stage.put_record(&new.collect::<Vec<_>>(), &self.options.effort.encoder())?)
    }
}

fn rest_pages<'p>(pages: &Pages<'p>, fill: Filler<'p>) -> RestPages<'p> {
    let Pages { directory, numbers, site, base_url, .. } = *pages;
    RestPages { directory, numbers, site, dated: fill.dated, base_url }
}
