//! Ranking: what holds for every question.

use serde_json::json;
use snapshot::query::{Page, Query};
use snapshot::search::{RankOptions, RankedRow, Tier};
use snapshot::time::Day;
use tests::synth::TODAY;

use crate::records::{program, world};
use tests::world::World;

fn query(text: &str, offset: u64, limit: u64) -> Query {
    Query { text: Some(text.to_owned()), page: Page { offset, limit }, no_facets: true, ..Query::default() }
}

#[test]
fn pages_follow_one_another_and_all_before_any() {
    for seed in 0..40 {
        let site = World::tiny(seed).site;
        let dated = site.dated(Day::new(TODAY));
        for text in [
            "grant nurse",
            "soil health labs",
            "\"living labs\" grant",
            "beca -solar nurse",
            "early career grant",
        ] {
            let rank = |offset, limit| {
                site.index.ranked(&query(text, offset, limit), &dated.today, RankOptions::by_relevance())
            };
            let whole = rank(0, 100);
            let all = whole.rows.iter().take_while(|row| row.tier.is_full()).count();
            assert_eq!(all, whole.total);
            let group = |row: &RankedRow| row.tier.min(Tier::Unstated);
            assert!(whole.rows.is_sorted_by_key(group), "{seed} {text}");
            let mut paged = Vec::new();
            for offset in (0..).step_by(3) {
                let page = rank(offset, 3);
                paged.extend(page.rows);
                if !page.more {
                    break;
                }
            }
            assert_eq!(paged, whole.rows, "{seed} {text}");
        }
    }
}

#[test]
fn what_comes_near_follows_fewer_than_three_full_matches_and_none_that_is_called_so() {
    let near = |full: usize, called: &str| {
        let name = |number: usize| match number {
            0 => called.to_owned(),
            _ if number < full => format!("Otters, fish, rivers {number}"),
            _ if number < full + 2 => format!("Maps of rivers {number}"),
            _ => format!("Bread for all {number}"),
        };
        let site =
            world((0..full + 20).map(|number| program(number, &name(number), json!({}))).collect()).site;
        let wish = RankOptions {
            partial_if_needed: true,
            partial_unless_named: true,
            ..RankOptions::by_relevance()
        };
        let today = site.dated(Day::new(TODAY));
        let found = site.index.ranked(&query("rivers otters", 0, 10), &today.today, wish);
        assert_eq!(found.total, full);
        found.rows.len() - full
    };
    assert_eq!([1, 2, 3].map(|full| near(full, "Otters, fish, rivers")), [2, 2, 0]);
    assert_eq!(near(1, "Rivers otters"), 0);
}
