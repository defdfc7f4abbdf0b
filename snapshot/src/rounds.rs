//! What names and texts state of the days of a round: the date or the year that it is for, whether its days are
//! projected, and whether it is a call for applications at all.

use std::sync::LazyLock;

use jiff::civil::Date;

use crate::patterns::Patterns;
use crate::text::words_of;

/// Words for a fiscal year.
const FISCAL: [&[&str]; 5] = [
    &["fiscal", "year"],
    &["financial", "year"],
    &["ano", "fiscal"],
    &["ejercicio", "fiscal"],
    &["ejercicio"],
];
/// Words for days that are not announced yet.
const PROJECTED: &str = "projected|estimated|anticipated|expected|tentative|provisional|provisionales|tbc|\
    proyectado|proyectada|proyectados|proyectadas|previsto|prevista|previstos|previstas|\
    estimado|estimada|estimados|estimadas|tentativo|tentativa|tentativos|tentativas";
static PROJECTED_DAYS: Patterns = Patterns::new(PROJECTED);
/// The same beside a word for the days of a round.
static PROJECTED_DATES: LazyLock<Patterns> = LazyLock::new(|| {
    let (dates, between) =
        ("dates|deadline|deadlines|fechas|plazo|plazos", "are|is|application|was|son|es|estan|de*");
    Patterns::from(format!("{dates} {between} {PROJECTED}\n{PROJECTED} {between} {dates}"))
});
/// Names of what takes no applications, or of a round that was withdrawn.
static NO_CALLS: Patterns = Patterns::new(
    "request|call for information\n solicitud de informacion\n rfi|withdrawn|cancelled|canceled\n\
    retirado|retirada|cancelado|cancelada|anulado|anulada",
);
/// Names of months in English, then in Spanish.
const MONTHS: &str = "january february march april may june july august september october november december \
    enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre";

/// Whether a name is one of a call for information, or of a round that was withdrawn.
pub(super) fn is_no_call(name: &str) -> bool {
    NO_CALLS.find(name).is_some()
}

/// The last day that the label of a round leaves possible: `~Oct 2, 2026`, the end of `Oct-Nov, 2026`, of `2024-A`
/// or of `FY 2023`. Words such as `late` are passed over.
pub(super) fn last_day(label: &str) -> Option<Date> {
    let mut words = words_of(label);
    words.retain(|word| word != "de");
    let year =
        |(at, word): (usize, &String)| Some((at, stated_year(word, None).filter(|_| word.len() == 4)?));
    let Some((at, year)) = words.iter().enumerate().rev().find_map(year) else {
        return fiscal_year_end(label);
    };
    let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at)).map(String::as_str);
    let number = |word: Option<&str>| word.and_then(|word| word.parse::<i8>().ok());
    let month = |word: Option<&str>| word.and_then(month_number);
    let dated = match (month(before(1)), month(before(2))) {
        (Some(month), _) => Some((month, number(before(2)))),
        (None, Some(month)) => number(before(1)).map(|day| (month, Some(day))),
        (None, None) => None,
    };
    let end = Date::new(year, 12, 31).ok().max(fiscal_year_end(label));
    let Some((month, day)) = dated else { return end };
    let first = Date::new(year, month, 1).ok()?;
    Some(day.and_then(|day| Date::new(year, month, day).ok()).unwrap_or_else(|| first.last_of_month()))
}

/// The month of a word: its name, or at least three letters of it.
fn month_number(word: &str) -> Option<i8> {
    let at = MONTHS.split(' ').position(|name| name.starts_with(word)).filter(|_| word.len() >= 3)?;
    i8::try_from(at % 12 + 1).ok()
}

/// A fiscal year ends at the latest with the calendar year of its number.
pub(super) fn fiscal_year_end(name: &str) -> Option<Date> {
    Date::new(fiscal_year(name)?, 12, 31).ok()
}

/// The fiscal year that a name states, of several the last: `FY 2021 - 2023`, `fiscal year 2024-25`,
/// `ejercicio 2024`.
fn fiscal_year(name: &str) -> Option<i16> {
    // Most names state none. Digits of other scripts are folded.
    if !name.bytes().any(|byte| byte.is_ascii_digit() || !byte.is_ascii()) {
        return None;
    }
    let words = words_of(name);
    let stated = |at: usize, after| words.get(at).and_then(|word| stated_year(word, after));
    let mut last = None;
    for (at, word) in words.iter().enumerate() {
        let is_run =
            |run: &&&[&str]| words[at..].iter().map(String::as_str).take(run.len()).eq(run.iter().copied());
        let year_at = match word.strip_prefix("fy") {
            Some("") => at + 1,
            Some(year) => {
                last =
                    last.max(stated_year(year, None).map(|year| stated(at + 1, Some(year)).unwrap_or(year)));
                continue;
            }
            None => match FISCAL.iter().find(is_run) {
                Some(run) => at + run.len(),
                None => continue,
            },
        };
        last = last.max(stated(year_at, None).map(|year| stated(year_at + 1, Some(year)).unwrap_or(year)));
    }
    last
}

