//! The pages of a build, and what the edge renders pages from.

use html::Html;
use rayon::prelude::*;
use snapshot::page::list::Numbers;
use snapshot::page::{Dated, Site, hole};
use snapshot::record::Directory;
use snapshot::time::Day;
use store::{NewFile, Stage};

use crate::downloads::Download;
use crate::error::GenerateError;
use crate::files::File;
use crate::options::BuildOptions;
use crate::pages::{PageCache, Pages};
use crate::progress::Progress;
use crate::rest::RestPages;
use crate::theme::Theme;

/// What the edge renders pages from.
const PAGES: &str = "index/pages.bin";

/// What pages are made from.
pub(crate) struct PageFiles<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) options: &'a BuildOptions,
    pub(crate) progress: &'a Progress,
    pub(crate) theme: &'a Theme,
    pub(crate) site: &'a Site,
    pub(crate) directory: &'a Directory,
    /// The program of each document.
    pub(crate) order: &'a [usize],
    pub(crate) numbers: &'a Numbers,
    pub(crate) downloads: &'a [Download],
}

impl PageFiles<'_> {
    /// Stores what the edge renders pages from, and pages.
    pub(crate) fn store(&self) -> Result<(), GenerateError> {
        let Self { directory, numbers, site, theme, downloads, .. } = *self;
        let (base_url, cache) = (&*self.options.base_url, PageCache::default());
        let templates = &theme.compile(&directory.dataset, base_url)?;
        let bare = Pages { directory, numbers, site, html: None, theme, templates, downloads, cache };
        let views = || -> Result<Html, GenerateError> {
            Ok(Html::open(&self.stage.put_sections(PAGES, bare.prepare(self.order))?, site)?)
        };
        let html = &self.progress.step("views", views)?;
        let pages = Pages { html: Some(html), ..bare };
        let dated = &site.dated(Day::new(self.options.as_of));
        let rest = RestPages { directory, numbers, site, dated, base_url };
        let families = pages.families(&rest, dated);
        families.into_par_iter().try_for_each(|family| {
            self.progress.each(family.name, (family.count, "pages"), |done| {
                family.render(|files| self.put(files, dated), done)
            })
        })
    }

    /// Stores the files of a page.
    fn put(&self, files: &[File], dated: &Dated) -> Result<(), GenerateError> {
        for (path, it) in files {
            let inputs = &hole::inputs(&it.holes, dated);
            let path = path.trim_start_matches('/');
            self.stage.put(NewFile { path, body: &it.bytes, holes: &it.holes, inputs })?;
        }
        Ok(())
    }
}
