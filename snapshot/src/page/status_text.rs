//! Where a program stands and what it pays, in plain words for language models. Constant phrases:
//! no text of a record and no operator's wording is part of a sentence about a state.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::facet::{Facet, state_label};
use crate::page::text::phrase;
use crate::record::Locale;
use crate::search::ProgramState;
use crate::time::{Day, DisplayStatus, Openness, observed_phrase};

/// Phrases by key, English and Spanish.
pub static PHRASES: LazyLock<FxHashMap<&str, [&str; 2]>> = LazyLock::new(|| {
    let rows = include_str!("../../data/phrases.txt").lines().map(|row| row.split(" | "));
    rows.filter_map(|mut row| Some((row.next()?, [row.next()?, row.next()?]))).collect()
});

/// A phrase; nothing for a key that is none.
pub(crate) fn word(key: &str, locale: Locale) -> &'static str {
    PHRASES.get(key).map_or("", |words| words[locale as usize])
}

/// Where a program stands on a day: the displayed status, then the observed lifecycle and when it was checked. When
/// applications are taken `in_words` of the source is stated elsewhere.
pub fn state(program: &ProgramState, today: Day, locale: Locale, in_words: bool) -> String {
    let word = |key: &str| word(key, locale).to_owned();
    let dated = |key: &str, day: Day| Some(format!("{} {}", word(key), day.date()?));
    let openness = &program.openness;
    let (label, more) = match program.standing {
        DisplayStatus::ClosingSoon if !openness.projected => (closes(openness, today, locale), None),
        DisplayStatus::Open | DisplayStatus::ClosingSoon => (word("state_open"), None),
        DisplayStatus::Rolling => (word("state_rolling"), None),
        DisplayStatus::Ahead => (word("state_ahead"), None),
        DisplayStatus::Upcoming => (word("state_upcoming"), dated("when_opens", openness.next_opening)),
        DisplayStatus::Closed => (word("state_closed"), dated("when_last_deadline", openness.last_deadline)),
        DisplayStatus::Over { is_guess: true } => {
            let day = dated("when_projected", openness.last_round);
            (word("state_over_guess"), day.filter(|_| openness.last_round == openness.last_deadline))
        }
        DisplayStatus::Over { .. } => {
            let over =
                openness.last_round.date().map(|end| match openness.last_round == openness.last_deadline {
                    true => format!("{} {end}", word("state_over")),
                    false => phrase(&word("state_over_year"), &[("year", &end.year().to_string())]),
                });
            (over.unwrap_or_else(|| word("state_over_undated")), (!in_words).then(|| word("when_not_known")))
        }
        DisplayStatus::NotKnown { opened, months } => {
            let opened = opened.and_then(Day::date).map(|day| ("when_opened", "day", day.to_string()));
            let months = months.map(|months| ("when_open_checked", "n", months.to_string()));
            let more = opened.or(months).map(|(key, name, value)| phrase(&word(key), &[(name, &value)]));
            (word("state_not_known"), more)
        }
    };
    let deadline = deadline(program, today, locale, in_words);
    let parts: Vec<String> = [Some(label), more, deadline].into_iter().flatten().collect();
    format!("{}. {}.", parts.join("; "), lifecycle(program, locale))
}

/// `Open, closes in 3 days`
fn closes(openness: &Openness, today: Day, locale: Locale) -> String {
    let left = match openness.next_deadline.0.saturating_sub(today.0) {
        0 => return format!("{}, {}", word("state_open", locale), word("when_today", locale)),
        1 => word("when_tomorrow", locale).to_owned(),
        days => phrase(word("when_in_days", locale), &[("n", &days.to_string())]),
    };
    phrase(word("state_closing_soon", locale), &[("left", &left)])
}

/// The next deadline, or that none is stated.
fn deadline(program: &ProgramState, today: Day, locale: Locale, in_words: bool) -> Option<String> {
    use DisplayStatus::{ClosingSoon, NotKnown, Open, Upcoming};
    let (openness, standing) = (&program.openness, program.standing);
    let Some(next) = openness.shown_deadline.date() else {
        let is_missing = !in_words && matches!(standing, Open | Upcoming | NotKnown { .. });
        return is_missing.then(|| word("when_no_deadline", locale).to_owned());
    };
    let (key, is_in_label) = match openness.projected {
        true => ("when_projected", false),
        false if standing == Open && openness.ends => ("when_closes", false),
        false => ("when_deadline", standing == ClosingSoon),
    };
    let is_last_day = openness.shown_deadline == today && !is_in_label;
    let last_day = if is_last_day { format!(", {}", word("when_today", locale)) } else { String::new() };
    Some(format!("{} {next}{last_day}", word(key, locale)))
}

