//! What is left out of an answer, and what pages say of it: values after "no", organizations of other subdivisions, the
//! end of a long text, and days that a source states in words only.

use serde_json::{Value, json};
use tests::judge::desk::rows_of;
use tests::world::World;

use crate::records::{cycle, fact, id, organization, programs, record};
use crate::server::Live;

fn live(tables: &[(&str, Vec<Value>)]) -> Live {
    Live::of(&World::tables(tables))
}

/// Slugs of the rows of a page, sorted.
fn slugs(page: &str) -> Vec<String> {
    let mut slugs = rows_of(page);
    slugs.sort();
    slugs
}

#[test]
fn a_value_after_no_is_left_out_of_every_row_in_both_languages() {
    let kinds = ["loan", "grant", "scholarship", "loan"];
    let members: Vec<Value> = kinds.map(|kind| json!({"name": "Soil fund", "programType": kind})).to_vec();
    let live = live(&[organization(), programs(&members)]);
    for (address, left, chip) in [
        ("/programs?q=no+loans", &["p2", "p3"][..], "other than Loan"),
        ("/programs?q=soil+not+a+loan", &["p2", "p3"], "other than Loan"),
        ("/programs?q=scholarships+not+loans", &["p2", "p3"], "other than Loan"),
        ("/es/programs?q=sin+préstamos", &["p2", "p3"], "excepto Préstamo"),
        ("/es/programs?q=suelo+que+no+sea+préstamo+soil", &["p2", "p3"], "excepto Préstamo"),
        // Neither are loans near matches.
        ("/programs?q=quasar+soil+without+loans", &["p2", "p3"], "other than Loan"),
    ] {
        let page = live.get(address);
        assert_eq!(slugs(&page), left, "{address}: {page}");
        assert!(page.contains(chip), "{address}: {page}");
    }
    // As text the words name nothing, and no record has them.
    assert!(slugs(&live.get("/programs?q=no+loans&plain=no+loans")).is_empty());
    assert_eq!(slugs(&live.get("/programs?q=loans")), ["p1", "p4"]);
}

/// Four funds: what they give, for whom, and where.
fn shops() -> Live {
    let member = |kind: &str, summary: &str, places: &[&str]| json!({"name": "Soil fund", "programType": kind, "summary": summary, "eligibleCountries": places});
    let members = [
        member("loan", "For companies.", &["KE"]),
        member("prize", "For companies and shops.", &["UG"]),
        member("grant", "For farms.", &["FR"]),
        member("scholarship", "For shops.", &[]),
    ];
    live(&[organization(), programs(&members)])
}

#[test]
fn alternatives_are_one_condition_and_shown_as_such() {
    let live = shops();
    for (address, found) in [
        ("/programs?q=soil+either+loans+or+prizes", &["p1", "p2"][..]),
        ("/es/programs?q=soil+préstamos+o+premios", &["p1", "p2"]),
        ("/programs?q=soil+in+Kenya+or+in+Uganda", &["p1", "p2"]),
        ("/programs?q=soil+companies+or+farms", &["p1", "p2", "p3"]),
        ("/programs?q=soil+farms,+loans+or+prizes", &["p1", "p2", "p3"]),
        ("/programs?q=soil+shops+loans+OR+prizes", &["p2"]),
        ("/programs?q=soil+quasar+and/or+prizes", &["p2"]),
    ] {
        let page = live.get(address);
        assert_eq!(slugs(page.split("class=\"tier\"").next().unwrap()), found, "{address}: {page}");
        assert!(page.contains("<b>or ") || page.contains("<b>o "), "{address}: {page}");
    }
    let plain = live.get("/programs?q=soil+loans+or+prizes&plain=prizes");
    assert!(!plain.contains("<b>or "), "{plain}");
    let guessed = live.get("/programs?q=soil+shops+or+compamies");
    assert!(
        guessed.contains("No record has \u{201c}compamies\u{201d}. Shown: \u{201c}companies"),
        "{guessed}"
    );
    let answer = live.call("search_opportunities", &json!({"query": "soil loans or prizes"}));
    assert!(answer.contains("\"or\":true"), "{answer}");
}

