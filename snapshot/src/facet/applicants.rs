//! Who can apply, as a source states it. Audiences are whom the money serves: they are no applicants, and neither are the
//! career stages and levels of education of a record whose applicants are organizations.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FACETS, Facet, FacetSpec, Measure, admitted_values, named_values};
use crate::distinct::distinct;
use crate::patterns::Patterns;
use crate::place::{self, WORLD};
use crate::record::{Fact, Program};

/// Words of applicants that are persons, in both languages.
#[rustfmt::skip]
const PERSONS: [&str; 28] = [
    "individual", "individuals", "person", "persons", "people", "anyone", "student", "students", "researcher",
    "researchers", "artist", "artists", "scientist", "scientists", "faculty", "citizen", "persona", "personas",
    "individuo", "individuos", "estudiante", "estudiantes", "investigador", "investigadora", "investigadores",
    "ciudadano", "ciudadana", "artistas",
];
/// Types of programs that persons apply to, where no applicants are stated.
#[rustfmt::skip]
const FOR_PERSONS: [&str; 13] = [
    "fellowship", "scholarship", "studentship", "traineeship", "internship", "residency", "prize", "training", "beca",
    "becas", "premio", "residencia", "pasantia",
];

/// How a text about citizens admits others too.
static OTHERS_ADMITTED: Patterns = Patterns::new(
    "permanent|lawful|legal residents|resident\ngreen card\neligible|qualified non citizen|citizens\n\
    noncitizen|noncitizens\nnationals|asylees|asylee|refugees|refugee|daca\n\
    residentes permanentes|legales\nrefugiados|refugiadas",
);
/// How it rules them out.
static OTHERS_EXCLUDED: Patterns = Patterns::new(
    "residents|resident|holders|nationals|refugees are|is|may|can* not|ineligible|cannot\n\
    no|not permanent|lawful|legal residents|resident\nno residentes",
);

/// How the text of a fact about residence states that applicants live anywhere, or only where the program is.
static ANYWHERE: Patterns = Patterns::new(
    "international|foreign applicants|students|scholars|candidates\nall|any nationalities|nationality\nbased program|study",
);

/// Whether the words of the facts behind a residence state that it is none of applicants.
fn is_anywhere(spec: &FacetSpec, of_value: &[&Fact]) -> bool {
    let mut texts = of_value.iter().filter_map(|fact| fact.text.as_deref());
    spec.facet == Facet::Residences && texts.any(|text| ANYWHERE.find(text).is_some())
}

/// Whether the text of a fact about citizens, which the facet is made of, admits others too, such as permanent residents.
pub fn admits_others(spec: &FacetSpec, facts: &[&Fact]) -> bool {
    let mut texts =
        facts.iter().filter(|fact| spec.is_fed_by(&fact.kind)).filter_map(|fact| fact.text.as_deref());
    let is_admitting = |text: &str| {
        let text = text.replace('.', "");
        OTHERS_ADMITTED.find(&text).is_some() && OTHERS_EXCLUDED.find(&text).is_none()
    };
    spec.facet == Facet::Citizenships && texts.any(is_admitting)
}

/// Whether a value admits citizens of all countries.
pub fn admits_any_nationality(facet: Facet, value: &str) -> bool {
    (facet, value) == (Facet::Citizenships, WORLD)
}

/// Facets with values of a program.
pub type Applicants<'a> = Vec<(&'static FacetSpec, Vec<&'a str>)>;

