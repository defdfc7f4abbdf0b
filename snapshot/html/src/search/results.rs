//! Search results: count, rows with headings, page links, and the sort options.

use super::{Splice, search_path};
use crate::fragments::push;
use crate::messages::Message;
use snapshot::page::text::{escaped, grouped};
use snapshot::query::{Query, Sort};
use snapshot::search::{RankedRow, Tier, as_typed};

impl Splice<'_> {
    /// The number of full matches. Where there are none, states what is listed instead: records that match through a
    /// wider region, or partial matches.
    pub(super) fn count(&self) -> String {
        let (wider, close) = (self.answer.wider, self.close());
        let (number, one, other) = match self.answer.total {
            0 if wider > 0 => (wider, Message::WiderOne, Message::WiderOther),
            0 if close > 0 => (close, Message::CloseOne, Message::CloseOther),
            total => (total - self.doubtful.min(total), Message::ResultsOne, Message::ResultsOther),
        };
        let word = if number == 1 { one } else { other };
        let counted = |word: Message, number: usize| {
            self.language.phrase(word, &[("n", &grouped(number as u64, self.query.locale))])
        };
        match self.doubtful {
            0 => counted(word, number),
            doubtful => format!("{}, {}", counted(word, number), counted(Message::Unconfirmed, doubtful)),
        }
    }

    /// The number of partial matches that are listed.
    fn close(&self) -> usize {
        let on_page = if self.query.page.offset == 0 { self.answer.rows.len() } else { 0 };
        on_page.max(self.all() as usize)
    }

    /// Whether records match only through a wider region.
    fn is_only_wider(&self) -> bool {
        self.answer.total == 0 && self.answer.wider > 0
    }

    /// The number of rows on all pages; partial matches fill the last page and are not counted.
    fn all(&self) -> u64 {
        let unstated = if self.extras.with_unstated { self.answer.unstated } else { 0 };
        (self.answer.total + unstated + self.answer.wider) as u64
    }

    pub(super) fn rows(&self, out: &mut Vec<u8>) {
        let rows = &self.answer.rows;
        if rows.is_empty() && self.query.page.offset > 0 {
            let first = self.language.page_link(&self.page_address(1), "first", Message::First);
            push_none(out, &format!("{} {first}", self.language.word(Message::PastEnd)));
        } else if self.is_only_wider() {
            push_none(out, self.language.word(Message::WiderOnly));
        } else if rows.is_empty() && self.nothing_fits(out) {
        } else if self.answer.total == 0 {
            push_none(out, self.language.word(Message::NoResults));
            self.suggestions(out);
        }
        let mut number = self.query.page.offset + 1;
        for group in rows.chunk_by(|a, b| self.kind(a.tier) == self.kind(b.tier)) {
            let is_uniform = group.iter().all(|row| words(row).eq(words(&group[0])));
            self.heading(group, is_uniform, out);
            push(out, format_args!("<ol class=\"rows\" start=\"{number}\">"));
            for row in group {
                let from = out.len();
                self.language.push_row(out, row.doc, self.dated, self.highlighter.as_ref());
                if !is_uniform {
                    self.label(row, from, out);
                }
            }
            push(out, "</ol>");
            number += group.len() as u64;
        }
        self.more_links(out);
    }

    /// The kind of heading of a tier: the last tiers are ranked together and have one.
    fn kind(&self, tier: Tier) -> Tier {
        match tier {
            Tier::Name => Tier::All,
            Tier::Unstated if self.extras.with_unstated => Tier::Unstated,
            Tier::Unstated | Tier::Most => Tier::Some,
            tier => tier,
        }
    }

    /// Writes how a group of matches differs from the query; if they do so in several ways, the rows say how.
    fn heading(&self, group: &[RankedRow], is_uniform: bool, out: &mut Vec<u8>) {
        let tier = group[0].tier;
        let word = match tier {
            Tier::Name | Tier::All => return,
            tier if self.kind(tier) == Tier::Some && !is_uniform => Message::TierSome,
            Tier::Some if words(&group[0]).next().is_none() => Message::TierSome,
            Tier::Synonym => Message::TierSynonym,
            Tier::More => Message::TierMore,
            Tier::Wider => Message::TierWider,
            Tier::Guess => Message::TierGuess,
            Tier::Unstated => Message::TierUnstated,
            Tier::Most | Tier::Some => Message::TierMost,
        };
        let mut all: Vec<&String> = Vec::new();
        for words in group.iter().flat_map(words) {
            if !all.contains(&words) {
                all.push(words);
            }
        }
        let mut text = self.with_words(word, all.into_iter());
        if tier == Tier::Wider {
            text += &format!(": {}", grouped(self.answer.wider as u64, self.query.locale));
        }
        push(out, format_args!("<p class=\"tier\"><strong>{text}</strong></p>"));
    }

    /// Writes into the row that begins at a position how it differs from the query.
    fn label(&self, row: &RankedRow, from: usize, out: &mut Vec<u8>) {
        let word = match row.tier {
            Tier::Synonym => Message::TierSynonym,
            Tier::Unstated => Message::RowUnstated,
            _ => Message::TierMost,
        };
        let begins = out[from..].iter().position(|byte| *byte == b'>').map_or(from, |end| from + end + 1);
        let text = self.with_words(word, words(row));
        if words(row).next().is_some() {
            out.splice(begins..begins, format!("<p class=\"tier\">{text}</p>").into_bytes());
        }
    }

    /// A message that quotes words as the query spells them.
    fn with_words<'w>(&self, message: Message, words: impl Iterator<Item = &'w String>) -> String {
        let words = self.quoted(words.map(|words| self.typed(words)));
        self.language.phrase(message, &[("words", &words)])
    }

    /// Words in the quotation marks of the language.
    pub(super) fn quoted(&self, words: impl Iterator<Item: AsRef<str>>) -> String {
        let quoted = |text: &str| self.language.phrase(Message::Quoted, &[("text", &escaped(text))]);
        words.map(|words| quoted(words.as_ref())).collect::<Vec<_>>().join(", ")
    }

    /// Words as the query spells them.
    pub(super) fn typed(&self, words: &str) -> String {
        as_typed(self.query.text.as_deref().unwrap_or_default(), words)
    }

    /// Links that include records with unstated eligibility, and those that come near where a record is named.
    fn more_links(&self, out: &mut Vec<u8>) {
        let rows = &self.answer.rows;
        let is_named = rows.first().is_some_and(|row| row.tier == Tier::Name);
        let is_alone = is_named && (rows.len() as u64) < self.query.page.limit;
        let count = grouped(self.answer.unstated as u64, self.query.locale);
        for (is_offered, parameter, text) in [
            (self.answer.unstated > 0 && !self.extras.with_unstated, "unstated", Message::Silent),
            (is_alone && !self.extras.with_near, "near", Message::Near),
        ] {
            if is_offered {
                let (address, text) = (&self.address, self.language.phrase(text, &[("n", &count)]));
                push(out, format_args!("<p><a href=\"{address}&amp;{parameter}=true\">{text}</a></p>"));
            }
        }
    }

    pub(super) fn pages(&self, out: &mut Vec<u8>) {
        let limit = self.query.page.limit;
        let pages = (self.query.page.number(), self.all().div_ceil(limit));
        self.language.page_links(pages, |page| self.page_address(page), out);
    }

    fn page_address(&self, page: u64) -> String {
        let path = search_path(self.query.locale);
        self.display.address(path, None, Some(page).filter(|page| *page > 1))
    }

    /// The orders. The default one has no value, so that a form sends an order only when a person chose it: text that
    /// is typed later is then sorted by relevance.
    pub(super) fn sort(&self, out: &mut Vec<u8>) {
        let has_text = self.query.text.is_some();
        let by_relevance = self.extras.by_relevance(self.query);
        let default = has_text.then_some(("", Message::SortRelevance, by_relevance));
        let by_value = [
            (Sort::Deadline, Message::SortDeadline),
            (Sort::Name, Message::SortName),
            (Sort::Recent, Message::SortRecent),
        ]
        .map(|(sort, word)| {
            let is_default = !has_text && sort == Query::default().sort;
            let value = if is_default { "" } else { sort.as_str() };
            (value, word, sort == self.query.sort && !by_relevance)
        });
        for (value, word, is_chosen) in default.into_iter().chain(by_value) {
            let (selected, text) = (if is_chosen { " selected" } else { "" }, self.language.word(word));
            push(out, format_args!("<option value=\"{value}\"{selected}>{text}</option>"));
        }
    }
}

/// What a row lacks of the query, or has instead.
fn words(row: &RankedRow) -> impl Iterator<Item = &String> {
    row.missing.iter().chain(&row.shown_for)
}

pub(super) fn push_none(out: &mut Vec<u8>, text: &str) {
    push(out, format_args!("<p class=\"none\">{text}</p>"));
}
