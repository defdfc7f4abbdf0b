//! What the search page says of rows that come near, of ways out, and of names that it does not know.

use serde_json::{Value, json};
use snapshot::place;
use snapshot::time::Day;
use tests::world::World;
use tests::{in_process, snapshots};

use crate::records::{cycle, id, organization, programs, record, values};
use crate::server::{Live, SAMPLE, between};

/// Another one than that of programs.
const OTHER: usize = 9_998;

/// Two organizations with like names.
fn organizations() -> (&'static str, Vec<Value>) {
    let (table, mut rows) = organization();
    rows[0]["slug"] = json!("north");
    rows[0]["name"] = json!("Trust of the North");
    rows.push(record(OTHER, json!({"slug": "south", "name": "Trust of the South"})));
    (table, rows)
}

fn live(members: &[Value]) -> Live {
    Live::of(&World::tables(&[organizations(), programs(members)]))
}

/// The numbers of the rows that a page shows.
fn rows(page: &str) -> usize {
    page.matches("<h3><a ").count()
}

#[test]
fn records_that_admit_a_place_through_a_region_are_counted_and_paged_through() {
    let africa = json!({"name": "Fellowship", "eligibleCountries": ["002"]});
    let live = live(&vec![africa; 25]);
    let first = live.get("/programs?q=fellowship+nigeria");
    assert!(first.contains("25 opportunities through a wider region"), "{first}");
    assert!(first.contains("Through a wider region: 25"));
    assert!(first.contains("Page 1 of 2") && first.contains("rel=\"next\""));
    assert_eq!(rows(&first), 20);
    let second = live.get("/programs?q=fellowship+nigeria&page=2");
    assert!(second.contains("25 opportunities through a wider region") && second.contains("Page 2 of 2"));
    assert_eq!(rows(&second), 5);
    for path in ["/programs", "/es/programs"] {
        let past = live.get(&format!("{path}?q=fellowship+nigeria&page=99"));
        assert!(past.contains(&format!("<a href=\"{path}?q=fellowship+nigeria\">")), "{past}");
    }
}

#[test]
fn regions_follow_what_names_the_place_on_pages_of_their_own() {
    let of = |code: &str| json!({"name": "Fellowship", "eligibleCountries": [code]});
    let members: Vec<Value> = vec![of("NG"); 21].into_iter().chain(vec![of("002"); 21]).collect();
    let live = live(&members);
    let pages = [1, 2, 3].map(|page| live.get(&format!("/programs?q=fellowship+nigeria&page={page}")));
    for (page, number) in pages.iter().zip(1..) {
        assert!(page.contains("21 opportunities</span>"), "{page}");
        assert!(page.contains(&format!("Page {number} of 3")), "{page}");
    }
    assert_eq!(pages.each_ref().map(|page| rows(page)), [20, 20, 2]);
}

#[test]
fn partial_matches_are_not_counted_as_exact_and_not_hidden_behind_a_zero() {
    let mut members = vec![json!({"name": "River"}); 8];
    members.extend([json!({"name": "Soil grant"}), json!({"name": "Soil prize"})]);
    let live = live(&members);
    for (address, count) in [
        ("/programs?q=soil", "2 opportunities"),
        ("/programs?q=soil+quasar+xylophone+zither", "No exact match"),
        ("/programs?q=soil+prize+quasar", "1 close match, none exact"),
        ("/es/programs?q=soil+prize+quasar", "1 coincidencia cercana, ninguna exacta"),
        ("/programs?q=soil+quasar", "No exact match"),
        ("/es/programs?q=soil+quasar", "Ninguna coincidencia exacta"),
        ("/programs?q=quasar", "0 opportunities"),
        ("/programs?q=grannt+quasar", "No exact match"),
    ] {
        let page = live.get(address);
        assert!(page.contains(&format!(">{count}</span>")), "{address}: {page}");
        assert!(page.contains(&format!(": {count}")), "the title of {address}: {page}");
        assert!(!page.contains("Has \u{201c}grannt"), "a guess is not what was typed: {page}");
    }
}