/// A year of four digits, or of two; after another only if it is one of the next ten.
fn stated_year(word: &str, after: Option<i16>) -> Option<i16> {
    let year: i16 = word.parse().ok().filter(|_| word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let year = match word.len() {
        2 => year + 2000,
        4 if (1990..2100).contains(&year) => year,
        _ => return None,
    };
    after.is_none_or(|first| (first..=first + 10).contains(&year)).then_some(year)
}

/// Whether the label of a round states that its days are projected: `~Jan 15, 2027`, `expected March 2027`.
pub(super) fn is_projected_label(label: &str) -> bool {
    label.trim_start().starts_with('~') || PROJECTED_DAYS.find(label).is_some()
}

/// Whether a text states that the days of its rounds are projected: `Dates projected from last year`.
pub(super) fn are_dates_projected(text: &str) -> bool {
    // What stands in brackets or after a colon belongs to the same sentence: `Deadline (tentative)`.
    PROJECTED_DATES.find(&text.replace(['(', ':'], ",")).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_states_the_last_fiscal_year_it_is_for() {
        for (name, year) in [
            ("Climate Program Office for FY 2012", 2012),
            ("FY 2021 - 2023 Economic Development", 2023),
            ("Seattle FY 2021 – FY 2023 Planning", 2023),
            ("Tobacco Grant Program FY 2025-26 Request", 2026),
            ("FY24 Homeland Security", 2024),
            ("FY2027 awards", 2027),
            ("Grants for fiscal year 2019", 2019),
            ("Ayudas del ejercicio 2024", 2024),
            ("Subvenciones, año fiscal 2023-2024", 2024),
        ] {
            assert_eq!(fiscal_year(name), Some(year), "{name}");
        }
        let others =
            ["Vision 2030", "FYI 2024", "Class of 2024", "FY", "fiscal year", "Ejercicio físico", "FY 12345"];
        for name in others {
            assert_eq!(fiscal_year(name), None, "{name}");
        }
    }

    #[test]
    fn a_label_leaves_a_last_day_possible() {
        for (label, day) in [
            ("~Oct 3, 2026", "2026-10-03"),
            ("Late Oct, 2026", "2026-10-31"),
            ("Oct-Nov, 2026", "2026-11-30"),
            ("~Late fall, 2026", "2026-12-31"),
            ("9 January 2027", "2027-01-09"),
            ("3 de mayo de 2026", "2026-05-03"),
            ("mediados de ene. 2027", "2027-01-31"),
            ("Concurso regular 2024", "2024-12-31"),
            ("Desafíos 2023: pesca", "2023-12-31"),
            ("Semestre 2024-A", "2024-12-31"),
            ("FY 2021 - 2023", "2023-12-31"),
            ("FY23", "2023-12-31"),
            ("Feb 30, 2026", "2026-02-28"),
        ] {
            assert_eq!(last_day(label).map(|day| day.to_string()).as_deref(), Some(day), "{label}");
        }
        for label in ["", "Verify on website", "Apr 8, Aug 8, or Dec 8 annually", "Etapa 1", "PD-18-1340"] {
            assert_eq!(last_day(label), None, "{label}");
        }
    }

    #[test]
    fn a_call_for_information_and_a_withdrawn_round_are_no_calls() {
        let no_calls =
            "STEM Consortia (RFI)|Request for Information: soils|2025 (Withdrawn)|Convocatoria anulada";
        for name in no_calls.split('|') {
            assert!(is_no_call(name), "{name}");
        }
        for name in ["Information for requests", "Cancer research", "Retiradas de residuos", "RFID tags"] {
            assert!(!is_no_call(name), "{name}");
        }
    }

    #[test]
    fn projected_days_are_distinguished_from_announced_ones() {
        for label in ["~Jan 9, 2027", "Expected March 2027", "Convocatoria prevista: marzo"] {
            assert!(is_projected_label(label), "{label}");
        }
        assert!(!is_projected_label("Annual") && !is_projected_label("2026 ~ 2027"));
        for text in [
            "Dates projected from prior cycle; verify",
            "The deadline is tentative.",
            "Estimated application deadline: May",
            "Las fechas son provisionales.",
            "Fechas previstas para mayo",
            "Plazo estimado: 3 de mayo",
            "Deadline (tentative): May",
        ] {
            assert!(are_dates_projected(text), "{text}");
        }
        for text in [
            "Applicants state the expected start of their project before the deadline.",
            "Current and projected employment figures",
            "By the deadline. Estimated costs follow.",
            "El presupuesto previsto",
        ] {
            assert!(!are_dates_projected(text), "{text}");
        }
    }
}
