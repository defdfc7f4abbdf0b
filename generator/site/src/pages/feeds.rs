//! The JSON Feed of new programs, and the calendar of each program.

use std::cmp::Reverse;

use html::calendar::calendar;
use serde_json::json;
use snapshot::record::Locale;

use super::Pages;

/// Path of the JSON Feed.
pub(super) const JSON_FEED: &str = "/feeds/new.json";
/// Maximum number of programs in the JSON Feed.
const ITEMS: usize = 100;

impl Pages<'_> {
    /// The programs that were listed last, newest first.
    fn newest(&self) -> Vec<usize> {
        let mut newest: Vec<usize> = (0..self.directory.programs.len()).collect();
        newest.sort_by_key(|program| {
            let program = &self.directory.programs[*program];
            (Reverse(program.created_at), program.id)
        });
        newest.truncate(ITEMS);
        newest
    }

    /// The newest programs as a JSON Feed (version 1.1).
    pub(super) fn json_feed(&self, locale: Locale) -> String {
        let item = |program: usize| {
            let it = &self.directory.programs[program];
            let organization = self.organization_of(program);
            let name = self.directory.text(it.entity(), locale, "name", &it.name);
            let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
            json!({
                "id": format!("tag:{},2026:program/{}", self.templates.site.host, it.id),
                "url": self.address(&format!("/programs/{}", it.slug), locale),
                "title": name,
                "content_text": summary.unwrap_or(name),
                "date_published": it.created_at,
                "date_modified": it.updated_at,
                "authors": [{ "name": self.directory.text(organization.entity(), locale, "name", &organization.name) }],
            })
        };
        let feed = json!({
            "version": "https://jsonfeed.org/version/1.1",
            "title": format!("{}: {}", self.directory.dataset.title, self.word(locale, "home_new")),
            "home_page_url": self.address("/programs", locale),
            "feed_url": self.address(JSON_FEED, locale),
            "language": locale.as_str(),
            "items": self.newest().into_iter().map(item).collect::<Vec<_>>(),
        });
        feed.to_string()
    }

    /// The calendar of a program, if it has events.
    pub(super) fn calendar(&self, program: usize, locale: Locale) -> Option<String> {
        let view = self.view(program, locale);
        (!view.seasons.is_empty()).then(|| calendar(self.templates, locale, ("", None), [view]))
    }
}
