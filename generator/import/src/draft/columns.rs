//! By which names columns are known, and words by which cells say plainly what they mean.

use snapshot::text::fold;

use dataset::Table;

/// Which columns, by their folded names, become which field; the first that is there wins.
pub(super) const COLUMNS: [(Table, &str, &[&str]); 16] = [
    (
        Table::Programs,
        "name",
        &[
            "title",
            "name",
            "programme",
            "program",
            "call",
            "opportunity",
            "opportunitytitle",
            "grant",
            "grantname",
            "titulo",
            "nombre",
            "convocatoria",
            "fundname",
            "schemename",
        ],
    ),
    (
        Table::Programs,
        "organization",
        &[
            "funder",
            "organization",
            "organisation",
            "provider",
            "agency",
            "agencyname",
            "foundation",
            "donor",
            "sponsor",
            "fundingorg",
            "fundingorganization",
            "organismo",
            "entidad",
            "financiador",
        ],
    ),
    (
        Table::Programs,
        "officialUrl",
        &[
            "officialurl",
            "link",
            "url",
            "website",
            "webpage",
            "web",
            "enlace",
            "additionalinformationurl",
            "pagina",
        ],
    ),
    (
        Table::Programs,
        "programType",
        &["programtype", "type", "kind", "category", "tipo", "fundinginstrumenttype"],
    ),
    (Table::Programs, "lifecycle", &["lifecycle", "status", "state", "estado"]),
    (
        Table::Programs,
        "summary",
        &["summary", "short description", "shortdescription", "abstract", "resumen"],
    ),
    (Table::Programs, "description", &["description", "details", "about", "descripcion"]),
    (
        Table::Programs,
        "fields",
        &["fields", "field", "topics", "topic", "areas", "area", "sector", "subject", "theme", "tematica"],
    ),
    (
        Table::Programs,
        "eligibleCountries",
        &[
            "eligiblecountries",
            "countries",
            "country",
            "whomayapply",
            "eligibility",
            "eligiblecountry",
            "paises",
            "pais",
        ],
    ),
    (
        Table::Programs,
        "destinationCountries",
        &["destination", "destinationcountries", "hostcountry", "location"],
    ),
    (
        Table::Programs,
        "fundingMinUsd",
        &["fundingminusd", "min", "minimum", "minamount", "awardfloor", "floor"],
    ),
    (
        Table::Programs,
        "fundingMaxUsd",
        &[
            "fundingmaxusd",
            "max",
            "maximum",
            "maxamount",
            "amount",
            "awardceiling",
            "ceiling",
            "amountusd",
            "maximo",
        ],
    ),
    (
        Table::Cycles,
        "deadlineOn",
        &[
            "deadline",
            "deadlineon",
            "closingdate",
            "closedate",
            "closes",
            "duedate",
            "applicationdeadline",
            "fechalimite",
            "plazo",
            "cierre",
        ],
    ),
    (
        Table::Cycles,
        "opensOn",
        &["openson", "opens", "openingdate", "opendate", "startdate", "postdate", "apertura"],
    ),
    (Table::Cycles, "applicationUrl", &["applicationurl", "applyurl", "apply", "applicationlink"]),
    (Table::Cycles, "cohortYear", &["year", "cohort", "cohortyear", "anio", "ano"]),
];

/// Words for where a program stands that say it plainly.
const STATES: [(&str, &[&str]); 4] = [
    (
        "active_accepting",
        &["open", "accepting", "accepting applications", "abierta", "abierto", "active", "posted"],
    ),
    ("active_between_cycles", &["closed", "between cycles", "upcoming", "forecasted", "cerrada", "cerrado"]),
    ("paused", &["paused", "suspended", "on hold"]),
    ("ended", &["ended", "discontinued", "archived", "finalizada"]),
];

/// Texts that stand for nothing in sheets.
pub(super) const NOTHING: [&str; 12] =
    ["-", "–", "—", "n/a", "N/A", "na", "NA", "tbc", "TBC", "tbd", "TBD", "?"];

/// Words for kinds of programs that are not the kind's own name.
const TYPES: [(&str, &[&str]); 7] = [
    ("grant", &["grants", "subvencion", "subvenciones", "ayuda", "ayudas", "project grant"]),
    ("fellowship", &["fellowships", "estancia", "estancias"]),
    ("scholarship", &["scholarships", "beca", "becas", "bursary", "bolsa"]),
    ("prize", &["prizes", "award", "awards", "premio", "premios"]),
    ("residency", &["residencies", "residence", "residencia", "residencias"]),
    ("competition", &["competitions", "contest", "concurso", "challenge"]),
    ("loan", &["loans", "prestamo"]),
];

/// Words in a column of deadlines that say there is none.
pub(super) const ROLLING: [&str; 8] =
    ["rolling", "continuous", "ongoing", "always open", "no deadline", "permanente", "abierto", "abierta"];

/// Names of the European Union, and the codes of its members.
pub(super) const EUROPE: (&[&str], &str) = (
    &["eu", "ue", "european union", "union europea", "eu countries", "eu member states", "eu-27", "eu27"],
    "AT|BE|BG|CY|CZ|DE|DK|EE|ES|FI|FR|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK",
);

/// Columns of a table of organizations beside the name.
pub(super) const ORGANIZATION: [(&str, &[&str]); 3] = [
    (
        "websiteUrl",
        &["websiteurl", "website", "url", "link", "web", "homepage", "webpage", "pagina", "enlace"],
    ),
    ("countryCode", &["countrycode", "country", "pais", "basedin"]),
    ("description", &["description", "about", "descripcion", "mission", "details"]),
];

/// The state that a word says; `unclear` when it says none.
pub(super) fn state_of(word: &str) -> String {
    said(&STATES, word).unwrap_or("unclear").to_owned()
}

/// The kind of program that a word says, if it is not the kind's name.
pub(super) fn type_of(word: &str) -> Option<&'static str> {
    said(&TYPES, word)
}

fn said(known: &[(&'static str, &[&str])], word: &str) -> Option<&'static str> {
    let folded = fold(word);
    known.iter().find(|(_, words)| words.contains(&folded.as_str())).map(|(meant, _)| *meant)
}

/// A column's name as names are compared: letters and digits.
pub(super) fn key_of(name: &str) -> String {
    fold(name).chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The first column that has one of these names, else the first with one of them among its words.
pub(super) fn find(columns: &[String], names: &[&str], is_free: impl Fn(usize) -> bool) -> Option<usize> {
    let whole = |name: &&str| columns.iter().position(|column| key_of(column) == **name);
    let exact = names.iter().find_map(whole).filter(|column| is_free(*column));
    exact.or_else(|| {
        let has_word = |name: &str, column: &str| {
            let folded = fold(column);
            folded.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name)
        };
        names.iter().find_map(|name| {
            columns.iter().enumerate().position(|(at, column)| is_free(at) && has_word(name, column))
        })
    })
}
