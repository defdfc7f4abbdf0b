//! What the search page says of rows that come near, of ways out, and of names that it does not know.

use std::sync::Arc;

use edge::Server;
use serde_json::{Value, json};
use site::Effort;
use store::Digest;
use tests::world::World;
use tests::{in_process, snapshots};

use super::engine::{many_programs, organization};
use crate::server::{SAMPLE, build, options};

/// Another one than that of programs.
const OTHER: &str = "00000000-0000-4000-8000-0000000000bb";

/// Two organizations with like names.
fn organizations() -> (&'static str, Vec<Value>) {
    let row = |id: &str, slug: &str, name: &str| {
        json!({
            "id": id, "slug": slug, "name": name,
            "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z"
        })
    };
    let own = organization().1.remove(0)["id"].as_str().unwrap_or_default().to_owned();
    let rows = vec![row(&own, "north", "Trust of the North"), row(OTHER, "south", "Trust of the South")];
    ("organizations", rows)
}

fn live(folder: &std::path::Path, members: &[Value]) -> Arc<Server> {
    let world = World::tables(&[organizations(), many_programs(members)]);
    build(&world.directory, Digest([0; 32]), &options(folder, Effort::None));
    snapshots::open(folder, 1 << 20)
}

fn get(live: &Arc<Server>, target: &str) -> String {
    String::from_utf8(in_process::get(live, target).body.to_vec()).unwrap()
}

/// The numbers of the rows that a page shows.
fn rows(page: &str) -> usize {
    page.matches("<li><h3>").count()
}

#[test]
fn records_that_admit_a_place_through_a_region_are_counted_and_paged_through() {
    let folder = tempfile::tempdir().unwrap();
    let africa = json!({"name": "Fellowship", "eligibleCountries": ["002"]});
    let live = live(folder.path(), &vec![africa; 25]);
    let first = get(&live, "/programs?q=fellowship+nigeria");
    assert!(first.contains("25 opportunities through a wider region"), "{first}");
    assert!(first.contains("Through a wider region: 25"));
    assert!(first.contains("Page 1 of 2") && first.contains("rel=\"next\""));
    assert_eq!(rows(&first), 20);
    let second = get(&live, "/programs?q=fellowship+nigeria&page=2");
    assert!(second.contains("25 opportunities through a wider region") && second.contains("Page 2 of 2"));
    assert_eq!(rows(&second), 5);
}

#[test]
fn regions_follow_what_names_the_place_on_pages_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let of = |code: &str| json!({"name": "Fellowship", "eligibleCountries": [code]});
    let members: Vec<Value> = vec![of("NG"); 21].into_iter().chain(vec![of("002"); 21]).collect();
    let live = live(folder.path(), &members);
    let pages = [1, 2, 3].map(|page| get(&live, &format!("/programs?q=fellowship+nigeria&page={page}")));
    for (page, number) in pages.iter().zip(1..) {
        assert!(page.contains("21 opportunities</span>"), "{page}");
        assert!(page.contains(&format!("Page {number} of 3")), "{page}");
    }
    assert_eq!(pages.each_ref().map(|page| rows(page)), [20, 20, 2]);
}

#[test]
fn partial_matches_are_not_counted_as_exact_and_not_hidden_behind_a_zero() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path(), &[json!({"name": "Soil grant"}), json!({"name": "Soil prize"})]);
    for (address, count) in [
        ("/programs?q=soil", "2 opportunities"),
        ("/programs?q=soil+quasar", "2 close matches, none exact"),
        ("/es/programs?q=soil+quasar", "2 coincidencias cercanas, ninguna exacta"),
        ("/programs?q=quasar", "0 opportunities"),
    ] {
        let page = get(&live, address);
        assert!(page.contains(&format!(">{count}</span>")), "{address}: {page}");
        assert!(page.contains(&format!(": {count}")), "the title of {address}: {page}");
    }
}