#[test]
fn ways_out_are_counted_within_the_organization_and_it_is_one_of_them() {
    let members = [
        json!({"name": "Soil grant"}),
        json!({"name": "Soil prize", "programType": "prize"}),
        json!({"name": "River grant", "organizationId": id(OTHER)}),
    ];
    let live = live(&members);
    let page = live.get("/programs?q=Soil+for+grant&organization=south");
    assert!(page.contains(">0 opportunities</span>"), "{page}");
    let ways = between(&page, "<ul class=\"without\">", "</ul>");
    for way in [
        "href=\"/programs?q=for+grant&amp;organization=south\">Without <em>Soil</em>: 1 for grant · Trust of the South<",
        "href=\"/programs?q=Soil+for+grant\">Without <em>Organization: Trust of the South</em>: 1 for Soil for grant<",
    ] {
        assert!(ways.contains(way), "{ways}");
    }
    assert!(!ways.contains("<em>grant</em>"), "{ways}");
}

#[test]
fn what_comes_near_a_named_record_is_shown_on_request() {
    let names = "Lake Survey Awards (QXZ)|QXZ Lake Mapping|River Survey Awards|Becas de Estudios Lacustres|\
                 Becas de Estudios Marinos";
    let live = live(&names.split('|').map(|name| json!({"name": name})).collect::<Vec<_>>());
    for (path, words) in
        [("", "Show what comes near as well"), ("/es", "Ver también lo que más se le parece")]
    {
        let named = live.get(&format!("{path}/programs?q=lake+survey+awards"));
        assert_eq!(rows(&named), 1, "{named}");
        let link = format!("<a href=\"{path}/programs?q=lake+survey+awards&amp;near=true\">{words}</a>");
        assert!(named.contains(&link), "{named}");
        let near = live.get(&format!("{path}/programs?q=lake+survey+awards&near=true"));
        assert!(rows(&near) > 1 && !near.contains(words), "{near}");
        assert!(!near.contains("id=\"invalid\"") && !near.contains("<span id=\"applied\"> ("), "{near}");
    }
    assert!(!live.get("/programs?q=survey").contains("near=true"), "no record is named");
}

#[test]
fn a_search_is_a_calendar_to_subscribe_to() {
    let page = String::from_utf8(SAMPLE.get("/es/programs?q=caf%C3%A9+science&open=true").body).unwrap();
    let host = format!("webcal://{}/es/programs.ics", snapshots::HOST);
    let question = "?q=caf%C3%A9+science&amp;open=true";
    for href in [
        format!("{host}{question}"),
        format!(
            "https://calendar.google.com/calendar/render?cid={host}%3Fq%3Dcaf%25C3%25A9%2Bscience%26open%3Dtrue"
        ),
        format!("/es/programs.ics{question}"),
    ] {
        assert!(page.contains(&format!("href=\"{href}\"")), "{href}: {page}");
    }
}

#[test]
fn a_feed_has_what_the_page_understands_and_counts() {
    let live = rounds();
    assert!(live.get("/programs?q=deadline+may+2027").contains("2 opportunities</span>"));
    let parts = [("atom", "<entry>"), ("ics", "BEGIN:VEVENT"), ("csv", "\r\n0000"), ("json", "\"slug\":\"p")];
    for (more, count) in [("", 2), ("&plain=deadline+may+2027", 0)] {
        for (end, part) in parts {
            let feed = live.get(&format!("/programs.{end}?q=deadline+may+2027{more}"));
            assert_eq!(feed.matches(part).count(), count, "{end} {more}: {feed}");
        }
    }
    // A calendar has the deadlines that are still to come, and their months.
    for (day, count) in [("2026-11-21", 3), ("2026-11-22", 2), ("2027-05-04", 0)] {
        live.server.set_day(Day::new(day.parse().unwrap()));
        assert_eq!(live.get("/programs.ics").matches("BEGIN:VEVENT").count(), count, "{day}");
    }
    assert_eq!(in_process::get(&live.server, "/deadlines/2027-04").headers["location"], "/deadlines");
}

#[test]
fn an_unknown_organization_gets_suggestions() {
    let live = live(&[json!({"name": "Soil grant"})]);
    let page = live.get("/programs?organization=Trust&open=true");
    assert!(page.contains("<code>organization=Trust</code>"), "{page}");
    assert!(page.contains("“Trust” is not the name of one organization."));
    for slug in ["north", "south"] {
        assert!(page.contains(&format!("href=\"/programs?open=true&amp;organization={slug}\"")), "{slug}");
    }
    assert!(page.contains("href=\"/programs?q=Trust&amp;open=true\">Search for “Trust” as words<"));
    assert!(page.contains("list=\"names\" dir=\"auto\" value=\"Trust\""), "what was typed is gone");
    let hostile = live.get("/es/programs?organization=%22%3E%3Cimg%20src=x%3E");
    assert!(!hostile.contains("<img"), "{hostile}");
    let known = live.get("/programs?organization=trust+of+the+north");
    assert!(!known.contains("id=\"invalid\""), "{known}");
}