#[test]
fn words_after_an_exclusion_and_what_a_conjunction_joins_to_it_are_left_out() {
    let live = shops();
    for (question, left, names) in [
        ("soil excluding companies", &["p3", "p4"][..], &["companies"][..]),
        ("soil not for companies or shops", &["p3"], &["companies", "shops"]),
        ("soil excluding loans and farms", &["p2", "p4"], &["Loan", "farms"]),
        ("soil outside Kenya and Uganda", &["p3", "p4"], &["Kenya", "Uganda"]),
        ("soil not for people from Kenya", &["p2", "p3", "p4"], &["Kenya"]),
        ("es: soil excepto Kenia ni Uganda", &["p3", "p4"], &["Kenia", "Uganda"]),
        ("es: soil que no sea para companies", &["p3", "p4"], &["companies"]),
        // Words after a place are not places.
        ("soil outside Kenya and farms", &["p3"], &["Kenya"]),
        ("soil neither loans, prizes nor farms", &["p4"], &["Loan", "Prize", "farms"]),
        ("neither companies nor farms", &["p4"], &["companies", "farms"]),
        ("es: soil ni en Kenia ni en Uganda", &["p3", "p4"], &["Kenia", "Uganda"]),
        // Of both, not of one.
        ("soil not for loans companies", &["p2", "p3", "p4"], &["loans companies"]),
        // As with a minus, and what is joined to it.
        ("soil not \"companies and shops\"", &["p1", "p3", "p4"], &["companies and shops"]),
        ("soil without \"farms\" or \"companies\"", &["p4"], &["farms", "companies"]),
        // Nothing is required.
        ("soil not limited to Kenya", &["p1", "p2", "p3", "p4"], &[]),
        ("soil not only for \"companies\" but also for farms", &["p1", "p2", "p3", "p4"], &[]),
    ] {
        let (path, other, idle) = match question.strip_prefix("es: ") {
            Some(_) => ("/es/programs", "excepto", "no exige ni excluye nada."),
            None => ("/programs", "other than", "neither requires nor excludes anything."),
        };
        let text = question.trim_start_matches("es: ").replace(' ', "+").replace('"', "%22");
        let page = live.get(&format!("{path}?q={text}"));
        assert_eq!(slugs(page.split("class=\"tier\"").next().unwrap()), left, "{question}: {page}");
        assert!(names.iter().all(|name| page.contains(&format!("{other} {name}"))), "{question}: {page}");
        assert!(other == "excepto" || page.matches(other).count() == names.len(), "{question}: {page}");
        assert_eq!(page.contains(idle), names.is_empty(), "{question}: {page}");
    }
    // As text they are words.
    assert_eq!(slugs(&live.get("/programs?q=excluding+companies&plain=excluding+companies")), ["p1", "p2"]);
    // Words that only might leave others out are a name where there is nothing else.
    assert_eq!(slugs(&live.get("/programs?q=no+companies+shops")), ["p1", "p2", "p4"]);
    let answer = live.call("search_opportunities", &json!({"query": "soil excluding companies"}));
    let outside = json!({"facet": "text", "value": "companies"}).to_string();
    assert!(answer.contains(&outside), "{answer}");
}

#[test]
fn a_value_left_out_takes_narrower_ones_with_it_but_not_its_opposite() {
    let members: Vec<Value> = (1..=3).map(|_| json!({"name": "Soil fund"})).collect();
    let careers = [(1, "student"), (2, "graduate-student"), (3, "non-student")];
    let facts = careers.map(|(at, value)| fact(at, at, json!({"kind": "career", "value": value})));
    let live = live(&[organization(), programs(&members), ("facts", facts.into())]);
    for (question, left) in [("students", &["p3"][..]), ("graduate+students", &["p1", "p3"])] {
        assert_eq!(slugs(&live.get(&format!("/programs?q=soil+not+for+{question}"))), left, "{question}");
    }
}

#[test]
fn what_another_state_offers_in_the_country_is_not_offered_to_a_state() {
    let row = |number: usize, name: &str| {
        record(number, json!({"slug": format!("o{number}"), "name": name, "countryCode": "US"}))
    };
    let organizations =
        ["Council on the Arts (Pennsylvania)", "Ohio Arts Council", "West Virginia Trust", "Museum Fund"];
    let rows = (61..).zip(organizations).map(|(number, name)| row(number, name)).collect();
    let member =
        |number: usize| json!({"name": "Prize", "eligibleCountries": ["US"], "organizationId": id(number)});
    let members = [member(61), member(62), member(63), member(64)];
    let live = live(&[("organizations", rows), programs(&members)]);
    for (place, wider) in [
        ("Ohio", &["p4"][..]),
        ("Pennsylvania", &["p4"]),
        ("West+Virginia", &["p4"]),
        // Its name is part of a longer one.
        ("Virginia", &["p4"]),
        ("Texas", &["p4"]),
    ] {
        let page = live.get(&format!("/programs?q=prize+{place}"));
        let tier =
            page.split("Through a wider region").nth(1).and_then(|rest| rest.split("class=\"tier\"").next());
        assert_eq!(slugs(tier.unwrap_or_default()), wider, "{place}: {page}");
    }
    // Its own organization names the place.
    assert_eq!(slugs(live.get("/programs?q=prize+Ohio").split("class=\"tier\"").next().unwrap()), ["p2"]);
}

