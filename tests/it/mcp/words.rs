//! What answers make of words: synonyms that rows have, values by their common names, and texts that end early.

use serde_json::{Value, json};
use tests::world::World;

use super::{Server, picked};
use crate::records::{organization, programs, values, with};

/// Programs with facts of the first: kind, value and English label.
fn server(members: &[Value], facts: &[(&str, &str, &str)]) -> Server {
    Server::new(World::tables(&[organization(), programs(members), values(facts)]))
}

#[test]
fn fully_funded_is_tuition_and_living_costs_or_the_words() {
    let members =
        ["Grant", "Award", "Fully funded prize", "Prize with a stipend"].map(|name| json!({"name": name}));
    let both = [("benefit", "tuition", "Tuition"), ("benefit", "stipend", "Stipend or salary")];
    let server = server(&members, &both);
    for (text, shown) in [
        ("fully funded", "tuition and stipend"),
        ("full ride", "tuition and stipend"),
        ("beca completa", "matrícula y estipendio"),
    ] {
        let found = server.search(&json!({"query": text, "partial": true}));
        let rows = found["opportunities"].as_array().unwrap();
        let row = |at: usize| (rows[at]["slug"].as_str().unwrap(), rows[at]["shownFor"].as_str());
        let names = row(0).0 == "p3" && (text == "fully funded") == row(0).1.is_none();
        assert!(names && rows.len() == 2 && row(1) == ("p1", Some(shown)), "{found}");
        let benefit =
            |value: &str| json!({"words": text, "filters": [{"facet": "benefits", "value": value}]});
        assert_eq!(found["understood"], json!([benefit("tuition"), benefit("stipend")]));
        let words = server.search(&json!({"query": text, "plain": text}));
        assert_eq!((&words["total"], words.get("understood")), (&json!(1), None), "{words}");
    }
    let one = self::server(&members, &both[..1]);
    let found = one.search(&json!({"query": "fully funded"}));
    assert_eq!(found["total"], 1, "tuition only");
}

#[test]
fn a_value_is_read_by_its_common_names_in_both_languages() {
    let server = server(
        &[json!({"name": "Fund"})],
        &[
            ("career", "doctoral-candidate", "Doctoral candidate"),
            ("career", "entrepreneur", "Entrepreneur"),
            ("career", "student", "Student/Trainee"),
            ("education", "grades-9-12", "Education (9-12)"),
            ("education", "undergraduate", "Undergraduate"),
            ("applicant", "nonprofit", "Nonprofit"),
            ("applicant", "charter-school", "Non-Profit/School"),
            ("applicant", "mixed", "Business, Nonprofit, and School"),
            ("applicant", "higher-education", "Institutions of Higher Education"),
            ("audience", "homeowner", "Homeowner"),
            ("audience", "women", "Women"),
            ("audience", "child", "Child (6-15)"),
            ("audience", "specialized", "Specialized group (for example veterans)"),
            ("audience", "veteran-reservist", "Veteran/Reservist"),
            ("benefit", "stipend", "Stipend or salary"),
        ],
    );
    for (argument, given, value) in [
        ("career", "PhD student", "doctoral-candidate"),
        ("career", "estudiante de doctorado", "doctoral-candidate"),
        ("education", "high school", "grades-9-12"),
        ("education", "escuela secundaria", "grades-9-12"),
        ("education", "bachelor", "undergraduate"),
        ("education", "licenciatura", "undergraduate"),
        ("applicant", "charity", "nonprofit"),
        ("applicant", "sin fines de lucro", "nonprofit"),
        ("applicant", "non-profit", "nonprofit"),
        ("applicant", "university", "higher-education"),
        ("applicant", "universidad", "higher-education"),
        ("audience", "home owners", "homeowner"),
        ("audience", "propietario de vivienda", "homeowner"),
        ("audience", "mujeres", "women"),
        ("audience", "kids", "child"),
        ("audience", "niños", "child"),
        ("audience", "veteran", "veteran-reservist"),
        ("benefit", "estipendio", "stipend"),
    ] {
        let found = server.search(&json!({argument: [given]}));
        let read = json!([{"words": given, "filters": [{"parameter": argument, "value": value}]}]);
        assert_eq!(found["understood"], read, "{given}");
        assert_eq!(found["total"], 1, "{given}");
    }
    let mistake =
        |argument: &str, given: &str| server.mistake("search_opportunities", &json!({argument: [given]}));
    let nearest = mistake("career", "studnet founder");
    assert!(nearest.contains("Nearest: \"entrepreneur\""), "by meaning first: {nearest}");
    let nearest = mistake("career", "alumno extraordinario");
    assert!(nearest.contains("Nearest: \"student\""), "{nearest}");
    let nearest = mistake("career", "studnet");
    assert!(nearest.contains("Nearest: \"student\""), "by spelling: {nearest}");
}