#[test]
fn feeds_say_what_was_left_out_of_their_question() {
    let ask = |end: &str, question: &str| SAMPLE.get(&format!("/es/programs.{end}?{question}"));
    let text = |end: &str, question: &str| String::from_utf8(ask(end, question).body).unwrap();
    let unknown = "organization=there-is-none&type=nonsense&open=true";
    assert!(text("atom", unknown).contains(
        "<subtitle>Esto no se entendió y se dejó fuera: type=nonsense, organization=there-is-none</subtitle>"
    ));
    assert!(text("ics", unknown).replace("\r\n ", "").contains(
        "\r\nX-WR-CALDESC:Esto no se entendió y se dejó fuera: type=nonsense\\, organization=there-is-none\r\n"
    ));
    let name = |question| ask("csv", question).header("content-disposition").to_owned();
    assert_eq!(name(unknown), "attachment; filename=\"opportunities-filters-left-out.csv\"");
    assert_eq!(name("open=true"), "attachment; filename=\"opportunities.csv\"");
    assert!(!text("atom", "open=true").contains("<subtitle>"));
    assert!(!text("ics", "open=true").contains("X-WR-CALDESC"));
}

#[test]
fn where_nothing_comes_near_each_part_says_what_there_is() {
    let prize = json!({"name": "River", "programType": "prize"});
    let grants = ["Soil", "Soil b", "Oak", "Fern"].map(|name| json!({"name": name}));
    let live = live(&[&grants[..], &[prize]].concat());
    for (address, text, ways) in [
        (
            "/programs?q=soil+oak+fern&type=prize",
            "Nothing here fits <em>soil</em>, <em>oak</em>, <em>fern</em> and <em>Type: Prize</em>.",
            [
                "href=\"/programs?q=soil\">For <em>soil</em>: 2<",
                "href=\"/programs?type=prize\">For <em>Type: Prize</em>: 1<",
            ],
        ),
        (
            "/es/programs?q=soil+oak+fern&type=prize",
            "Nada de lo publicado aquí encaja con <em>soil</em>, <em>oak</em>, <em>fern</em> y <em>Tipo: Premio</em>.",
            [
                "href=\"/es/programs?q=soil\">Para <em>soil</em>: 2<",
                "href=\"/es/programs?type=prize\">Para <em>Tipo: Premio</em>: 1<",
            ],
        ),
    ] {
        let page = live.get(address);
        assert!(page.contains(text), "{page}");
        assert!(ways.iter().all(|way| page.contains(way)), "{page}");
        let (found, advice) = page.split_once(text).unwrap();
        assert_eq!((rows(found), rows(advice)), (4, 0), "{page}");
    }
}

#[test]
fn where_few_records_have_the_selected_values_those_with_the_words_follow() {
    let prize = |name: &str| json!({"name": name, "programType": "prize"});
    let mut members = vec![json!({"name": "Soil care"}); 12];
    members.extend([vec![prize("Pine"); 3], vec![prize("Oak tree")]].concat());
    members.extend(["Oak wood", "Pine"].map(|name| json!({"name": name})));
    let live = live(&members);
    let heading = |text: &str| {
        let way = format!("<a href=\"/programs?q={text}\">Search without your filters</a>");
        format!("<strong>Without \u{201c}Prize\u{201d}</strong> {way}")
    };
    let page = live.get("/programs?q=soil+care&type=prize");
    let found = page.split_once(&heading("soil+care")).map(|(_, found)| rows(found));
    assert!(found == Some(12) && page.contains("12 close matches"), "{page}");
    let page = live.get("/programs?q=oak&type=prize");
    let (with, without) = page.split_once(&heading("oak")).unwrap();
    assert_eq!((rows(with), rows(without)), (1, 1), "{page}");
    for (other, count) in [("q=pine&type=prize", 3), ("q=soil+care", 12), ("type=prize", 4)] {
        let page = live.get(&format!("/programs?{other}"));
        assert!(rows(&page) == count && !page.contains("without your filters"), "{other}: {page}");
    }
}

