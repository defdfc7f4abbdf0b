//! What people and language models are shown, over any dataset: a stated deadline is never "not
//! stated", a lifecycle stands with the date of its check and agrees with the state beside it, old
//! openness says how old it is, and no amount is passed over. Runs on the sample, on a dataset of
//! every case, and on the dataset in `OPDIR_TEST_DATA` where one is given.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use edge::Server;
use html::templates::Templates;
use jiff::civil::Date;
use serde_json::{Value, json};
use site::Theme;
use snapshot::page::status_text;
use snapshot::page::when::deadline_in_words;
use snapshot::record::{Directory, Fact, Lifecycle, Locale};
use tests::in_process;
use tests::snapshots::sample;

use crate::contract::consistency::{REAL, REAL_OPEN};
use crate::records::{cycle, fact, program, world_with};
use crate::server::{AS_OF, Live, SAMPLE, between};
use tests::world::World;

/// Texts of a language that the checks look for.
struct Phrases {
    last: &'static str,
    unknown: &'static str,
    by_dates: &'static str,
    checked: &'static str,
    aged: &'static str,
    not_stated: &'static str,
    open: &'static str,
}

const ENGLISH: Phrases = Phrases {
    last: "Last round closed ",
    unknown: "; not known whether it opens again",
    by_dates: "; by its dates it ",
    checked: "checked ",
    aged: " months ago",
    not_stated: "not stated separately",
    open: "Open",
};

const SPANISH: Phrases = Phrases {
    last: "Última convocatoria cerrada: ",
    unknown: "; no se sabe si volverá a abrir",
    by_dates: "; según sus fechas, ",
    checked: " revisión del ",
    aged: " revisión de hace ",
    not_stated: "no se indica por separado",
    open: "Abierta",
};

const fn phrases(locale: Locale) -> &'static Phrases {
    match locale {
        Locale::En => &ENGLISH,
        Locale::Es => &SPANISH,
    }
}

/// What a program's page, its Markdown twin, its row and the tools say of it.
struct Statement {
    program: usize,
    locale: Locale,
    /// State as the page heads it, without markup.
    head: String,
    /// Lifecycle of the page.
    lifecycle: String,
    /// Funding of the page.
    funding: String,
    twin: String,
    row: String,
    state: String,
    /// Whether the `open` filter keeps it, and how many programs the home page counts as open.
    open: bool,
    open_count: u32,
}

static WORDS: LazyLock<Templates> = LazyLock::new(|| {
    let theme = Theme::load(None).unwrap();
    theme.compile(&SAMPLE.directory.dataset, "https://directory.example").unwrap()
});

/// Text without tags.
fn plain_text(html: &str) -> String {
    html.split('<')
        .enumerate()
        .map(|(n, part)| if n == 0 { part } else { part.split_once('>').unwrap().1 })
        .collect()
}

/// The value under a term of a page.
fn under(page: &str, locale: Locale, key: &str) -> String {
    let term = format!("<dt>{}</dt>", WORDS.word(locale, key));
    plain_text(between(page, &term, "</dd>")).trim_start().to_owned()
}

/// What the rows of the search page say of when, by the address of the program.
fn rows(get: &dyn Fn(&str) -> String, prefix: &str) -> HashMap<String, String> {
    let mut rows = HashMap::new();
    for number in 1.. {
        let page = get(&format!("{prefix}/programs?limit=100&page={number}"));
        let before = rows.len();
        rows.extend(page.split("<h3><a href=\"").skip(1).map(|row| {
            let address = row.split('"').next().unwrap().to_owned();
            (address, plain_text(between(row, "<p class=\"when\">", "</p>")))
        }));
        if rows.len() == before {
            break;
        }
    }
    rows
}

fn all_statements(directory: &Directory, live: &Arc<Server>) -> Vec<Statement> {
    let get = |target: &str| String::from_utf8(in_process::get(live, target).body.to_vec()).unwrap();
    let (state, mut statements) = (live.state(), Vec::new());
    let today = &state.dated.today;
    for (locale, prefix) in [(Locale::En, ""), (Locale::Es, "/es")] {
        let mut rows = rows(&get, prefix);
        for (program, it) in directory.programs.iter().enumerate() {
            let address = format!("{prefix}/programs/{}", it.slug);
            let page = get(&address);
            let of_it = today.state(state.site().index.find(&it.slug).unwrap()).unwrap();
            let in_words = deadline_in_words(directory, program, locale).is_some();
            statements.push(Statement {
                program,
                locale,
                head: plain_text(between(&page, "<dd class=\"when\">", "</dd>")),
                lifecycle: under(&page, locale, "program_says"),
                funding: under(&page, locale, "line_how_much"),
                twin: get(&format!("{address}.md")),
                row: rows.remove(&address).unwrap(),
                open: of_it.openness.is_open(),
                open_count: today.open_count(),
                state: status_text::state(&of_it, today.day, locale, in_words),
            });
        }
    }
    statements
}