#[test]
fn how_far_a_long_text_is_searched_is_stated_in_both_languages() {
    let live = live(&[organization(), programs(&[json!({"name": "Soil"})])]);
    let words = (0..32).map(|number| format!("w{number}")).collect::<Vec<_>>().join("+");
    for (path, phrase) in [
        ("/programs", "only the beginning is searched, here as far as \u{201c}w28 w29 w30 w31\u{201d}."),
        ("/es/programs", "solo se busca el comienzo, aquí hasta «w28 w29 w30 w31»."),
    ] {
        let page = live.get(&format!("{path}?q={words}+lost+words"));
        assert!(page.contains(phrase), "{page}");
        assert!(!page.contains("not understood") && !page.contains("no se entendió"));
        assert!(!live.get(&format!("{path}?q={words}")).contains("id=\"invalid\""));
    }
}

#[test]
fn words_for_dates_stand_where_no_cycle_has_the_day_of_a_deadline_or_its_label_states_how_it_returns() {
    let note = json!({"kind": "note", "value": "deadline-text", "text": "~Dec 8, 2026"});
    let past = |label: &str| json!({"label": label, "opensOn": "2025-01-01", "deadlineOn": "2025-02-01"});
    for (note, round, words, is_shown) in [
        (Some(&note), json!({}), "~Dec 8, 2026", true),
        (Some(&note), json!({"opensOn": "2026-10-08"}), "~Dec 8, 2026", true),
        (Some(&note), json!({"deadlineOn": "2026-12-08"}), "~Dec 8, 2026", false),
        (None, past("Annual: every spring"), "Annual: every spring", true),
        (None, past("2025"), "2025", false),
    ] {
        let facts = ("facts", note.map(|note| fact(1, 1, note.clone())).into_iter().collect());
        let cycles = ("cycles", vec![cycle(1, 1, round)]);
        let live = live(&[organization(), programs(&[json!({"name": "Soil"})]), facts, cycles]);
        let quoted = format!("Dates in the source’s words: <span dir=\"auto\">{words}</span>");
        for (target, phrase) in [
            ("/programs?q=soil", &*quoted),
            ("/es/programs?q=soil", "Fechas en palabras de la fuente: "),
            ("/programs/p1", &quoted),
        ] {
            let page = live.get(target);
            assert_eq!(page.contains(phrase), is_shown, "{target}: {page}");
        }
    }
}

#[test]
fn a_card_names_who_published_the_source_else_the_host_of_the_official_page() {
    let source = json!({
        "entityType": "program", "kind": "dataset", "entityId": id(1), "url": "https://list.example/a",
        "publisher": "Soil List", "retrievedAt": "2026-01-01T00:00:00Z"
    });
    for (sources, text) in [
        (vec![record(300, source)], "From <bdi>Soil List</bdi> · "),
        (Vec::new(), "<p class=\"src\">example.org · "),
    ] {
        let soil = programs(&[json!({"name": "Soil", "officialUrl": "https://www.example.org/soil"})]);
        let page = live(&[organization(), soil, ("sources", sources)]).get("/programs?q=soil");
        assert!(page.contains(text), "{page}");
    }
}

#[test]
fn a_round_whose_deadline_is_stated_in_words_is_not_without_a_deadline() {
    let note = |text: &str| json!({"kind": "note", "value": "deadline-text", "text": text});
    let stale = json!({"name": "Soil", "sourceCheckedAt": "2025-08-01T00:00:00Z"});
    let members = [json!({"name": "Soil"}), stale];
    let cycles = vec![cycle(1, 1, json!({"status": "open"})), cycle(2, 2, json!({"status": "rolling"}))];
    // The second stands for no deadline.
    for (text, is_without) in [(None, true), (Some("2035-12-31"), true), (Some("~May 3, 2031"), false)] {
        let facts =
            text.into_iter().flat_map(|text| [fact(1, 1, note(text)), fact(2, 2, note(text))]).collect();
        let tables = [organization(), programs(&members), ("facts", facts), ("cycles", cycles.clone())];
        let live = live(&tables);
        for (target, phrase) in [
            ("/programs?q=soil", "no deadline stated"),
            ("/es/programs?q=soil", "sin plazo publicado"),
            ("/programs/p1", "no deadline stated"),
            ("/programs/p2", "no deadline stated"),
            ("/es/programs/p2", "sin plazo publicado"),
        ] {
            let page = live.get(target);
            assert_eq!(page.contains(phrase), is_without, "{target}: {page}");
        }
        for program in ["p1", "p2"] {
            let answer = live.call("get_opportunity", &json!({"slug": program}));
            assert_eq!(answer.contains("no deadline stated"), is_without, "{answer}");
        }
    }
}