#[test]
fn a_selected_value_weighs_less_than_a_word_and_decides_among_equals() {
    let prize = |name: &str| json!({"name": name, "programType": "prize"});
    let other = |name: &str| json!({"name": name});
    let elm = json!({"name": "Elm", "programType": "fellowship"});
    let members = [prize("Amber birch"), prize("Dune"), other("Birch amber"), other("Cedar"), elm];
    let page = live(&members).get("/programs?q=amber+birch+dune+cedar+quasar&type=prize");
    let order = ["/p1\"", "/p3\"", "/p2\"", "/p4\""];
    let rest = order.iter().try_fold(&*page, |rest, next| Some(rest.split_once(next)?.1));
    assert!(rest.is_some() && rows(&page) == order.len(), "{page}");
    let has = "Has \u{201c}dune\u{201d}, \u{201c}Prize\u{201d}";
    assert!(page.contains(has), "{page}");
    let page = live(&members).get("/programs?q=amber+birch+dune+cedar+quasar&type=prize&type=fellowship");
    assert!(page.contains("Has \u{201c}dune\u{201d}<"), "one of several values: {page}");
}

#[test]
fn a_record_for_the_selected_place_is_not_one_for_another_place_than_the_words_name() {
    let of = |name: &str, code: &str| json!({"name": name, "eligibleCountries": [code]});
    let mut members = vec![of("Pension fund award", "FR"), of("Pension", "US")];
    members.extend(vec![json!({"name": "Oak"}); 4]);
    let page = live(&members).get("/programs?q=pension+fund+award+Kenya&country=US");
    let first = page.find("/programs/p2\"").zip(page.find("/programs/p1\""));
    assert!(first.is_some_and(|(own, other)| own < other), "{page}");
}

#[test]
fn each_place_that_a_word_may_be_is_offered_with_what_selecting_it_finds() {
    let of = |name: &str, code: &str| json!({"name": name, "eligibleCountries": [code]});
    let live = live(&[of("Soil archive", "GE"), of("Water archive", "US-GA"), of("Air archive", "FR")]);
    for (path, lead, role, country) in [
        ("/programs", "Did you mean a place?", "Eligible country", "United States"),
        ("/es/programs", "¿Quería decir un lugar?", "País admitido", "Estados Unidos"),
    ] {
        let link = |code: &str, name: &str| {
            format!("<a href=\"{path}?q=archive&amp;country={code}\">{name}: {role}</a> 1")
        };
        let both = [link("GE", "Georgia"), link("US-GA", &format!("Georgia, {country}"))].join(" · ");
        let none = format!("Montana, {country}: {role} 0");
        for (word, places) in [("georgia", both), ("montana", none)] {
            let page = live.get(&format!("{path}?q={word}+archive"));
            assert!(page.contains(&format!("<p>{lead} {places}</p>")), "{places}: {page}");
        }
    }
}

#[test]
fn words_that_no_record_has_stand_in_one_sentence_with_a_way_on() {
    let live = live(&[json!({"name": "Soil"})]);
    let page = live.get("/programs?q=quasar+zither");
    assert!(page.contains("<p>No record has \u{201c}quasar\u{201d}, \u{201c}zither\u{201d}.</p>"), "{page}");
    let place = live.get("/programs?q=soil+Galicia");
    assert!(place.contains("No record has \u{201c}Galicia") && !place.contains("Read as"), "{place}");
    assert!(page.contains("<a href=\"/browse\">") && !page.contains("class=\"without\""), "{page}");
}

#[test]
fn records_that_state_no_applicant_follow_those_that_match() {
    let of = |name: &str, careers: &[&str]| json!({"name": name, "careerStages": careers});
    let members = [of("Soil a", &["postdoc"]), of("Soil b", &[]), of("Soil c", &["student"]), of("Oak", &[])];
    let live = live(&members);
    for (address, count, heading) in [
        ("/programs?q=soil&career=postdoc", "1 opportunity", "Career stage not stated (1)"),
        ("/es/programs?q=soil&career=postdoc", "1 oportunidad", "Etapa de carrera: no se indica (1)"),
        (
            "/programs?q=soil&fundingMin=5",
            "3 may fit: they do not state all that you chose",
            "How much not stated (3)",
        ),
    ] {
        let page = live.get(address);
        let silent = between(&page, &format!("<strong>{heading}</strong>"), "</ol>");
        assert!(page.contains(&format!(">{count}</span>")) && silent.contains("/programs/p2"), "{page}");
        assert!(!silent.contains("/programs/p4"), "{page}");
    }
    assert!(!live.get("/programs?q=soil").contains("not stated ("));
}

