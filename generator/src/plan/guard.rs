//! What a build refuses unless somebody names the exact number: a standing permission protects nobody.

use std::str::FromStr;

use clap::Args;

use super::{Counted, Plan};
use dataset::Table;

/// Tables that are guarded: their records have addresses of their own.
const GUARDED: [Table; 3] = [Table::Programs, Table::Organizations, Table::Recipients];
/// Smaller tables change as a whole every day.
const LEAST: usize = 10;

/// A part of a table, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(f64);

impl FromStr for Percent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
        let number = number.filter(|number| (0.0..=100.0).contains(number));
        number.map(Self).ok_or_else(|| "a part of the live records from 0% to 100%".to_owned())
    }
}

/// How many records of a table are meant to go or to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedCount {
    table: String,
    count: usize,
}

impl FromStr for ExpectedCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pair = text.split_once('=').and_then(|(table, count)| Some((table, count.parse().ok()?)));
        let known = pair.filter(|(table, _)| GUARDED.iter().any(|guarded| guarded.name() == *table));
        let (table, count) = known.ok_or_else(|| {
            let tables: Vec<&str> = GUARDED.iter().map(|table| table.name()).collect();
            format!("a table and a number, as programs=412; tables are {}", tables.join(", "))
        })?;
        Ok(Self { table: table.to_owned(), count })
    }
}

/// How much a build may change.
#[derive(Clone, Debug, Args)]
pub struct Guards {
    /// Hold back when more of the live programs, organizations or recipients would go
    #[arg(long, value_name = "PERCENT", default_value = "10%")]
    pub max_removed: Percent,
    /// Hold back when more of them would change
    #[arg(long, value_name = "PERCENT", default_value = "50%")]
    pub max_changed: Percent,
    /// That exactly so many go is right, such as programs=412
    #[arg(long, value_name = "TABLE=N")]
    pub expect_removed: Vec<ExpectedCount>,
    /// That exactly so many change is right
    #[arg(long, value_name = "TABLE=N")]
    pub expect_changed: Vec<ExpectedCount>,
}

impl Guards {
    /// The tables that are compared for them.
    #[must_use]
    pub const fn tables() -> &'static [Table] {
        &GUARDED
    }

    /// Why a plan is held back, each reason with the way out.
    #[must_use]
    pub fn violations(&self, plan: &Plan) -> Vec<String> {
        let mut held = Vec::new();
        for table in &plan.tables {
            if table.live < LEAST || GUARDED.iter().all(|guarded| guarded.name() != table.table) {
                continue;
            }
            let what = [
                (table.removed.len(), "removed", self.max_removed, &self.expect_removed),
                (table.changed.len(), "changed", self.max_changed, &self.expect_changed),
            ];
            for (count, verb, most, expected) in what {
                let name = table.table;
                let is_meant = expected.iter().any(|it| it.table == name && it.count == count);
                if is_meant || count as f64 * 100.0 <= most.0 * table.live as f64 {
                    continue;
                }
                let option = if verb == "removed" { "if all should go" } else { "if all should change" };
                held.push(format!(
                    "{count} {name} {verb} of {} is above --max-{verb} {}%\n  help: {option}: opdir build … --expect-{verb} {name}={count}",
                    table.live, most.0
                ));
            }
        }
        held.extend(plan.counts.iter().filter_map(|table| self.fewer(table)));
        held
    }

    /// Why a table that can only be counted is held back: at least so many go as there are fewer.
    fn fewer(&self, table: &Counted) -> Option<String> {
        let Counted { table: name, live, new } = *table;
        let fewer = live.saturating_sub(new);
        let is_guarded = live >= LEAST && GUARDED.iter().any(|guarded| guarded.name() == name);
        let is_meant = self.expect_removed.iter().any(|it| it.table == name && it.count == fewer);
        let most = self.max_removed.0;
        (is_guarded && !is_meant && fewer as f64 * 100.0 > most * live as f64).then(|| {
            format!(
                "{fewer} {name} fewer than {live} is above --max-removed {most}%\n  help: if all should go: opdir build … --expect-removed {name}={fewer}"
            )
        })
    }
}
