//! The same questions to SQLite: one database in memory, the text in a contentless FTS5 table, a row for each facet
//! value of a program, and one `GROUP BY` over the matching programs for all counts. A group with a selection has a
//! statement of its own, which leaves that selection out.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use snapshot::facet::{FACETS, Facet};
use snapshot::page::{Dated, Site};
use snapshot::query::Query;
use snapshot::record::Directory;
use snapshot::search::{document_order, searchable_texts};
use snapshot::stem::stems;
use snapshot::text::{tokens, words_of};
use snapshot::time::OPEN_STATES;

/// SQLite, filled with a directory.
pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Fills a database with the programs of a directory.
    pub(crate) fn new(directory: &Directory, site: &Site, dated: &Dated) -> Self {
        let connection = Connection::open_in_memory().expect("memory is there");
        connection
            .execute_batch(
                "CREATE TABLE programs(doc INTEGER PRIMARY KEY, deadline INTEGER);
                 CREATE TABLE has(doc INTEGER, value INTEGER, PRIMARY KEY (doc, value)) WITHOUT ROWID;
                 CREATE VIRTUAL TABLE texts USING fts5(words, content='', detail='none', columnsize=0);
                 BEGIN;",
            )
            .expect("the statements are well formed");
        let values = &site.index.values;
        for (doc, program) in (0u32..).zip(document_order(directory, dated.day())) {
            let mut words = String::new();
            for (_, text) in searchable_texts(directory, program) {
                tokens(text, |token, _| {
                    words.push_str(&stems(token)[0]);
                    words.push(' ');
                });
            }
            let deadline = dated.today.next_deadline[doc as usize].known().map(|day| day.0);
            run(&connection, "INSERT INTO programs VALUES (?, ?)", params![doc, deadline]);
            run(&connection, "INSERT INTO texts(rowid, words) VALUES (?, ?)", params![doc, words]);
            let add = |value: u32| run(&connection, "INSERT OR IGNORE INTO has VALUES (?, ?)", [doc, value]);
            for ordinal in values.of_docs().get(doc).iter().map(|it| u32::from(*it)) {
                match values.set(ordinal as usize) {
                    [] => add(ordinal),
                    members => members.iter().for_each(|member| add(*member)),
                }
            }
            let states = dated.today.states(doc);
            let states = OPEN_STATES.iter().enumerate().filter(|(state, _)| states >> state & 1 == 1);
            states.filter_map(|(_, state)| values.find(Facet::OpenStates, state)).for_each(add);
        }
        connection
            .execute_batch(
                "COMMIT;
                 CREATE INDEX of_value ON has(value, doc);
                 CREATE INDEX by_deadline ON programs(deadline);
                 INSERT INTO texts(texts) VALUES ('optimize');
                 ANALYZE;",
            )
            .expect("the statements are well formed");
        Self { connection }
    }

    /// Answers a question: how many programs match. Rows and counts are read and dropped.
    pub(crate) fn search(&self, site: &Site, query: &Query) -> usize {
        let matching = matching(site, query, None);
        let rows = format!("SELECT doc FROM programs WHERE {matching} ORDER BY doc LIMIT ? OFFSET ?");
        let window = [query.page.limit as u32, query.page.offset as u32];
        let mut statement = self.connection.prepare_cached(&rows).expect("the statement is well formed");
        let rows = statement.query_map(window, |row| row.get::<_, u32>(0)).expect("memory can be read");
        std::hint::black_box(rows.flatten().collect::<Vec<_>>());
        if query.facets {
            let groups: Vec<Facet> = query.selected.iter().map(|(facet, _)| facet.group()).collect();
            let is_own = |facet: Facet| groups.contains(&facet.group());
            let mut counts = self.counts(&matching);
            counts.retain(|value, _| !is_own(site.index.values.facet_of(*value)));
            for group in FACETS.iter().map(|spec| spec.facet).filter(|it| it.group() == *it && is_own(*it)) {
                let free = self.counts(&self::matching(site, query, Some(group)));
                let of_group = |value: &u32| site.index.values.facet_of(*value).group() == group;
                counts.extend(free.into_iter().filter(|(value, _)| of_group(value)));
            }
            std::hint::black_box(counts);
        }
        let total = format!("SELECT count(*) FROM programs WHERE {matching}");
        let mut total = self.connection.prepare_cached(&total).expect("the statement is well formed");
        total.query_row([], |row| row.get::<_, u32>(0)).expect("memory can be read") as usize
    }

    fn counts(&self, matching: &str) -> BTreeMap<u32, u32> {
        let counts = format!(
            "SELECT value, count(*) FROM has WHERE doc IN (SELECT doc FROM programs WHERE {matching}) GROUP BY value"
        );
        let mut counts = self.connection.prepare_cached(&counts).expect("the statement is well formed");
        let counts = counts.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("memory can be read");
        counts.flatten().collect()
    }
}

fn run(connection: &Connection, statement: &str, values: impl rusqlite::Params) {
    let mut statement = connection.prepare_cached(statement).expect("the statement is well formed");
    statement.execute(values).expect("memory can be written");
}

/// The condition of a question without the selected values of one group. Words have letters and digits only.
fn matching(site: &Site, query: &Query, without: Option<Facet>) -> String {
    let mut parts = vec!["1".to_owned()];
    let words = words_of(query.text.as_deref().unwrap_or_default());
    let words: Vec<_> = words.iter().map(|word| format!("\"{}\"", stems(word)[0])).collect();
    if !words.is_empty() {
        parts.push(format!("doc IN (SELECT rowid FROM texts WHERE texts MATCH '{}')", words.join(" ")));
    }
    for group in FACETS.iter().map(|spec| spec.facet).filter(|it| it.group() == *it && Some(*it) != without) {
        let selected = query.selected.iter().filter(|(facet, _)| facet.group() == group);
        let values: Vec<String> = selected
            .filter_map(|(facet, value)| site.index.values.find(*facet, site.index.value_text(value)))
            .map(|value| value.to_string())
            .collect();
        if !values.is_empty() {
            parts.push(format!("doc IN (SELECT doc FROM has WHERE value IN ({}))", values.join(", ")));
        }
    }
    parts.extend(query.deadline_from.map(|day| format!("deadline >= {}", day.0)));
    parts.extend(query.deadline_to.map(|day| format!("deadline <= {}", day.0)));
    parts.join(" AND ")
}