#[test]
fn a_search_states_how_many_are_open_and_leads_to_them() {
    let of = |lifecycle: &str| json!({"name": "Soil", "lifecycle": lifecycle, "lifecycleCheckedAt": "2026-08-01T00:00:00Z"});
    let live = live(&[of("active_accepting"), of("ended"), of("ended")]);
    let open = |address: &str| {
        live.get(address).contains("<a href=\"/programs?q=soil&amp;open=true\">1 open now</a>")
    };
    assert!(open("/programs?q=soil") && !open("/programs?q=soil&open=true"));
    assert!(live.get("/programs?q=soil&openState=closed").contains("<p>none known to be open now</p>"));
}

#[test]
fn filters_count_the_close_matches_that_are_shown() {
    let prize = json!({"name": "Soil prize", "programType": "prize"});
    let mut members = vec![json!({"name": "River"}); 8];
    members.extend([json!({"name": "Soil grant"}), prize]);
    let live = live(&members);
    let page = live.get("/programs?q=soil+quasar");
    let kinds = between(&page, "<summary>Type</summary>", "</fieldset>");
    for kind in ["Grant", "Prize"] {
        assert!(kinds.contains(&format!("<bdi>{kind}</bdi> <i>1</i>")), "{kinds}");
    }
}

#[test]
fn a_group_of_filters_without_a_choice_is_left_out() {
    let live = live(&[json!({"name": "Soil"})]);
    // Its only value has a quick filter.
    let page = live.get("/programs?openState=closing_soon");
    assert!(!page.contains("</legend></fieldset>"), "{page}");
}

#[test]
fn words_that_were_understood_stand_in_a_sentence_with_one_link_to_a_search_for_them_as_words() {
    let live = live(&[json!({"name": "Soil", "eligibleCountries": ["KE"]})]);
    for (path, word, sentence, link) in [
        ("", "kenya", "Showing <b>Kenya</b>.", "Search \u{201c}kenya\u{201d} as words instead"),
        ("/es", "Kenia", "Se muestra <b>Kenia</b>.", "Buscar \u{ab}Kenia\u{bb} como texto"),
    ] {
        let page = live.get(&format!("{path}/programs?q=soil+{word}"));
        let read = between(&page, "<p class=\"read\">", "</p>");
        assert!(read.starts_with(sentence) && read.ends_with(&format!("{link}</a>")), "{read}");
        assert!(read.contains("&amp;plain=ken") && read.matches("<a ").count() == 1, "{read}");
        assert!(!live.get(&format!("{path}/programs?q=soil")).contains("class=\"read\""));
    }
}

#[test]
fn an_address_that_a_form_made_leads_to_the_one_without_its_empty_fields() {
    let live = live(&[json!({"name": "Soil", "eligibleCountries": ["KE"]})]);
    for (address, expected) in [
        (
            "/programs?pick=type%3Agrant&pick=&pick=country%3AKE&q=soil",
            "/programs?type=grant&country=KE&q=soil",
        ),
        ("/es/programs?pick=&pick=&pick=&q=", "/es/programs"),
        ("/programs?q=soil&sort=&organization=&fundingMin=&fundingMax=&ageMin=", "/programs?q=soil"),
        ("/programs?pick=q%3Asoil&pick=nothing", "/programs"),
    ] {
        let answer = in_process::get(&live.server, address);
        assert_eq!(answer.status, 308, "{address}");
        assert_eq!(answer.headers["location"], expected, "{address}");
    }
    // What is wrong is named on the page of the address itself.
    assert!(live.get("/programs?pick=&type=nothing&q=").contains("id=\"invalid\""));
    assert_eq!(in_process::get(&live.server, "/programs?q=soil&sort=").status, 200, "typed by a person");
}

