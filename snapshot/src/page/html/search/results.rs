//! The rows, their headings, the way to other pages of them, and their order.

use super::{Splice, path};
use crate::page::html::{Word, escaped, grouped, push_results, ways};
use crate::page::push_number;
use crate::query::{PAGE_RANGE, Sort};
use crate::search::rank::Row;
use crate::search::tiers::Tier;
use crate::search::without::{Without, without};

impl Splice<'_> {
    /// How many records match: those that admit a place by a wider one are said to, where no others do.
    pub(super) fn count(&self, out: &mut Vec<u8>) {
        let (wider, more) = self.wider();
        if wider == 0 {
            return push_results(self.language, out, self.answer.total);
        }
        let word = match (more, wider) {
            (true, _) => Word::WiderMore,
            (false, 1) => Word::WiderOne,
            (false, _) => Word::WiderOther,
        };
        self.language.push_phrase(out, word, &[("n", &grouped(wider as u64, self.query.locale))]);
    }

    /// How many rows admit the place only through a wider region, where no row does otherwise; and whether
    /// more may follow them.
    fn wider(&self) -> (usize, bool) {
        let rows = &self.answer.rows;
        let wider = rows.iter().take_while(|row| row.tier == Tier::Wider).count();
        let only = self.answer.total == 0 && self.query.page.offset == 0;
        (if only { wider } else { 0 }, wider == rows.len() && self.answer.more)
    }

    pub(super) fn rows(&self, out: &mut Vec<u8>) {
        let rows = &self.answer.rows;
        if rows.is_empty() && self.query.page.offset > 0 {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::PastEnd);
            out.push(b' ');
            self.page_link(out, 1, "first", Word::First);
            out.extend_from_slice(b"</p>");
        } else if self.wider().0 > 0 {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::WiderOnly);
            out.extend_from_slice(b"</p>");
        } else if self.answer.total == 0 {
            out.extend_from_slice(b"<p class=\"none\">");
            self.language.push_word(out, Word::NoResults);
            out.extend_from_slice(b"</p>");
            // Ways out are counted among all programs.
            let found = if self.among.is_some() {
                Vec::new()
            } else {
                without(&self.site.index, self.query, &self.dated.today, &self.extras.plain)
            };
            let asked = |way: &Without| self.extras.question(self.site, &way.query);
            let label = |out: &mut Vec<u8>, name: &str, value: &str| self.asked.push_filter(out, name, value);
            ways::push((self.language, path(self.query.locale)), &found, asked, label, out);
        }
        let mut number = self.query.page.offset + 1;
        for group in rows.chunk_by(|a, b| a.tier == b.tier || a.tier.is_full() && b.tier.is_full()) {
            self.heading(&group[0], out);
            out.extend_from_slice(b"<ol class=\"rows\" start=\"");
            push_number(out, number);
            out.extend_from_slice(b"\">");
            group
                .iter()
                .for_each(|row| self.language.push_row(out, row.doc, self.dated, self.found.as_ref()));
            out.extend_from_slice(b"</ol>");
            number += group.len() as u64;
        }
        self.silent(out);
    }

    /// Says how rows come near.
    fn heading(&self, first: &Row, out: &mut Vec<u8>) {
        let word = match first.tier {
            Tier::Name | Tier::All => return,
            Tier::Wider => Word::TierWider,
            Tier::Guess => Word::TierGuess,
            Tier::Unstated => Word::TierUnstated,
            Tier::Most => Word::TierMost,
            Tier::Some => Word::TierSome,
        };
        let quoted: Vec<String> =
            first.missing.iter().map(|words| format!("\u{201c}{}\u{201d}", escaped(words))).collect();
        out.extend_from_slice(b"<p class=\"tier\"><strong>");
        self.language.push_phrase(out, word, &[("words", &quoted.join(", "))]);
        out.extend_from_slice(b"</strong></p>");
    }

    /// A link to what would match if it did not keep silent.
    fn silent(&self, out: &mut Vec<u8>) {
        if self.answer.silent == 0 || self.extras.silent {
            return;
        }
        out.extend_from_slice(b"<p><a href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        self.push_query(out, None, None);
        out.extend_from_slice(b"&amp;unstated=true\">");
        let count = grouped(self.answer.silent as u64, self.query.locale);
        self.language.push_phrase(out, Word::Silent, &[("n", &count)]);
        out.extend_from_slice(b"</a></p>");
    }

    pub(super) fn pages(&self, out: &mut Vec<u8>) {
        let limit = self.query.page.limit;
        let (page, pages) = (self.query.page.number(), (self.answer.total as u64).div_ceil(limit));
        if pages <= 1 {
            return;
        }
        out.extend_from_slice(b"<nav class=\"pages\" aria-label=\"");
        self.language.push_word(out, Word::Pages);
        out.extend_from_slice(b"\">");
        if page > 1 {
            self.page_link(out, (page - 1).min(pages), "prev", Word::Previous);
        }
        out.extend_from_slice(b"<span>");
        let (number, of) = (page.to_string(), pages.to_string());
        self.language.push_phrase(out, Word::PageOf, &[("n", &number), ("m", &of)]);
        out.extend_from_slice(b"</span>");
        if page < pages.min(PAGE_RANGE.1) {
            self.page_link(out, page + 1, "next", Word::Next);
        }
        out.extend_from_slice(b"</nav>");
    }

    fn page_link(&self, out: &mut Vec<u8>, page: u64, relation: &str, word: Word) {
        out.extend_from_slice(b"<a rel=\"");
        out.extend_from_slice(relation.as_bytes());
        out.extend_from_slice(b"\" href=\"");
        out.extend_from_slice(path(self.query.locale).as_bytes());
        self.push_query(out, None, Some(page).filter(|page| *page > 1));
        out.extend_from_slice(b"\">");
        self.language.push_word(out, word);
        out.extend_from_slice(b"</a>");
    }

    pub(super) fn sort(&self, out: &mut Vec<u8>) {
        let by_relevance = self.extras.by_relevance(self.query);
        if self.query.text.is_some() {
            out.extend_from_slice(b"<option value=\"relevance\"");
            out.extend_from_slice(if by_relevance { b" selected>" } else { b">" });
            self.language.push_word(out, Word::SortRelevance);
            out.extend_from_slice(b"</option>");
        }
        for (sort, word) in [
            (Sort::Deadline, Word::SortDeadline),
            (Sort::Name, Word::SortName),
            (Sort::Recent, Word::SortRecent),
        ] {
            out.extend_from_slice(b"<option value=\"");
            out.extend_from_slice(sort.as_str().as_bytes());
            out.extend_from_slice(if sort == self.query.sort && !by_relevance {
                b"\" selected>"
            } else {
                b"\">"
            });
            self.language.push_word(out, word);
            out.extend_from_slice(b"</option>");
        }
    }
}
