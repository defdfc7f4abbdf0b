//! Where a program stands and what it pays, in plain words for language models. Constant phrases:
//! no text of a record and no operator's wording is part of a sentence about a state.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::facet::{Facet, state_label};
use crate::page::money::phrase;
use crate::record::Locale;
use crate::search::ProgramState;
use crate::time::{Day, DisplayStatus, LifecycleConflict};

/// Phrases by key, English and Spanish.
pub static PHRASES: LazyLock<FxHashMap<&str, [&str; 2]>> = LazyLock::new(|| {
    let rows = include_str!("../../data/phrases.txt").lines().map(|row| row.split(" | "));
    rows.filter_map(|mut row| Some((row.next()?, [row.next()?, row.next()?]))).collect()
});

/// A phrase; nothing for a key that is none.
pub(crate) fn word(key: &str, locale: Locale) -> &'static str {
    PHRASES.get(key).map_or("", |words| words[locale as usize])
}

/// Where a program stands on a day: the displayed status, then the observed lifecycle and when it was checked. A
/// deadline `in_words` of the source is stated elsewhere.
pub fn state(program: &ProgramState, today: Day, locale: Locale, in_words: bool) -> String {
    let word = |key: &str| word(key, locale);
    let (next, last) = (program.openness.next_deadline.date(), program.openness.last_deadline.date());
    let state = match program.standing {
        DisplayStatus::Open => word("state_open").to_owned(),
        DisplayStatus::ClosingSoon => word("state_closing_soon").to_owned(),
        DisplayStatus::Rolling => word("state_rolling").to_owned(),
        DisplayStatus::Upcoming => word("state_upcoming").to_owned(),
        DisplayStatus::Closed => word("state_closed").to_owned(),
        DisplayStatus::Undated => word("state_unknown").to_owned(),
        DisplayStatus::Doubtful => word("state_doubtful").to_owned(),
        DisplayStatus::Passed => format!(
            "{} {}; {}",
            word("state_passed"),
            last.map(|day| day.to_string()).unwrap_or_default(),
            word("when_not_known")
        ),
        DisplayStatus::OpenWhenChecked { months } => {
            let ago = phrase(word("when_months_ago"), &[("n", &months.to_string())]);
            format!("{}, {ago}", word("state_open_when_checked"))
        }
        DisplayStatus::OpenSince { opened } => {
            let day = opened.date().map(|day| day.to_string()).unwrap_or_default();
            let since = phrase(word("state_open_since"), &[("day", &day)]);
            let none = if in_words { String::new() } else { format!(", {}", word("when_no_deadline")) };
            let doubtful = word("state_doubtful").to_lowercase();
            return format!("{since}{none}; {doubtful}. {}.", lifecycle(program, locale));
        }
    };
    let opens = program.openness.next_opening.date().filter(|_| program.standing == DisplayStatus::Upcoming);
    let opens = opens.map(|day| format!("; {} {day}", word("when_opens"))).unwrap_or_default();
    let is_last_day = program.openness.next_deadline == today;
    let last_day = if is_last_day { format!(", {}", word("when_today")) } else { String::new() };
    let open = matches!(program.standing, DisplayStatus::Open | DisplayStatus::ClosingSoon);
    let days = match (program.standing, next, last) {
        (_, Some(next), _) if program.openness.projected => format!("; {} {next}", word("when_projected")),
        (_, Some(next), _) if open && program.openness.ends => format!("; {} {next}", word("when_closes")),
        (_, Some(next), _) => format!("; {} {next}", word("when_deadline")),
        (DisplayStatus::Closed, None, Some(last)) => format!("; {} {last}", word("when_last_deadline")),
        (DisplayStatus::Open | DisplayStatus::Upcoming | DisplayStatus::OpenWhenChecked { .. }, None, _)
            if !in_words =>
        {
            format!("; {}", word("when_no_deadline"))
        }
        _ => String::new(),
    };
    format!("{state}{opens}{days}{last_day}. {}.", lifecycle(program, locale))
}

/// `Active, between cycles, as checked 2026-07-01; by its dates it is open now`
fn lifecycle(program: &ProgramState, locale: Locale) -> String {
    let observed = program.observed;
    let label = state_label(Facet::Lifecycles, observed.lifecycle.as_str(), locale);
    let label = label.unwrap_or(observed.lifecycle.as_str());
    let checked = checked(label, observed.on.date().map(|day| day.to_string()), |key| word(key, locale));
    let differs = match program.standing.differs(observed.lifecycle) {
        Some(LifecycleConflict::Open) => "by_dates_open",
        Some(LifecycleConflict::Upcoming) => "by_dates_upcoming",
        Some(LifecycleConflict::Closed) => "by_dates_closed",
        None => return checked,
    };
    format!("{checked}; {}", word(differs, locale))
}

