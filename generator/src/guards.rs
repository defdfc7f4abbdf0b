//! Limits on what a build may remove or change. Exceeding one takes the exact number of records (`--expect-…`): a
//! general permission would protect nobody.

use clap::Args;

use dataset::Table;

use crate::plan::{Blanked, Counted, Plan};

/// Least number of live records for a guard; small tables may change as a whole.
const LEAST: u64 = 10;

const REMOVED: &str = "removed";
const CHANGED: &str = "changed";

/// A share of the live records, in percent.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "expected a share of the live records from 0% to 100%".to_owned())
}

/// A table or a field of it, and its expected number of removed or changed records.
fn expected_count(text: &str) -> Result<(String, u64), String> {
    let pair = text.split_once('=').and_then(|(table, count)| Some((table.to_owned(), count.parse().ok()?)));
    let is_table = |name: &str| Table::parse(name.split('.').next().unwrap_or(name)).is_some();
    pair.filter(|(table, _)| is_table(table)).ok_or_else(|| {
        format!(
            "expected a table or a field of it, and a number, as programs=412 or cycles.deadlineOn=60; tables are {}",
            Table::ALL.map(Table::name).join(", ")
        )
    })
}

/// Limits on removed and changed records.
#[derive(Clone, Debug, Args)]
pub(crate) struct Guards {
    /// Stop if more of the live records of a table would be removed, or more of the values of a field
    #[arg(long, value_name = "PERCENT", default_value = "10%", value_parser = percent)]
    max_removed: f64,
    /// Stop if more of them would change
    #[arg(long, value_name = "PERCENT", default_value = "50%", value_parser = percent)]
    max_changed: f64,
    /// Allow exactly this number of removed records, such as programs=412, or values, such as cycles.deadlineOn=60
    #[arg(long, value_name = "TABLE=N", value_parser = expected_count)]
    expect_removed: Vec<(String, u64)>,
    /// Allow exactly this number of changed records
    #[arg(long, value_name = "TABLE=N", value_parser = expected_count)]
    expect_changed: Vec<(String, u64)>,
}

impl Guards {
    /// The limits that a plan exceeds, each with the option that allows it.
    pub(crate) fn violations(&self, plan: &Plan) -> Vec<String> {
        let changes = plan.tables.iter().flat_map(|table| {
            // In tables without pages a changed record may get another id: there, only the difference counts.
            let has_pages = Table::WITH_SLUGS.iter().any(|it| it.name() == table.table);
            let removed = match has_pages {
                true => table.removed.len(),
                false => table.removed.len().saturating_sub(table.added.len()),
            };
            // What has no page of its own changes with every season.
            let changed = if has_pages { table.changed.len() } else { 0 };
            let live = table.live as u64;
            let records = [(removed, REMOVED), (changed, CHANGED)].map(|(count, verb)| {
                let message = format!("{count} {} {verb} of {live}", table.table);
                self.violation((table.table, live), (count as u64, verb), &message)
            });
            let blanked = table.blanked.iter().map(|Blanked { field, live, count }| {
                let name = format!("{}.{field}", table.table);
                let message = format!("{count} values of {name} removed of {live}");
                self.violation((&name, *live as u64), (*count as u64, REMOVED), &message)
            });
            records.into_iter().chain(blanked).collect::<Vec<_>>()
        });
        // Of records that are only counted, at least the difference was removed.
        let counts = plan.counts.iter().map(|&Counted { table, live, new }| {
            let fewer = live.saturating_sub(new);
            let message = format!("{fewer} {table} fewer than {live}");
            self.violation((table, live), (fewer, REMOVED), &message)
        });
        changes.chain(counts).flatten().collect()
    }

    fn violation(
        &self,
        (table, live): (&str, u64),
        (count, verb): (u64, &str),
        message: &str,
    ) -> Option<String> {
        let (most, expected, verb_all) = match verb {
            REMOVED => (self.max_removed, &self.expect_removed, "be removed"),
            _ => (self.max_changed, &self.expect_changed, "change"),
        };
        let is_guarded = live >= LEAST;
        let is_expected = expected.iter().any(|(of, number)| of == table && *number == count);
        (is_guarded && !is_expected && count as f64 * 100.0 > most * live as f64).then(|| {
            format!(
                "{message} is above --max-{verb} {most}%\n  help: if all should {verb_all}: \
                 opdir build … --expect-{verb} {table}={count}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{TablePlan, tests::plan};

    fn guards(args: &[&str]) -> Guards {
        #[derive(clap::Parser)]
        struct Line {
            #[command(flatten)]
            guards: Guards,
        }
        let line = std::iter::once("x").chain(args.iter().copied());
        <Line as clap::Parser>::try_parse_from(line).unwrap().guards
    }

    /// The first plan with another table.
    fn of_cycles(plan: Plan, blanked: &[Blanked]) -> Plan {
        let table = TablePlan { table: "cycles", blanked: blanked.to_vec(), ..plan.tables[0].clone() };
        Plan { tables: vec![table], ..plan }
    }

    #[test]
    fn what_exceeds_the_limit_is_held_back_until_the_exact_count_is_expected() {
        let gone = |count| [Blanked { field: "deadlineOn".to_owned(), live: 40, count }];
        for (plan, what, exact) in [
            (plan(100, 11, 0), "11 programs removed of 100", "programs=11"),
            (
                of_cycles(plan(100, 0, 50), &gone(5)),
                "5 values of cycles.deadlineOn removed of 40",
                "cycles.deadlineOn=5",
            ),
            // Of a table without pages, the difference counts.
            (of_cycles(plan(100, 61, 90), &[]), "60 cycles removed of 100", "cycles=60"),
        ] {
            let expected = format!(
                "{what} is above --max-removed 10%\n  help: if all should be removed: opdir build … --expect-removed {exact}"
            );
            assert_eq!(guards(&[]).violations(&plan), [expected]);
            assert_eq!(guards(&["--expect-removed", exact]).violations(&plan), [""; 0]);
        }
        assert_eq!(guards(&["--expect-removed", "programs=10"]).violations(&plan(100, 11, 0)).len(), 1);
        assert_eq!(guards(&["--max-removed", "11%"]).violations(&plan(100, 11, 0)), [""; 0]);
        for few in [plan(100, 10, 50), plan(9, 9, 9), of_cycles(plan(100, 0, 50), &gone(4))] {
            assert_eq!(guards(&[]).violations(&few), [""; 0]);
        }
        assert_eq!(guards(&[]).violations(&plan(100, 0, 51)).len(), 1);
    }
}