#[test]
fn a_value_of_another_argument_is_named_and_lists_are_searched_by_other_names() {
    let facts = [
        ("career", "doctoral-candidate", "Doctoral candidate"),
        ("applicant", "nonprofit", "Nonprofit"),
        ("audience", "homeowner", "Homeowner"),
    ];
    let server = server(&["Fund", "Prize"].map(|name| json!({"name": name})), &facts);
    let mistake =
        |argument: &str, given: &str| server.mistake("search_opportunities", &json!({argument: [given]}));
    for given in ["homeowner", "home owners"] {
        let other = mistake("applicant", given);
        assert!(other.contains(" As audience it is \"homeowner\"."), "{other}");
    }
    for (q, locale) in [("PhD", "en"), ("doctorado", "es")] {
        let listed = server.options(&json!({"facet": "careers", "q": q, "locale": locale}));
        assert_eq!(listed["data"][0]["value"], "doctoral-candidate", "{listed}");
    }
    let none = server.options(&json!({"facet": "careers", "q": "zebra"}));
    assert_eq!(none["total"], 0);
}

#[test]
fn an_unknown_value_that_is_near_none_gets_the_commonest() {
    let members = ["prize", "grant", "grant"].map(|kind| json!({"name": "Gala", "programType": kind}));
    let server = server(&members, &[]);
    let message = server.mistake("search_opportunities", &json!({"type": ["zebra"]}));
    assert!(message.contains("Unknown type value \"zebra\". Values: \"grant\", \"prize\"."), "{message}");
}

#[test]
fn a_word_that_may_be_several_places_lists_what_selecting_each_finds_and_filters_nothing() {
    let members = [("Soil", "GE"), ("Water", "US-GA"), ("Land", "US"), ("Georgia", "FR"), ("Air", "FR")];
    let members =
        members.map(|(name, code)| json!({"name": format!("{name} archive"), "eligibleCountries": [code]}));
    let server = server(&members, &[("destination", "GE", "Georgia")]);
    let call = |arguments: &Value| server.search(arguments);
    for (locale, query, state) in [
        ("en", "archive in Georgia", "Georgia, United States"),
        ("es", "archive en Georgia", "Georgia, Estados Unidos"),
    ] {
        let found = call(&json!({"query": query, "locale": locale}));
        let of = [
            ("country", "GE", "Georgia", 1),
            ("destination", "GE", "Georgia", 1),
            ("country", "US-GA", state, 2),
        ];
        let offered = of.map(|(parameter, value, label, total)| {
            let selected = call(&json!({"query": "archive", parameter: value}));
            assert_eq!(selected["total"], total, "{value}");
            json!({"parameter": parameter, "value": value, "label": label, "total": total})
        });
        assert_eq!(found["understood"], json!([{"words": "georgia", "filters": [], "offered": offered}]));
        assert_eq!(found["total"], 1, "only the word");
        for decided in [json!({"plain": "Georgia"}), json!({"country": "FR", "destination": "FR"})] {
            let arguments = with(json!({"query": query}), decided);
            assert_eq!(call(&arguments).get("understood"), None, "{arguments}");
        }
    }
    let alone = call(&json!({"query": "Montana"}));
    let offered = &alone["understood"][0]["offered"][0];
    assert_eq!(picked(offered, "value total"), json!(["US-MT", 1]), "no record has the word");
}

#[test]
fn a_record_says_that_a_text_ends_early_exactly_where_it_does_at_its_source() {
    let long = "A sentence of a long text. ".repeat(900);
    let (cut, whole) = (format!("{long}And then…"), long.clone());
    let cases = [
        (json!({"summary": "It pays for…"}), json!(["summary"])),
        (json!({"description": "It pays for..."}), json!(["description"])),
        (json!({"description": "It pays for…  "}), json!(["description"])),
        (json!({"summary": "All of it.", "description": cut}), json!(["description"])),
        (json!({"summary": "Maps and…", "description": "Maps, plans…"}), json!(["summary", "description"])),
        (json!({"description": whole}), Value::Null),
        (json!({"summary": "Maps… and more.", "description": "Rivers ... and lakes."}), Value::Null),
        (json!({"name": "Maps…"}), Value::Null),
        (json!({}), Value::Null),
    ];
    let members = cases.iter().map(|(members, _)| with(json!({"name": "Fund"}), members.clone()));
    let server = server(&members.collect::<Vec<_>>(), &[]);
    for (number, (members, cut)) in (1..).zip(&cases) {
        for detail in ["concise", "full"] {
            let record =
                server.call("get_opportunity", &json!({"slug": format!("p{number}"), "detail": detail}));
            let (record, length) = (&record["opportunity"], members.to_string().len());
            assert_eq!(&record["cutTexts"], cut, "{detail}: {length}");
            let ends = record["textEnds"].as_str();
            assert_eq!(ends, cut.is_array().then_some("cut at source"), "{detail}: {length}");
        }
    }
}

#[test]
fn words_that_mean_a_filter_and_were_not_applied_are_named() {
    let server = server(&[json!({"name": "Fund of the sea"})], &[]);
    for (query, notice, offered) in [
        ("fund over 10,000 euros", "US dollars only", Value::Null),
        ("fondo que abre en marzo", "on which a record opens", Value::Null),
        ("fund under 30", "", json!([{"parameter": "ageMax", "value": "30"}])),
    ] {
        let found = server.search(&json!({"query": query}));
        let entry = found["understood"].as_array().and_then(|all| all.last()).unwrap();
        assert_eq!((&entry["filters"], &entry["offered"]), (&json!([]), &offered), "{query}");
        assert!(found["notice"].as_str().unwrap_or_default().contains(notice), "{found}");
    }
}