/// What a program states of its applicants: the facets that pages show under *Who can apply*, each with its values. A place
/// is as exact as stated, and stands once.
pub(crate) fn applicants<'a>(program: &'a Program, facts: &[&'a Fact]) -> Applicants<'a> {
    let are_persons = admits_persons(program, facts);
    let only_persons = FOR_PERSONS.contains(&&*program.program_type)
        || are_persons && named_values(Facet::Applicants, program, facts).iter().all(is_person);
    let is_of_persons = |spec: &FacetSpec| spec.is_place || spec.facet == Facet::Applicants || are_persons;
    let shown = FACETS.iter().filter(|spec| spec.is_eligibility && spec.facet != Facet::Audiences);
    let mut all: Vec<_> = shown
        .filter(|spec| is_of_persons(spec))
        .map(|spec| (spec, admitted_values(spec.facet, program, facts)))
        .collect();
    let served: Vec<&str> = served(facts).collect();
    for (spec, values) in &mut all {
        // Programs may state hundreds of places: each fact is looked at once.
        let mut by_value: FxHashMap<&str, Vec<&Fact>> = FxHashMap::default();
        for fact in facts.iter().filter(|fact| spec.is_fed_by(&fact.kind)) {
            by_value.entry(fact.value.as_deref().unwrap_or_default()).or_default().push(fact);
        }
        let of = |value: &str| by_value.get(value).map_or(&[][..], Vec::as_slice);
        // Where persons alone apply, they are those whom the money serves: their citizenship is a condition.
        values.retain(|value| spec.is_place && only_persons || !is_audience(spec, of(value), &served));
        values.retain(|value| !is_anywhere(spec, of(value)));
        if spec.is_place {
            *values = values.iter().flat_map(|value| exact(value, of(value))).collect();
        }
    }
    // A place needs no mention beside a subdivision of it, and an eligible one none beside the same residence. Citizens of a
    // country may be residents of another.
    let is_citizenship = |spec: &FacetSpec| spec.facet == Facet::Citizenships;
    let places = all.iter().filter(|(spec, _)| spec.is_place);
    let places = places.flat_map(|(spec, values)| values.iter().map(move |value| (*spec, *value)));
    let repeated: FxHashSet<(bool, &str)> = places
        .clone()
        .filter_map(|(spec, place)| Some((is_citizenship(spec), place.split_once('-')?.0)))
        .collect();
    let residences: FxHashSet<&str> =
        places.filter(|(spec, _)| spec.facet == Facet::Residences).map(|(_, place)| place).collect();
    for (spec, values) in all.iter_mut().filter(|(spec, _)| spec.is_place) {
        *values = distinct(std::mem::take(values));
        values.retain(|value| {
            let is_repeated = spec.facet == Facet::Countries && residences.contains(value);
            !is_repeated && !repeated.contains(&(is_citizenship(spec), *value))
        });
    }
    all.retain(|(_, values)| !values.is_empty());
    all.sort_by_key(|(spec, _)| spec.detail_page_rank);
    all
}

/// Whether persons can apply: its applicants are persons too or, where none are stated, its type is one for persons.
pub fn admits_persons(program: &Program, facts: &[&Fact]) -> bool {
    let stated = named_values(Facet::Applicants, program, facts);
    if stated.is_empty() {
        FOR_PERSONS.contains(&&*program.program_type)
    } else {
        stated.iter().any(is_person)
    }
}

fn is_person(applicant: &&str) -> bool {
    applicant.split('-').any(|word| PERSONS.contains(&word))
}

/// Whether the record states the words of a value of those whom the money serves too.
fn is_audience(spec: &FacetSpec, of_value: &[&Fact], served: &[&str]) -> bool {
    let mut words = of_value.iter().flat_map(|fact| [fact.label.as_deref(), fact.text.as_deref()]).flatten();
    spec.facet != Facet::Applicants && words.any(|words| served.contains(&words))
}

/// Labels of those whom the money serves.
fn served<'a>(facts: &[&'a Fact]) -> impl Iterator<Item = &'a str> {
    let of_audiences = facts.iter().filter(|fact| Facet::Audiences.spec().is_fed_by(&fact.kind));
    of_audiences.filter_map(|fact| fact.label.as_deref())
}

/// Facts without the ages of those whom the money serves: a label of both states such an age.
pub fn without_ages_served<'a>(facts: &[&'a Fact]) -> Vec<&'a Fact> {
    let served: Vec<String> = served(facts).map(str::to_lowercase).collect();
    let is_served = |fact: &&&Fact| {
        let is_age = Measure::of_kind(&fact.kind) == Some(Measure::Age);
        is_age && fact.label.is_some_and(|label| served.contains(&label.to_lowercase()))
    };
    facts.iter().filter(|fact| !is_served(fact)).copied().collect()
}

