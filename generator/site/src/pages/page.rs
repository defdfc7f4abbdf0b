//! The list of HTML pages, and the families that all files of a site are rendered in.

use html::feed::Feed;
use minijinja::{Value, context};
use snapshot::facet::FACETS;
use snapshot::page::Dated;
use snapshot::record::Locale;

use super::Pages;
use crate::downloads::FOLDER;
use crate::downloads::describe::DESCRIPTIONS;
use crate::files::{Family, File, Rendered, whole};
use crate::rest::RestPages;

/// A page that every dataset has.
pub(super) struct Fixed {
    /// Where it is.
    pub(super) path: &'static str,
    pub(super) template: &'static str,
    /// Locale keys of its title, and of its description for search engines.
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// Whether it shows records and so changes with the dataset.
    pub(super) lists_records: bool,
    pub(super) view: View,
}

/// Template variables of a page.
type View = fn(&Pages<'_>, Locale, &Dated) -> Value;

/// The view of a page that shows its words alone.
const NOTHING: View = |_, _, _| context! {};

/// Where the page for missing pages is.
pub(super) const MISSING: &str = "/404";

/// The pages that every dataset has. The shortlist is stored in the browser.
pub(super) static FIXED: [Fixed; 10] = [
    fixed("/", "home.html", ["site_tagline", "about_1"], true, |it, locale, _| it.home(locale)),
    fixed("/deadlines", "deadlines.html", ["deadlines_title", "deadlines_intro"], true, |it, locale, _| {
        it.deadlines_view(0, locale)
    }),
    fixed("/browse", "browse.html", ["browse_title", "browse_intro"], true, |it, locale, dated| {
        it.browse_view(locale, dated)
    }),
    fixed(
        "/organizations",
        "list.html",
        ["organizations_title", "organizations_intro"],
        true,
        |it, locale, _| it.organizations_view(locale),
    ),
    fixed("/shortlist", "shortlist.html", ["shortlist_title", "shortlist_intro"], false, NOTHING),
    fixed("/data", "data.html", ["data_title", "data_intro"], true, |it, locale, _| it.data_view(locale)),
    fixed("/docs/api", "api.html", ["api_title", "api_intro"], false, |it, _, _| it.api_view()),
    fixed("/docs/mcp", "mcp.html", ["mcp_title", "mcp_intro"], false, |it, _, _| it.mcp_view()),
    fixed("/about", "about.html", ["about_title", "about_1"], false, NOTHING),
    fixed(MISSING, "error.html", ["error_title", "error_text"], false, NOTHING),
];

const fn fixed(
    path: &'static str,
    template: &'static str,
    [title, description]: [&'static str; 2],
    lists_records: bool,
    view: View,
) -> Fixed {
    Fixed { path, template, title, description, lists_records, view }
}

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
    pub(crate) fn families(&'a self, rest: &'a RestPages<'a>, dated: &'a Dated) -> Vec<Family<'a>> {
        let directory = self.directory;
        let all = self.locales();
        // As a file, the rows of every program would be the export once more.
        let files = Feed::ALL.into_iter().filter(|feed| *feed != Feed::Rows);
        let feeds = each([None].into_iter().chain(files.map(Some)), all);
        let mut families = vec![
            Family::new("programs", positions(&directory.programs), move |&at| {
                self.in_each_language(rest.program(at), |locale| self.program(at, locale, dated))
            }),
            Family::new("organizations", positions(&directory.organizations), move |&at| {
                self.in_each_language(rest.organization(at), |locale| self.organization(at, locale, dated))
            }),
            Family::new("recipients", positions(&directory.recipients), move |&at| {
                self.in_each_language(rest.recipient(at), |locale| self.recipient(at, locale, dated))
            }),
            Family::new("facet pages", each(&FACETS, all), |&(spec, locale)| self.facet(spec, locale, dated)),
            Family::new("months", each(self.months(dated), all), |&(month, locale)| {
                self.month(month, locale, dated)
            }),
            Family::new("site pages", each(&FIXED, all), |&(page, locale)| self.fixed(page, locale, dated)),
            Family::new("site files", self.machine_files(), |(path, text)| {
                Ok(vec![whole(path.clone(), text()?)])
            }),
            Family::new("descriptions", DESCRIPTIONS.to_vec(), |(name, text)| {
                Ok(vec![whole(format!("{FOLDER}/{name}"), text(&self.describer()))])
            }),
        ];
        if let Some(html) = self.html {
            families.push(Family::new("search pages", feeds, |&(feed, locale)| {
                self.search(html, feed, locale, dated)
            }));
        }
        families.extend(rest.families());
        families.retain(|family| family.count > 0);
        families
    }
}
