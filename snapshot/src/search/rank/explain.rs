//! Why a row stands where it does, for people who work on the order.

use std::fmt::Write as _;

use super::{RankOptions, RankedQuery};
use crate::query::Query;
use crate::search::index::Index;
use crate::search::score::Scorer;
use crate::search::tiers::Part;
use crate::search::today::Today;

impl Index {
    /// The parts of a query with their weights, then a line for each row of its page: tier, share of the weight,
    /// score, slug, what each part adds, and what the parts in the name add together.
    pub fn explain(&self, query: &Query, today: &Today, options: RankOptions<'_>) -> String {
        let query = RankedQuery::new(self, query, today, options);
        let whole = query.parts.whole_weight();
        let mut out = String::from("weight share records part\n");
        for part in query.parts.all() {
            let (share, records) = (100.0 * part.idf / whole, part.typed().len());
            let _ = writeln!(out, "{:6.2} {share:4.0}% {records:7} {}", part.idf, words(part));
        }
        for clause in &query.parts.unknown {
            let _ = writeln!(out, "unknown             {}", clause.words.join(" "));
        }
        let scorer = Scorer::new(self, &query.text, query.parts.all());
        for (number, row) in (1..).zip(query.page().rows) {
            let score: f64 = scorer.scores(&[row.doc]).iter().sum();
            let (tier, slug) = (row.tier.as_str(), self.slug(row.doc));
            let share = 100.0 * query.parts.weight(row.doc) / whole;
            let _ = write!(out, "{number:3}. {tier:8} {share:3.0}% {score:6.2} {slug}:");
            let mut rest = score;
            for part in query.parts.all() {
                let alone = Scorer::new(self, &query.text, std::iter::once(part));
                for sum in alone.sums(&[row.doc]).iter().filter(|sum| sum.score > 0.0) {
                    let name = if sum.named > 0.0 { " (in name)" } else { "" };
                    let _ = write!(out, " {}{name} {:.2},", words(part), sum.score);
                    rest -= sum.score;
                }
            }
            let _ = writeln!(out, " for the name {:.2}", rest.max(0.0));
        }
        out
    }
}

/// The words of a part, and what else they are.
fn words(part: &Part<'_>) -> String {
    let words = part.clause.words.join(" ");
    match (part.clause.place(), part.clause.entity) {
        _ if part.is_chosen() => "[selected]".to_owned(),
        (Some(place), _) => format!("{words} [{place}]"),
        (_, Some(_)) => format!("{words} [value]"),
        _ => words,
    }
}
