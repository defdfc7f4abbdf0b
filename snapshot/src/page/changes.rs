//! What changed, as lines of JSON, as one object with the same lines, and as an Atom feed (RFC 4287) whose removals are
//! those of RFC 6721. The edge and exports write the same bytes.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Deserialize;

use crate::page::json::push_items;
use crate::page::text::escaped;
use crate::page::{Site, push_json};
use crate::record::Locale;
use crate::record::field_table::Object;
use store::RecordChange;

/// Path of the lines.
pub const LINES: &str = "/changes";
/// Path of the object.
pub const PAGE: &str = "/api/v1/changes";
/// Path of the feed.
pub const FEED: &str = "/changes.atom";
/// Most entries of the feed.
pub const ENTRIES_MAX: usize = 100;

/// The kinds of records that the feed names.
const PROGRAMS: &str = "programs";
const ORGANIZATIONS: &str = "organizations";

/// What one record of a kind is called.
fn singular(kind: &str) -> &str {
    kind.strip_suffix('s').unwrap_or(kind)
}

/// The lines in one object, with the position at which the next one starts.
pub fn page(base_url: &str, changed: &[RecordChange<'_>], limit: usize, next: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 * (changed.len() + 1));
    out.extend_from_slice(b"{\"data\":[");
    push_items(&mut out, changed, |changed, out| push_change(out, base_url, changed));
    out.extend_from_slice(b"],\"meta\":");
    let meta = Object::default().with("limit", limit).with("count", changed.len()).with("next", next);
    push_json(&mut out, &meta);
    out.push(b'}');
    out
}

/// The lines.
pub fn lines(base_url: &str, changed: &[RecordChange<'_>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 * changed.len());
    for changed in changed {
        push_change(&mut out, base_url, changed);
        out.push(b'\n');
    }
    out
}

/// Appends a record at its last change.
fn push_change(out: &mut Vec<u8>, base_url: &str, changed: &RecordChange<'_>) {
    let RecordChange { sequence, at, kind, slug, id, version, moved_to } = *changed;
    let line = Object::default()
        .with("seq", sequence as usize)
        .with("op", if version.is_some() { "upsert" } else { "delete" })
        .with("kind", singular(kind))
        .with("id", id)
        .with("slug", slug)
        .with("url", format!("{base_url}/api/v1/{kind}/{slug}"))
        .with("movedTo", moved_to)
        .with("at", at)
        .with("version", version.map(|version| format!("{:032x}", u128::from_be_bytes(version))));
    push_json(out, &line.stated());
}

/// The feed: records that changed last, the newest first. `published` is when there was nothing yet.
pub fn feed(site: &Site, base_url: &str, published: Timestamp, newest: &[RecordChange<'_>]) -> Vec<u8> {
    let updated = newest.iter().map(|it| it.at).max().unwrap_or(published);
    let (base, title) = (escaped(base_url), escaped(&site.lists.about.title));
    let pages = if site.lists.about.only_locale == Some(Locale::Es) { "/es" } else { "" };
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:at=\"http://purl.org/atompub/tombstones/1.0\" \
         xml:lang=\"en\"><title>{title}: changes</title><id>{base}{FEED}</id><updated>{updated}</updated>\
         <rights>CC BY 4.0</rights><author><name>{title}</name></author>\
         <link rel=\"self\" type=\"application/atom+xml\" href=\"{base}{FEED}\"/>\
         <link rel=\"alternate\" type=\"text/html\" href=\"{base}{pages}/data\"/>\n"
    );
    let mut there = HashSet::new();
    for RecordChange { at, kind, slug, version, .. } in newest {
        // The address is what an entry is known by: a record that moved is another entry, and the one at its former
        // address is gone.
        if version.is_none() {
            // Where another record has the address since, its entry is listed before.
            if !there.contains(&(*kind, *slug)) {
                out.push_str(&format!("<at:deleted-entry ref=\"{base}/{kind}/{slug}\" when=\"{at}\"/>\n"));
            }
            continue;
        }
        there.insert((*kind, *slug));
        let name = name(site, kind, slug);
        out.push_str(&format!(
            "<entry><id>{base}/{kind}/{slug}</id><title>{}</title><updated>{at}</updated>\
             <link rel=\"alternate\" type=\"text/html\" href=\"{base}{pages}/{kind}/{slug}\"/>\
             <link rel=\"alternate\" type=\"application/json\" href=\"{base}/api/v1/{kind}/{slug}\"/>\
             <category term=\"{}\"/></entry>\n",
            escaped(name.as_deref().unwrap_or(slug)),
            singular(kind),
        ));
    }
    out.push_str("</feed>\n");
    out.into_bytes()
}

/// The name of a program or an organization. Recipients, which may be a million, are not looked through for theirs.
fn name(site: &Site, kind: &str, slug: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let organizations = &site.index.organizations;
    match kind {
        PROGRAMS => {
            // A row ends before what depends on the day.
            let row = [site.rows.row(site.index.find(slug)?, Locale::En), b"null}"].concat();
            serde_json::from_slice(&row).ok().map(|named: Named| named.name)
        }
        ORGANIZATIONS => {
            organizations.find(slug).map(|number| organizations.name(number, Locale::En).to_owned())
        }
        _ => None,
    }
}
