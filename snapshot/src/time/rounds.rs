//! What names and texts state of the days of a round: the fiscal year that it is for, and whether its days are projected.

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
#[rustfmt::skip]
const PROJECTED: [&str; 24] = [
    "projected", "estimated", "anticipated", "expected", "tentative", "provisional", "provisionales", "tbc",
    "proyectado", "proyectada", "proyectados", "proyectadas", "previsto", "prevista", "previstos", "previstas",
    "estimado", "estimada", "estimados", "estimadas", "tentativo", "tentativa", "tentativos", "tentativas",
];
/// Words for the days of a round.
const DATES: [&str; 6] = ["dates", "deadline", "deadlines", "fechas", "plazo", "plazos"];
/// Words that may stand between the two.
const BETWEEN: [&str; 8] = ["are", "is", "application", "was", "son", "es", "estan", "de"];
/// Parts of [`DATES`]: a sentence without any is not split into words.
const DATES_PARTS: [&str; 4] = ["ates", "eadline", "echas", "lazo"];

/// The fiscal year that a name states, of several the last: `FY 2021 - 2023`, `fiscal year 2024-25`,
/// `ejercicio 2024`.
pub(super) fn fiscal_year(name: &str) -> Option<i16> {
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
    label.trim_start().starts_with('~') || words_of(label).iter().any(|word| PROJECTED.contains(&&**word))
}

/// Whether a text states that the days of its rounds are projected: `Dates projected from last year`.
pub(super) fn are_dates_projected(text: &str) -> bool {
    let has_dates = |text: &str| DATES_PARTS.iter().any(|part| text.contains(part));
    // Most texts have none at all.
    let mut sentences = text.split(['.', ';', '\n']).filter(|sentence| has_dates(sentence));
    has_dates(text)
        && sentences.any(|sentence| {
            let mut words = words_of(sentence);
            words.retain(|word| !BETWEEN.contains(&&**word));
            let is_pair = |a: &str, b: &str| DATES.contains(&a) && PROJECTED.contains(&b);
            words.windows(2).any(|pair| is_pair(&pair[0], &pair[1]) || is_pair(&pair[1], &pair[0]))
        })
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
        for name in
            ["Vision 2030", "FYI 2024", "Class of 2024", "FY", "fiscal year", "Ejercicio físico", "FY 12345"]
        {
            assert_eq!(fiscal_year(name), None, "{name}");
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