/// Every dataset there is, and what is stated of its programs.
static ALL: LazyLock<Vec<(&str, &Directory, Vec<Statement>)>> = LazyLock::new(|| {
    static CASES: LazyLock<(World, Live)> = LazyLock::new(|| {
        let world = cases();
        let live = Live::of(&world);
        (world, live)
    });
    let real = REAL.as_ref().zip(REAL_OPEN.as_ref()).map(|(real, live)| ("real", &real.directory, live));
    let all = [("sample", &SAMPLE.directory, sample()), ("cases", &CASES.0.directory, &CASES.1.server)];
    let all = all.into_iter().chain(real);
    all.map(|(name, directory, live)| (name, directory, all_statements(directory, live))).collect()
});

/// Runs a check on every dataset there is; it tells how many programs it was about.
fn on_all(check: impl Fn(&Directory, &Statement) -> bool) {
    for (name, directory, statement) in ALL.iter() {
        let about = statement.iter().filter(|statement| check(directory, statement)).count();
        eprintln!("{name}: {about} of {}", statement.len());
        assert!(*name != "cases" || about > 0, "no case is about this");
    }
}

/// Deadlines of a program that are over.
fn passed(directory: &Directory, program: usize) -> Option<Date> {
    let cycles = directory.program_links[program].cycles.iter().map(|cycle| &directory.cycles[*cycle]);
    cycles.filter_map(|cycle| cycle.deadline_on).filter(|deadline| *deadline < AS_OF).max()
}

/// A program and what it has more than others.
fn case(number: usize, lifecycle: &str, checked: Option<&str>, mut more: Value) -> Value {
    more["lifecycle"] = lifecycle.into();
    more["lifecycleCheckedAt"] = checked.map(|day| format!("{day}T00:00:00Z")).into();
    program(number, &format!("Program {number}"), more)
}

/// One program for each case.
pub(crate) fn cases() -> World {
    let amounts = [(11_305_822, 33_917_467), (20, 25)]
        .map(|(min, max)| json!({"fundingMinUsd": min, "fundingMaxUsd": max}));
    let [converted, mut hourly] = amounts;
    hourly["description"] = "Pays $20-$25/hour.".into();
    let programs = vec![
        case(1, "unclear", Some("2026-07-01"), json!({})),
        case(2, "active_between_cycles", Some("2026-07-01"), json!({})),
        case(3, "active_accepting", Some("2025-08-20"), json!({})),
        case(4, "active_accepting", None, json!({})),
        case(5, "unclear", Some("2026-07-01"), converted),
        case(6, "unclear", Some("2026-07-01"), hourly),
        case(7, "ended", Some("2026-07-01"), json!({})),
        case(8, "unclear", Some("2026-07-01"), json!({"fundingMaxUsd": 7_914_076})),
        case(9, "active_accepting", Some("2026-07-01"), json!({})),
        case(10, "active_accepting", Some("2026-07-01"), json!({})),
    ];
    let cycles = vec![
        cycle(1, 1, json!({"deadlineOn": "2026-09-30"})),
        cycle(2, 2, json!({"opensOn": "2026-11-01", "deadlineOn": "2026-12-31"})),
        cycle(3, 3, json!({"status": "rolling"})),
        cycle(4, 4, json!({"deadlineOn": "2026-09-30"})),
        cycle(5, 7, json!({"deadlineOn": "2026-09-30"})),
        cycle(6, 9, json!({"opensOn": "2026-11-01", "deadlineOn": "2027-01-21"})),
        cycle(7, 10, json!({"opensOn": "2026-11-01", "deadlineOn": "2029-03-14"})),
    ];
    let conversion = |text: &str| json!({"value": "funding-conversion", "text": text});
    let budget =
        json!({"value": "total-budget", "label": "Total budget", "amount": 7_000_000, "currency": "EUR"});
    let facts = vec![
        fact(1, 5, conversion("30000000 EUR at 0.8845 EUR per USD, 2025 average")),
        fact(3, 8, conversion("7000000 EUR at 0.8845 EUR per USD")),
        fact(2, 7, budget),
    ];
    world_with(programs, &[("cycles", cycles), ("facts", facts)])
}

