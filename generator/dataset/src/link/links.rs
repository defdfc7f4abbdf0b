//! Warns of links that a link checker found dead or moved.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::link_report::{Finding, LinkReport};
use crate::parallel;
use crate::record::{Purpose, Record};
use crate::rows::{Pass, Row, Tables};
use crate::table::Table;
use crate::text::quoted;

/// Warns of the addresses in published rows that a link checker found dead or moved.
pub(super) fn check(tables: &mut Tables, report: &mut Diagnostics) {
    let Some(links) = tables.links.take() else { return };
    tables.run(&mut LinkCheck { links: &links, report });
}

struct LinkCheck<'a> {
    links: &'a LinkReport,
    report: &'a mut Diagnostics,
}

impl Pass for LinkCheck<'_> {
    fn table<T: Record>(&mut self, _: Table, rows: &mut Vec<Row<T>>) {
        let links = self.links;
        let warnings = parallel::flat_map_mut(rows, |row| {
            let mut warnings = Vec::new();
            let at = row.at;
            row.record.visit_texts(&mut |_, purpose, field| {
                if purpose == Purpose::Url {
                    field.check(&mut |address| {
                        let (code, message) = match links.find(address)? {
                            Finding::Dead(reason) => {
                                (Code::DeadLink, format!("{} fails: {reason}", quoted(address)))
                            }
                            Finding::Moved(to) => {
                                (Code::MovedLink, format!("{} has moved to {}", quoted(address), quoted(to)))
                            }
                        };
                        warnings.push(Diagnostic::new(code, at, message));
                        None
                    });
                }
            });
            warnings
        });
        self.report.extend(warnings);
    }
}