#[test]
fn words_that_mean_several_benefits_name_each_in_one_sentence_and_rows_say_so() {
    let benefits = [("benefit", "tuition", "Tuition"), ("benefit", "stipend", "Stipend or salary")];
    let members = programs(&["Grant", "Award", "Prize"].map(|name| json!({"name": name})));
    let live = Live::of(&World::tables(&[organizations(), members, values(&benefits)]));
    for (path, question, lead, values, words) in [
        ("", "fully+funded", "Benefits", ["Tuition", "Stipend or salary"], "tuition and stipend"),
        (
            "/es",
            "beca+completa",
            "Qué ofrece",
            ["Matrícula", "Estipendio o salario"],
            "matrícula y estipendio",
        ),
    ] {
        let page = live.get(&format!("{path}/programs?q={question}"));
        for value in values {
            let named = format!("<b>{lead}: {value}</b>");
            assert!(page.contains(&named), "{named}: {page}");
        }
        let sentence = between(&page, "<p class=\"read\">", "</p>");
        assert!(sentence.matches("<a ").count() == 1, "{sentence}");
        assert!(rows(&page) == 1 && page.contains(&in_marks_of(path, &format!("“{words}”"))), "{page}");
    }
}

#[test]
fn a_chip_has_forty_characters_and_the_rest_in_its_description() {
    let kinds = "a-kind-of-opportunity-with-a-very-long-name-that-nobody-reads";
    let live = live(&[json!({"name": "Soil", "programType": kinds})]);
    let page = live.get(&format!("/programs?type={kinds}"));
    let chip = between(&page, "<ul class=\"chips\">\n<li>", "</a></li>");
    let visible = between(chip, "</span>", " <span aria-hidden");
    assert!(visible.ends_with('…') && visible.chars().count() <= 38, "{visible}");
    let title = "title=\"Type: A kind of opportunity with a very long name that nobody reads\"";
    assert!(chip.contains(title), "{chip}");
}

#[test]
fn what_may_pay_more_than_the_greatest_amount_follows_what_pays_at_most_that() {
    let of = |name: &str, min: u32, max: Option<u32>| json!({"name": name, "fundingMinUsd": min, "fundingMaxUsd": max});
    let members = [of("Soil a", 100, Some(90_000)), of("Soil b", 100, None), of("Soil c", 100, Some(5_000))];
    let live = live(&members);
    for (address, heading) in [
        ("/programs?fundingMax=10000", "May pay more"),
        ("/programs?q=soil&fundingMax=10000", "May pay more"),
        ("/programs?q=soil+under+$10,000", "May pay more"),
        ("/es/programs?fundingMax=10000", "Pueden pagar más"),
    ] {
        let page = live.get(address);
        let (within, above) = page.split_once(&format!("<strong>{heading}</strong>")).unwrap();
        assert!(within.contains(">3 ") && within.contains("/programs/p3\""), "{address}: {page}");
        assert_eq!((rows(within), rows(above)), (1, 2), "{address}: {page}");
    }
    assert!(!live.get("/programs?fundingMin=50").contains("May pay more"));
    let stated = live.get("/programs?fundingMin=0");
    assert!(between(&stated, "<ul class=\"chips\">", "</ul>").contains("Amount stated"), "{stated}");
}

#[test]
fn the_first_way_out_keeps_the_words_that_distinguish_most() {
    let mut members = vec![json!({"name": "Nonprofit fund"}); 3];
    members.extend([json!({"name": "Theater prize"}), json!({"name": "River"})]);
    let live = live(&members);
    for (address, first) in [
        ("/programs?q=nonprofit+theater", "Without <em>nonprofit</em>: 1 for theater"),
        ("/programs?q=theater+nonprofit", "Without <em>nonprofit</em>: 1 for theater"),
        ("/es/programs?q=theater+nonprofit", "Sin <em>nonprofit</em>: 1 para theater"),
    ] {
        let page = live.get(address);
        assert!(between(&page, "<ul class=\"without\">", "</li>").contains(first), "{page}");
    }
}

#[test]
fn records_without_the_word_that_tells_least_share_one_heading() {
    let mut members = vec![json!({"name": "Solar theater"}); 2];
    members.extend(vec![json!({"name": "River"}); 7]);
    let live = live(&members);
    for (path, without) in [("/programs", "Without"), ("/es/programs", "Sin")] {
        let page = live.get(&format!("{path}?q=solar+theater+river"));
        let heading =
            format!("<p class=\"tier\"><strong>{without} {}</strong>", in_marks_of(path, "“river”"));
        assert_eq!((page.matches(&heading).count(), rows(&page)), (1, 2), "{page}");
        assert_eq!(page.matches("<p class=\"tier\">").count(), 1, "{page}");
        assert!(!page.contains(&format!("<p class=\"src\">{without}")), "the heading says it: {page}");
    }
}