#[test]
fn ways_out_are_counted_within_the_organization_and_it_is_one_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let members = [
        json!({"name": "Soil grant"}),
        json!({"name": "Soil prize"}),
        json!({"name": "River grant", "organizationId": OTHER}),
    ];
    let live = live(folder.path(), &members);
    let page = get(&live, "/programs?q=soil+grant&organization=south");
    assert!(page.contains(">0 opportunities</span>"), "{page}");
    let ways = page.split("<ul class=\"without\">").nth(1).unwrap().split("</ul>").next().unwrap();
    assert!(
        ways.contains("href=\"/programs?q=grant&amp;organization=south\">Without <em>soil</em>: 1<"),
        "{ways}"
    );
    assert!(
        ways.contains(
            "href=\"/programs?q=soil+grant\">Without <em>Organization: Trust of the South</em>: 1<"
        ),
        "{ways}"
    );
    assert!(!ways.contains("<em>grant</em>"), "{ways}");
}

#[test]
fn an_unknown_organization_gets_suggestions() {
    let folder = tempfile::tempdir().unwrap();
    let live = live(folder.path(), &[json!({"name": "Soil grant"})]);
    let page = get(&live, "/programs?organization=Trust&open=true");
    assert!(page.contains("<code>organization=Trust</code>"), "{page}");
    assert!(page.contains("“Trust” is not the name of one organization."));
    for slug in ["north", "south"] {
        assert!(page.contains(&format!("href=\"/programs?open=true&amp;organization={slug}\"")), "{slug}");
    }
    assert!(page.contains("href=\"/programs?q=Trust&amp;open=true\">Search for “Trust” as words<"));
    assert!(page.contains("name=\"organization\" value=\"Trust\""), "what was typed is gone");
    let hostile = get(&live, "/es/programs?organization=%22%3E%3Cimg%20src=x%3E");
    assert!(!hostile.contains("<img"), "{hostile}");
    let known = get(&live, "/programs?organization=trust+of+the+north");
    assert!(!known.contains("id=\"invalid\""), "{known}");
}

#[test]
fn feeds_say_what_was_left_out_of_their_question() {
    let ask = |end: &str, question: &str| SAMPLE.get(&format!("/es/programs.{end}?{question}"));
    let text = |end: &str, question: &str| String::from_utf8(ask(end, question).body).unwrap();
    let unknown = "organization=there-is-none&type=nonsense";
    assert!(text("atom", unknown).contains(
        "<subtitle>Esto no se entendió y se dejó fuera: type=nonsense, organization=there-is-none</subtitle>"
    ));
    assert!(text("ics", unknown).contains(
        "\r\nX-WR-CALDESC:Esto no se entendió y se dejó fuera:\r\n  type=nonsense\r\n  organization=there-is-none\r\n"
    ));
    let name = |question| ask("csv", question).header("content-disposition").to_owned();
    assert_eq!(name(unknown), "attachment; filename=\"opportunities-filters-left-out.csv\"");
    assert_eq!(name("open=true"), "attachment; filename=\"opportunities.csv\"");
    assert!(!text("atom", "open=true").contains("<subtitle>"));
    assert!(!text("ics", "open=true").contains("X-WR-CALDESC"));
}

#[test]
fn a_place_says_how_many_are_found_through_each_region_under_every_other_filter() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, codes: &[&str]| json!({"name": name, "eligibleCountries": codes});
    let live = live(
        folder.path(),
        &[of("Soil a", &["NG"]), of("Soil b", &["002"]), of("Soil c", &["001"]), of("River", &["002"])],
    );
    let chip = |question: &str| {
        let page = get(&live, question);
        let chips =
            page.split("<ul class=\"chips\">").nth(1).unwrap().split("</ul>").next().unwrap().to_owned();
        chips.split("<span class=\"vh\">").find(|chip| chip.contains("Nigeria")).unwrap().to_owned()
    };
    assert!(chip("/programs?country=NG").contains("Nigeria, through Africa: 2, World: 1 <"));
    assert!(chip("/programs?country=NG&q=soil").contains("Nigeria, through Africa: 1, World: 1 <"));
    // A place that some record names, and one that none does.
    let kenya = get(&live, "/programs?country=KE");
    assert!(kenya.contains("Kenya, through Africa: 2, World: 1 <"), "{kenya}");
}
