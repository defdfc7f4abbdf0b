//! The list of HTML pages, and the families that all files of a site are rendered in.

use html::feed::Feed;
use minijinja::{Value, context};
use snapshot::facet::FACETS;
use snapshot::record::Locale;

use super::Pages;
use crate::downloads::FOLDER;
use crate::downloads::describe::DESCRIPTIONS;
use crate::files::{Family, File, Rendered, whole};

/// A page that every dataset has: where it is, its template, the locale keys of its title and of its description for search
/// engines, whether it shows records and so changes with the dataset, and its view.
pub(super) type Fixed = (&'static str, &'static str, [&'static str; 2], bool, View);

/// Template variables of a page.
type View = fn(&Pages<'_>, Locale) -> Value;

/// The view of a page that shows its words alone.
const NOTHING: View = |_, _| context! {};

/// Where the page for missing pages is.
pub(super) const MISSING: &str = "/404";

/// The pages that every dataset has. The shortlist is stored in the browser.
pub(super) static FIXED: [Fixed; 10] = [
    ("/", "home.html", ["site_tagline", "about_1"], true, |it, locale| it.home(locale)),
    ("/deadlines", "deadlines.html", ["deadlines_title", "deadlines_intro"], true, |it, locale| {
        it.deadlines_view(0, locale)
    }),
    ("/browse", "browse.html", ["browse_title", "browse_intro"], true, |it, locale| it.browse_view(locale)),
    ("/organizations", "list.html", ["organizations_title", "organizations_intro"], true, |it, locale| {
        it.organizations_view(locale)
    }),
    ("/shortlist", "shortlist.html", ["shortlist_title", "shortlist_intro"], false, NOTHING),
    ("/data", "data.html", ["data_title", "data_intro"], true, |it, locale| it.data_view(locale)),
    ("/docs/api", "api.html", ["api_title", "api_intro"], false, |it, _| it.api_view()),
    ("/docs/mcp", "mcp.html", ["mcp_title", "mcp_intro"], false, |it, _| it.mcp_view()),
    ("/about", "about.html", ["about_title", "about_1"], false, NOTHING),
    (MISSING, "error.html", ["error_title", "error_text"], false, NOTHING),
];

fn positions<T>(records: &[T]) -> Vec<usize> {
    (0..records.len()).collect()
}

/// One of each in every language of a site.
fn each<T: Copy>(of: impl IntoIterator<Item = T>, locales: &[Locale]) -> Vec<(T, Locale)> {
    of.into_iter().flat_map(|it| locales.iter().map(move |locale| (it, *locale))).collect()
}

impl<'a> Pages<'a> {
    /// Some files, and a page in every language of the site.
    fn in_each_language(&self, mut files: Vec<File>, page: impl Fn(Locale) -> Rendered) -> Rendered {
        self.locales().iter().try_for_each(|locale| page(*locale).map(|page| files.extend(page)))?;
        Ok(files)
    }

    /// Every page and every file beside them, by family.
    pub(crate) fn families(&'a self) -> Vec<Family<'a>> {
        let directory = self.directory;
        let all = self.locales();
        // As a file, the rows of every program would be the export once more.
        let files = Feed::ALL.into_iter().filter(|feed| *feed != Feed::Rows);
        let feeds = each([None].into_iter().chain(files.map(Some)), all);
        let mut families = vec![
            Family::new("programs", positions(&directory.programs), move |&at| {
                self.in_each_language(self.rest_program(at), |locale| self.program(at, locale))
            }),
            Family::new("organizations", positions(&directory.organizations), move |&at| {
                self.in_each_language(self.rest_organization(at), |locale| self.organization(at, locale))
            }),
            Family::new("recipients", positions(&directory.recipients), move |&at| {
                self.in_each_language(self.rest_recipient(at), |locale| self.recipient(at, locale))
            }),
            Family::new("facet pages", each(&FACETS, all), |&(spec, locale)| self.facet(spec, locale)),
            Family::new("months", each(self.months(), all), |&(month, locale)| self.month(month, locale)),
            Family::new("site pages", each(&FIXED, all), |&(page, locale)| self.fixed(page, locale)),
            Family::new("site files", self.machine_files(), |(path, text)| {
                Ok(vec![whole(path.clone(), text()?)])
            }),
            Family::new("descriptions", DESCRIPTIONS.to_vec(), |(name, text)| {
                Ok(vec![whole(format!("{FOLDER}/{name}"), text(self))])
            }),
        ];
        if let Some(html) = self.html {
            families
                .push(Family::new("search pages", feeds, |&(feed, locale)| self.search(html, feed, locale)));
        }
        families.extend(self.rest_families());
        families.retain(|family| family.count > 0);
        families
    }
}