#[test]
fn where_nothing_comes_close_words_that_records_have_together_come_first() {
    let names = ["Solar boat for a school", "Solar boat", "School of maps", "Theater"];
    let mut members = names.map(|name| json!({"name": name})).to_vec();
    members.extend(vec![json!({"name": "River"}); 20]);
    let live = live(&members);
    for (path, only, first) in
        [("/programs", "For", "the first is"), ("/es/programs", "Para", "el primero es")]
    {
        let page = live.get(&format!("{path}?q=our+solar+school+needs+a+theater+zither+xylophone"));
        let list = between(&page, "<ul class=\"without\">", "</ul>");
        let way = format!(
            "<a href=\"{path}?q=solar+school\">{only} <em>solar school</em>: 1</a> · {first} <a href=\"{path}/p1\""
        );
        assert!(list.contains(&way), "{list}");
        assert_eq!(list.matches("<li>").count(), 1, "theater stands with no other word: {list}");
        assert!(page.contains(&format!("{only} <em>theater</em>: 1")), "each word alone follows: {page}");
    }
}

/// Words in the quotation marks of a page's language.
fn in_marks_of(path: &str, words: &str) -> String {
    let is_spanish = path.starts_with("/es");
    if is_spanish { words.replace('“', "«").replace('”', "»") } else { words.to_owned() }
}

#[test]
fn each_heading_stands_once_and_rows_that_differ_from_it_say_how() {
    let names = ["Solar river", "Theater river", "Solar", "Theater solar", "Maps of theater", "Maps"];
    let live = live(&names.map(|name| json!({"name": name})));
    for (path, without, has, some) in [
        ("/programs", "Without", "Has", "Some of the words"),
        ("/es/programs", "Sin", "Tiene", "Algunas de las palabras"),
    ] {
        let mut shown = 0;
        for page in 1..=3 {
            let page = live.get(&format!("{path}?q=Solar+theater+RIVER&limit=2&page={page}"));
            let headings: Vec<&str> = page.split("<p class=\"tier\"><strong>").skip(1).collect();
            assert!(headings.len() <= 1, "{page}");
            let label = |word: &str| format!("<p class=\"src\">{word} {}", in_marks_of(path, "“"));
            let labels: usize = [without, has].iter().map(|word| page.matches(&label(word)).count()).sum();
            let is_mixed = page.contains(&format!("<strong>{some}</strong>"));
            assert_eq!(labels, if is_mixed { rows(&page) } else { 0 }, "{page}");
            let begins = |word: &&str| headings[0].starts_with(*word);
            assert!(is_mixed || [without, has].iter().any(begins), "{page}");
            shown += rows(&page);
        }
        assert_eq!(shown, 5);
        let all = live.get(&format!("{path}?q=Solar+theater+RIVER"));
        for (row, word, words) in [
            ("p1", without, "“theater”"),
            ("p2", without, "“Solar”"),
            ("p4", without, "“RIVER”"),
            ("p5", has, "“theater”"),
        ] {
            let label = format!("<p class=\"src\">{word} {}</p>", in_marks_of(path, words));
            let (_, after) = all.split_once(&format!("/programs/{row}\"")).unwrap();
            let row = after.split("</li>").next().unwrap();
            assert!(row.contains(&label), "{label}: {row}");
        }
    }
}

/// Programs with a round each: open for years, open, upcoming, guessed, due today, and rolling when last checked.
fn rounds() -> Live {
    let cycle = |number: usize, days: Value| {
        let mut cycle = cycle(number, number, days);
        if cycle["label"] == "2026" {
            cycle["label"] = json!("Round");
        }
        cycle
    };
    let cycles = vec![
        cycle(1, json!({"opensOn": "2011-07-06"})),
        cycle(2, json!({"opensOn": "2026-07-01"})),
        cycle(3, json!({"opensOn": "2027-01-11", "deadlineOn": "2027-05-03"})),
        cycle(4, json!({"opensOn": "2026-01-11", "deadlineOn": "2027-05-03", "label": "~May 2027"})),
        cycle(5, json!({"opensOn": "2026-01-11", "deadlineOn": crate::server::AS_OF})),
        cycle(6, json!({"status": "rolling"})),
    ];
    let mut members = ["old", "new", "next", "guess", "last", "stale"].map(|name| json!({"name": name}));
    members[5]["sourceCheckedAt"] = json!("2025-08-01T00:00:00Z");
    Live::of(&World::tables(&[organizations(), programs(&members), ("cycles", cycles)]))
}