/// Holds a text of the cases against what it should be, by the number of the case, in English and Spanish.
fn reads(table: &[(usize, &str, &str)], text: impl Fn(&Statement) -> &str) {
    let (_, _, statements) = ALL.iter().find(|(name, ..)| *name == "cases").unwrap();
    for (number, english, spanish) in table {
        for (locale, expected) in [(Locale::En, english), (Locale::Es, spanish)] {
            let is_it = |it: &&Statement| it.program == number - 1 && it.locale == locale;
            assert_eq!(text(statements.iter().find(is_it).unwrap()), *expected, "{number}");
        }
    }
}

#[test]
fn each_state_reads_as_it_should_in_both_languages() {
    let table = [
        (
            1,
            "Last round closed 30 September 2026; not known whether it opens again",
            "Última convocatoria cerrada: 30 de septiembre de 2026; no se sabe si volverá a abrir",
        ),
        (
            2,
            "Open; closes 31 December 2026 in 40 days",
            "Abierta; cierra el 31 de diciembre de 2026 en 40 días",
        ),
        (
            3,
            "Not known to be open; open when checked 15 months ago; no deadline stated",
            "No se sabe si está abierta; abierta en la revisión de hace 15 meses; sin plazo publicado",
        ),
        (4, "Closed; last deadline 30 September 2026", "Cerrada; último plazo: 30 de septiembre de 2026"),
        (9, "Open; closes 21 January 2027 in 2 months", "Abierta; cierra el 21 de enero de 2027 en 2 meses"),
        (10, "Open; closes 14 March 2029 in 2 years", "Abierta; cierra el 14 de marzo de 2029 en 2 años"),
    ];
    reads(&table, |statement| &statement.head);
}

#[test]
fn each_lifecycle_reads_as_it_should_in_both_languages() {
    let table = [
        (1, "Unclear, as checked 1 July 2026", "Sin confirmar, según la revisión del 1 de julio de 2026"),
        (
            2,
            "Active, between cycles, as checked 1 July 2026; by its dates it is open now",
            "Activa, entre convocatorias, según la revisión del 1 de julio de 2026; según sus fechas, ahora está \
             abierta",
        ),
        (
            4,
            "Active, accepting applications; no date of a check is recorded; by its dates it is closed now",
            "Activa, recibe solicitudes; no se indica la fecha de ninguna revisión; según sus fechas, ahora está \
             cerrada",
        ),
    ];
    reads(&table, |statement| &statement.lifecycle);
}

#[test]
fn each_amount_reads_as_it_should_in_both_languages() {
    let table = [
        (
            5,
            "EUR 10,000,000 to EUR 30,000,000, about US$ 11 million to US$ 34 million",
            "de 10\u{202f}000\u{202f}000 EUR a 30\u{202f}000\u{202f}000 EUR, aproximadamente de 11 millones \
             de USD a 34 millones de USD",
        ),
        (
            8,
            "up to EUR 7,000,000, about US$ 7.9 million",
            "hasta 7\u{202f}000\u{202f}000 EUR, aproximadamente 7,9 millones de USD",
        ),
        (6, "US$20 to US$25 per hour", "de 20 USD a 25 USD por hora"),
        (7, "not stated separately", "no se indica por separado"),
    ];
    reads(&table, |statement| &statement.funding);
}

#[test]
fn no_stated_deadline_is_shown_as_not_stated() {
    on_all(|directory, statement| {
        let words = phrases(statement.locale);
        let slug = &directory.programs[statement.program].slug;
        if passed(directory, statement.program).is_none() {
            return false;
        }
        let shown = [&statement.head, &statement.row, &statement.state, &statement.twin];
        let is_shown = shown.map(|text| text.contains(words.last) && text.contains(words.unknown));
        assert!(is_shown.iter().all(|shown| *shown == is_shown[0]), "{slug} is shown in different ways");
        is_shown[0]
    });
}