/// A lifecycle with the date on which it was observed.
pub fn checked<'w>(label: &str, date: Option<String>, word: impl Fn(&str) -> &'w str) -> String {
    match date {
        Some(date) => phrase(word("program_lifecycle_checked"), &[("lifecycle", label), ("date", &date)]),
        None => phrase(word("program_lifecycle_unchecked"), &[("lifecycle", label)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{CycleStatus, Lifecycle};
    use crate::search::Observation;
    use crate::time::{Openness, Season};

    fn state_text(lifecycle: Lifecycle, seasons: &[Season], checked: Day, locale: Locale) -> String {
        let today = Day::new(jiff::civil::date(2026, 11, 21));
        let openness = Openness::new(lifecycle, seasons.iter().copied(), today);
        let standing = openness.standing(checked, today);
        state(
            &ProgramState { standing, openness, observed: Observation { lifecycle, on: checked, checked } },
            today,
            locale,
            false,
        )
    }

    #[test]
    fn a_state_names_its_days_and_the_lifecycle_its_check() {
        let day = |y, m, d| Day::new(jiff::civil::date(y, m, d));
        let passed = Season { deadline: day(2026, 9, 30), ..Season::default() };
        let open = Season { opens: day(2026, 11, 1), deadline: day(2026, 12, 31), ..Season::default() };
        let rolling = Season { stated: Some(CycleStatus::Rolling), ..Season::default() };
        let (lately, long_ago) = (day(2026, 7, 1), day(2025, 8, 20));
        for (lifecycle, season, checked, locale, expected) in [
            (
                Lifecycle::Unclear,
                passed,
                lately,
                Locale::En,
                "Last deadline 2026-09-30; not known whether it opens again. Unclear, as checked 2026-07-01.",
            ),
            (
                Lifecycle::Unclear,
                passed,
                Day::NONE,
                Locale::Es,
                "Último plazo: 2026-09-30; no se sabe si volverá a abrir. Sin confirmar; no consta la fecha de \
                 ninguna revisión.",
            ),
            (
                Lifecycle::ActiveBetweenCycles,
                open,
                lately,
                Locale::En,
                "Open; closes 2026-12-31. Active, between cycles, as checked 2026-07-01; by its dates it is open \
                 now.",
            ),
            (
                Lifecycle::ActiveAccepting,
                rolling,
                long_ago,
                Locale::En,
                "Open when last checked, 15 months ago; no deadline stated. Active, accepting applications, as \
                 checked 2025-08-20.",
            ),
            (
                Lifecycle::ActiveAccepting,
                rolling,
                lately,
                Locale::En,
                "Rolling. Active, accepting applications, as checked 2026-07-01.",
            ),
            (
                Lifecycle::Ended,
                passed,
                lately,
                Locale::Es,
                "Cerrada; último plazo: 2026-09-30. Terminada, según la revisión del 2026-07-01.",
            ),
        ] {
            assert_eq!(state_text(lifecycle, &[season], checked, locale), expected);
        }
    }

    #[test]
    fn a_state_names_the_doubt_about_old_rounds_the_opening_and_the_last_day() {
        let day = |y, m, d| Day::new(jiff::civil::date(y, m, d));
        let today = day(2026, 11, 21);
        let old = Season { opens: day(2011, 7, 6), ..Season::default() };
        let fiscal = Season { opens: day(2025, 7, 6), fiscal: day(2025, 12, 31), ..Season::default() };
        let upcoming = Season { opens: day(2027, 1, 11), deadline: day(2027, 5, 3), ..Season::default() };
        let projected =
            Season { opens: day(2026, 11, 1), deadline: today, projected: true, ..Season::default() };
        let ends_today = Season { projected: false, ..projected };
        let (lately, long_ago) = (day(2026, 7, 1), day(2025, 8, 20));
        for (lifecycle, season, checked, locale, expected) in [
            (
                Lifecycle::ActiveAccepting,
                old,
                long_ago,
                Locale::En,
                "Open since 2011-07-06, no deadline stated; not known whether it is open. Active, accepting \
                 applications, as checked 2025-08-20.",
            ),
            (
                Lifecycle::ActiveAccepting,
                fiscal,
                lately,
                Locale::Es,
                "Abierta desde 2025-07-06, sin plazo publicado; no se sabe si está abierta. Activa, recibe \
                 solicitudes, según la revisión del 2026-07-01.",
            ),
            (
                Lifecycle::ActiveBetweenCycles,
                upcoming,
                lately,
                Locale::En,
                "Upcoming; opens 2027-01-11; deadline 2027-05-03. Active, between cycles, as checked 2026-07-01.",
            ),
            (
                Lifecycle::ActiveAccepting,
                ends_today,
                lately,
                Locale::En,
                "Closing soon; closes 2026-11-21, last day today. Active, accepting applications, as checked \
                 2026-07-01.",
            ),
            (
                Lifecycle::ActiveAccepting,
                projected,
                lately,
                Locale::Es,
                "Cierra pronto; plazo previsto: 2026-11-21, último día: hoy. Activa, recibe solicitudes, según la \
                 revisión del 2026-07-01.",
            ),
        ] {
            assert_eq!(state_text(lifecycle, &[season], checked, locale), expected);
        }
    }
}