#[test]
fn rounds_that_may_be_over_are_grey_and_outside_the_headline() {
    let live = rounds();
    let plain = |address: &str| {
        let tags = ["<small>", "</small>", "<i>", "</i>"];
        tags.iter().fold(live.get(address), |page, tag| page.replace(tag, ""))
    };
    let english = plain("/programs?open=true");
    for words in [
        "3 opportunities, 2 more not known to be open</span>",
        "<b class=\"s none\">Not known to be open</b>; opened July 2011; no deadline stated",
        "<b class=\"s none\">Not known to be open</b>; open when checked 15 months ago",
        "<span>projected deadline</span> <time datetime=\"2027-05-03\">",
    ] {
        assert!(english.contains(words), "{words}: {english}");
    }
    let (due, checked) = (english.find("last day today"), english.find("checked 15 months ago"));
    assert!(due.is_some() && due < checked, "after those with a deadline: {english}");
    let next = plain("/programs?q=next");
    let opens =
        "</b> opens <time datetime=\"2027-01-11\">11 January 2027</time>; <span>deadline</span> <time";
    assert!(next.contains(opens), "{next}");
    let spanish = plain("/es/programs?open=true");
    for words in [
        "3 oportunidades, 2 más que no se sabe si están abiertas</span>",
        "No se sabe si está abierta</b>; apertura: julio de 2011; sin plazo publicado",
        "<span>plazo previsto:</span> <time",
        "último día: hoy",
    ] {
        assert!(spanish.contains(words), "{words}: {spanish}");
    }
    assert!(live.get("/").contains("open=true\">3 open now"));
    assert!(
        live.get("/programs?rolling=true").contains("0 opportunities, 1 more not known to be open</span>")
    );
    let record = live.get("/programs/p1");
    assert!(record.contains("\"2011-07-06\">6 July 2011</time></td>"), "{record}");
    assert!(!record.contains("deadline 6 July 2011"), "{record}");
    let rest: Value = serde_json::from_str(&live.get("/api/v1/search?open=true")).unwrap();
    assert_eq!(rest["meta"]["total"], 5, "REST keeps its values");
}

#[test]
fn no_line_of_a_status_in_a_row_begins_with_a_separator() {
    // Each text between two tags is an item of its own in a row, which may begin a line; separators are not shown.
    let live = rounds();
    for address in
        ["/programs?open=true", "/es/programs?open=true", "/programs?q=next", "/es/programs?q=next"]
    {
        let page = live.get(address);
        let statuses = page.split("<p class=\"when\">").skip(1);
        let statuses: Vec<&str> = statuses.filter_map(|rest| rest.split("</p>").next()).collect();
        assert!(!statuses.is_empty(), "{page}");
        for status in statuses {
            let shown: Vec<&str> = status.split("<i>").flat_map(|part| part.split("</i>").last()).collect();
            let shown = shown.concat();
            let texts = shown.split('>').map(|part| part.split('<').next().unwrap_or_default().trim());
            assert!(!texts.clone().any(|text| text.starts_with([',', ';'])), "{address}: {status}");
        }
    }
}

#[test]
fn a_page_of_many_filters_repeats_the_query_no_more_than_some_dozens_of_times() {
    let live = live(&[json!({"name": "Fellowship"})]);
    let letters = || 'A'..='Z';
    let codes = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
    let filters = codes.filter(|code| place::find(code).is_some()).take(220);
    let target = filters.fold("/programs?".to_owned(), |target, code| target + "citizenship=" + &code + "&");
    let page = live.get(&target);
    let chips = page.matches("<li><a href=\"/programs?citizenship=").count();
    let rest = format!("<li>+{}</li>", 220 - chips);
    assert!(chips > 4 && page.contains(&rest), "{chips}");
    assert!(page.len() < 64 * target.len(), "{} of {}", page.len(), target.len());
    let few = live.get("/programs?citizenship=KE&citizenship=NG");
    assert!(few.matches("<li><a href=\"/programs?citizenship=").count() == 2 && !few.contains("<li>+"));
}