#[test]
fn a_lifecycle_stands_with_its_check_and_agrees_with_the_state_beside_it() {
    on_all(|directory, statement| {
        let words = phrases(statement.locale);
        let it = &directory.programs[statement.program];
        let checked = it.lifecycle_checked_at.or(it.source_checked_at).is_some();
        for text in [&statement.lifecycle, &statement.state, &statement.twin] {
            assert_eq!(text.contains(words.checked), checked, "{}: {text}", it.slug);
        }
        let is_open = statement.head.starts_with(words.open);
        let is_shut =
            statement.head.starts_with(if statement.locale == Locale::En { "Closed" } else { "Cerrada" });
        let contradicts = it.lifecycle == Lifecycle::ActiveBetweenCycles && is_open
            || it.lifecycle == Lifecycle::ActiveAccepting && is_shut;
        for text in [&statement.lifecycle, &statement.state, &statement.twin] {
            let is_stated = text.contains(words.by_dates);
            assert!(!contradicts || is_stated, "{}: {text} beside {}", it.slug, statement.head);
        }
        contradicts
    });
}

#[test]
fn a_label_begins_with_open_exactly_when_the_home_page_counts_its_row() {
    for (name, _, statements) in ALL.iter() {
        for locale in Locale::ALL {
            let of_locale = || statements.iter().filter(|statement| statement.locale == *locale);
            let is_open = |text: &str| text.starts_with(phrases(*locale).open);
            for statement in of_locale() {
                let shown = [&statement.head, &statement.row, &statement.state].map(|text| is_open(text));
                assert!(shown == [shown[0]; 3], "{name}: {} / {}", statement.head, statement.state);
                assert!(statement.open || !shown[0], "{name}: {}", statement.head);
            }
            let labels = of_locale().filter(|statement| is_open(&statement.head)).count();
            let count = of_locale().next().map_or(0, |statement| statement.open_count as usize);
            assert_eq!(labels, count, "{name} in {}", locale.as_str());
        }
    }
}

#[test]
fn openness_that_nothing_ends_says_how_old_it_is() {
    let year_before = AS_OF.saturating_sub(jiff::Span::new().years(1));
    on_all(|directory, statement| {
        let words = phrases(statement.locale);
        let it = &directory.programs[statement.program];
        let cycles =
            directory.program_links[statement.program].cycles.iter().map(|cycle| &directory.cycles[*cycle]);
        let ahead = cycles.filter_map(|cycle| cycle.deadline_on).any(|deadline| deadline >= AS_OF);
        let checked = it.lifecycle_checked_at.max(it.source_checked_at);
        let checked = checked.map(|time| time.to_zoned(jiff::tz::TimeZone::UTC).date());
        let believed = statement.head.starts_with(words.open);
        let is_old = checked.is_some_and(|day| day < year_before);
        assert!(ahead || !is_old || !believed, "{}: {}", it.slug, statement.head);
        for text in [&statement.row, &statement.state, &statement.twin] {
            assert_eq!(text.contains(words.aged), statement.head.contains(words.aged), "{}: {text}", it.slug);
        }
        statement.head.contains(words.aged)
    });
}

#[test]
fn no_amount_of_a_fact_is_shown_as_not_stated() {
    on_all(|directory, statement| {
        let words = phrases(statement.locale);
        let links = &directory.program_links[statement.program];
        let facts = || links.facts.iter().map(|fact| &directory.facts[*fact]);
        // The amount of a fact with a value is a budget or the like.
        let is_award = |fact: &Fact| fact.value.is_none() && fact.amount.is_some() && fact.currency.is_some();
        let named = facts().any(is_award);
        let converted = facts().any(|fact| fact.value.as_deref() == Some("funding-conversion"));
        let slug = &directory.programs[statement.program].slug;
        assert!(!named || statement.funding != words.not_stated, "{slug}");
        if converted {
            let (source, dollars) =
                (statement.funding.find("EUR").unwrap(), statement.funding.find("US").unwrap());
            let about = if statement.locale == Locale::En { ", about US$ " } else { ", aproximadamente " };
            assert!(statement.funding.contains(about), "{slug}: {}", statement.funding);
            assert!(source < dollars, "{slug}: {}", statement.funding);
            assert!(statement.twin.contains(&statement.funding), "{slug}");
        }
        converted
    });
}

#[test]
fn tools_speak_in_the_words_of_pages() {
    for (key, words) in status_text::PHRASES.iter() {
        for locale in Locale::ALL {
            assert_eq!(WORDS.word(*locale, key), words[*locale as usize], "{key}");
        }
    }
}