/// The subdivisions that the text of each fact about a country begins with, else the value itself: `US`, of which the source
/// writes `Pennsylvania state programme`, is `US-PA`.
fn exact<'a>(value: &'a str, of_value: &[&Fact]) -> Vec<&'a str> {
    let within = |fact: &&Fact| place::subdivisions_in(fact.text.as_deref().unwrap_or_default(), value);
    let within: Vec<Vec<&str>> = of_value.iter().map(within).collect();
    let is_exact = !within.is_empty() && within.iter().all(|places| !places.is_empty());
    if is_exact { within.concat() } else { vec![value] }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Kind, value, label and text of a fact; empty ones are not stated.
    fn fact([kind, value, label, text]: &[&str; 4]) -> Fact {
        let (nil, updated) = (uuid::Uuid::nil(), "2026-01-01T00:00:00Z");
        let stated = |text: &str| if text.is_empty() { Value::Null } else { text.into() };
        serde_json::from_value(json!({
            "id": nil, "programId": nil, "kind": kind, "value": value, "label": stated(label), "text": stated(text),
            "updatedAt": updated,
        }))
        .unwrap()
    }

    fn shown(kind: &str, countries: &[&str], facts: &[[&str; 4]]) -> String {
        let nil = uuid::Uuid::nil();
        let program: Program = serde_json::from_value(json!({
            "id": nil, "organizationId": nil, "slug": "a", "name": "A", "programType": kind, "officialUrl": "https://a.example",
            "eligibleCountries": countries, "lifecycle": "unclear", "createdAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-01-01T00:00:00Z",
        }))
        .unwrap();
        let facts: Vec<Fact> = facts.iter().map(fact).collect();
        let line = applicants(&program, &facts.iter().collect::<Vec<_>>());
        let line = line.into_iter().map(|(spec, values)| format!("{}: {}", spec.name, values.join(" ")));
        line.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn career_stages_are_those_of_persons() {
        const CAREER: [&str; 4] = ["career", "student", "Student", ""];
        let all = "applicants: business-individual-municipality; careers: student";
        for (kind, applicant, expected) in [
            ("grant", "state-government", "applicants: state-government"),
            ("grant", "individual", "applicants: individual; careers: student"),
            ("grant", "business-individual-municipality", all),
            ("grant", "", ""),
            ("fellowship", "", "careers: student"),
        ] {
            let facts = [["applicant", applicant, "", ""], CAREER];
            let facts = &facts[usize::from(applicant.is_empty())..];
            assert_eq!(shown(kind, &[], facts), expected, "{kind} {applicant}");
        }
    }

    #[test]
    fn whom_the_money_serves_is_no_applicant() {
        let facts = [
            ["applicant", "individual", "Individual", ""],
            ["audience", "student-trainee", "Student/Trainee", ""],
            ["career", "student", "Student/Trainee", ""],
            ["career", "researcher", "Researcher", ""],
            ["audience", "individual-family", "Individual", ""],
            ["audience", "u-s-citizen", "U.S. Citizen", ""],
            ["citizenship", "US", "United States", "U.S. Citizen"],
            ["citizenship", "CA", "Canada", "Citizens of Canada"],
        ];
        let expected = "applicants: individual; careers: researcher; citizenships: CA US";
        assert_eq!(shown("grant", &[], &facts), expected);
        let school = [["applicant", "school", "School", ""]];
        let expected = "applicants: individual school; careers: researcher; citizenships: CA";
        assert_eq!(shown("grant", &[], &[&facts[..], &school].concat()), expected);
    }

    #[test]
    fn words_in_another_sense_name_no_applicant_and_exclude_none() {
        for (value, text, expected) in [
            ("faculty", "Doctoral students; must have a faculty sponsor", ""),
            ("practitioner", "EdD, JD and other professional degrees NOT eligible", ""),
            ("practitioner", "Full-time doctoral or professional students", ""),
            ("faculty", "Faculty sponsor the students whom they nominate", "careers: faculty"),
            ("practitioner", "Practitioners who have professional degrees", "careers: practitioner"),
        ] {
            assert_eq!(shown("fellowship", &[], &[["career", value, "", text]]), expected, "{text}");
            assert_eq!(super::super::exclusion(value, text), None, "{text}");
        }
    }

    #[test]
    fn others_than_citizens_are_found_in_the_text() {
        for (text, expected) in [
            ("U.S. citizens or permanent residents", true),
            ("A U.S. citizen or eligible non-citizen", true),
            ("Personas con nacionalidad o residentes permanentes", true),
            ("US citizens only; permanent residents are not eligible", false),
            ("US citizens or nationals ONLY (permanent residents NOT eligible)", false),
            ("Citizens who are residents of Ohio; a national laboratory", false),
        ] {
            let fact = fact(&["citizenship", "US", "", text]);
            assert_eq!(admits_others(Facet::Citizenships.spec(), &[&fact]), expected, "{text}");
        }
    }

    #[test]
    fn an_age_of_those_whom_the_money_serves_is_no_applicants() {
        let facts = [
            ["age", "youth", "Youth (16-21)", ""],
            ["audience", "youth", "youth (16-21)", ""],
            ["age", "youth", "Adults", ""],
            ["career", "youth", "youth (16-21)", ""],
        ];
        let facts: Vec<Fact> = facts.iter().map(fact).collect();
        let kept = without_ages_served(&facts.iter().collect::<Vec<_>>());
        assert_eq!(kept.iter().map(|fact| &*fact.kind).collect::<Vec<_>>(), ["audience", "age", "career"]);
    }

    #[test]
    fn a_place_is_as_exact_as_stated_and_stands_once() {
        for (countries, facts, expected) in [
            (&["US"][..], &[["country", "US", "", "Pennsylvania state programme"]][..], "countries: US-PA"),
            (&["US"], &[["residence", "US-PA", "", ""]], "residences: US-PA"),
            (&["CA", "US"], &[["residence", "US-PA", "", ""]], "residences: US-PA; countries: CA"),
            (&["US"], &[["citizenship", "US", "", ""]], "citizenships: US; countries: US"),
            (&["US"], &[["country", "US", "", "US-only applicants"]], "countries: US"),
            (
                &["US"],
                &[["country", "US", "", "Ohio programme"], ["country", "US", "", "Texas and Utah"]],
                "countries: US-OH US-TX US-UT",
            ),
            (&["US"], &[["country", "US", "", "Ohio programme"], ["country", "US", "", ""]], "countries: US"),
            (&["150", "DE"], &[], "countries: 150 DE"),
            (&[], &[["residence", "US", "", "US-based; welcomes international applicants"]], ""),
            (&[], &[["residence", "US", "", "PhD candidates; US-based program"]], ""),
            (&[], &[["residence", "US", "", "US residents in all states"]], "residences: US"),
        ] {
            assert_eq!(shown("grant", countries, facts), expected);
        }
    }
}