/// `Active, between cycles, as checked 2026-07-01; by its dates it is open now`
fn lifecycle(program: &ProgramState, locale: Locale) -> String {
    let observed = program.observed;
    let label = state_label(Facet::Lifecycles, observed.lifecycle.as_str(), locale);
    let label = label.unwrap_or(observed.lifecycle.as_str());
    let key = observed_phrase(observed.lifecycle, observed.on, program.openness.last_deadline);
    let date = observed.on.date().map(|date| date.to_string()).unwrap_or_default();
    let checked = phrase(word(key, locale), &[("lifecycle", label), ("date", &date)]);
    match program.differs() {
        Some(differs) => format!("{checked}; {}", word(differs, locale)),
        None => checked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::CycleStatus;
    use crate::record::Lifecycle::{self, ActiveAccepting, ActiveBetweenCycles, Ended, Unclear};
    use crate::search::Observation;
    use crate::time::Season;

    const EN: Locale = Locale::En;
    const ES: Locale = Locale::Es;

    fn day(year: i16, month: i8, day: i8) -> Day {
        Day::new(jiff::civil::date(year, month, day))
    }

    /// Lifecycle, only season, day of the last check, and language of the text.
    type Case = (Lifecycle, Season, Day, Locale);

    fn text((lifecycle, season, checked, locale): Case, in_words: bool) -> String {
        let today = day(2026, 11, 21);
        let openness = Openness::new(lifecycle, std::iter::once(season), today);
        let (standing, observed) =
            (openness.standing(checked, today), Observation { lifecycle, on: checked, checked });
        state(&ProgramState { standing, openness, observed }, today, locale, in_words)
    }

    #[test]
    fn a_state_names_its_days_and_the_lifecycle_its_check() {
        let passed = Season { deadline: day(2026, 9, 30), ..Season::default() };
        let open = Season { opens: day(2026, 11, 1), deadline: day(2026, 12, 31), ..Season::default() };
        let rolling = Season { stated: Some(CycleStatus::Rolling), ..Season::default() };
        let (lately, long_ago, after) = (day(2026, 7, 1), day(2025, 8, 20), day(2026, 10, 1));
        for (program, expected) in [
            (
                (Unclear, passed, lately, EN),
                "Last round closed 2026-09-30; not known whether it opens again. Unclear, as checked 2026-07-01.",
            ),
            (
                (Unclear, passed, Day::NONE, ES),
                "Última convocatoria cerrada: 2026-09-30; no se sabe si volverá a abrir. Sin confirmar; no se indica la fecha de \
                 ninguna revisión.",
            ),
            (
                (ActiveBetweenCycles, open, lately, EN),
                "Open; closes 2026-12-31. Active, between cycles, as checked 2026-07-01; by its dates it is open \
                 now.",
            ),
            (
                (ActiveAccepting, rolling, long_ago, EN),
                "Not known to be open; open when checked 15 months ago; no deadline stated. Active, accepting \
                 applications, as checked 2025-08-20.",
            ),
            (
                (ActiveAccepting, rolling, lately, EN),
                "Open at any time. Active, accepting applications, as checked 2026-07-01.",
            ),
            (
                (Ended, passed, lately, ES),
                "Cerrada; último plazo: 2026-09-30. Terminada; última revisión del 2026-07-01, antes de su último plazo.",
            ),
            ((Ended, passed, after, EN), "Closed; last deadline 2026-09-30. Ended, as checked 2026-10-01."),
        ] {
            assert_eq!(text(program, false), expected);
        }
        let returns = text((Unclear, passed, lately, EN), true);
        assert_eq!(returns, "Last round closed 2026-09-30. Unclear, as checked 2026-07-01.");
    }

    #[test]
    fn a_state_names_the_doubt_about_old_rounds_the_opening_and_the_last_day() {
        let deadline = day(2026, 11, 21);
        let old = Season { opens: day(2011, 7, 6), ..Season::default() };
        let fiscal = Season { opens: day(2025, 7, 6), named: day(2025, 12, 31), ..Season::default() };
        let upcoming = Season { opens: day(2027, 1, 11), deadline: day(2027, 5, 3), ..Season::default() };
        let projected = Season { opens: day(2026, 11, 1), deadline, projected: true, ..Season::default() };
        let ends_today = Season { projected: false, ..projected };
        let (lately, long_ago) = (day(2026, 7, 1), day(2025, 8, 20));
        for (program, expected) in [
            (
                (ActiveAccepting, old, long_ago, EN),
                "Not known to be open; opened 2011-07-06; no deadline stated. Active, accepting applications, as \
                 checked 2025-08-20.",
            ),
            (
                (ActiveAccepting, fiscal, lately, ES),
                "No se sabe si está abierta; apertura: 2025-07-06; sin plazo publicado. Activa, recibe \
                 solicitudes, según la revisión del 2026-07-01.",
            ),
            (
                (ActiveBetweenCycles, upcoming, lately, EN),
                "Upcoming; opens 2027-01-11; deadline 2027-05-03. Active, between cycles, as checked 2026-07-01.",
            ),
            (
                (ActiveAccepting, ends_today, lately, EN),
                "Open, last day today; deadline 2026-11-21. Active, accepting applications, as checked \
                 2026-07-01; the present round opened later.",
            ),
            (
                (ActiveAccepting, projected, lately, ES),
                "Abierta; plazo previsto: 2026-11-21, último día: hoy. Activa, recibe solicitudes, según la \
                 revisión del 2026-07-01; la convocatoria actual se abrió después.",
            ),
        ] {
            assert_eq!(text(program, false), expected);
        }
    }
}
