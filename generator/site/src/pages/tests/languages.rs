//! Sites in one language.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::json;
use snapshot::record::Locale;

use super::applicants::stating;
use super::*;

/// The sample's site in one language, built once.
fn site_in(only: Locale) -> &'static Files {
    static SITES: [OnceLock<Files>; 2] = [OnceLock::new(), OnceLock::new()];
    SITES[usize::from(only == Locale::Es)].get_or_init(|| {
        let mut directory = sample();
        directory.dataset.locales = vec![only];
        site_of(&directory)
    })
}

/// Whether a path is that of a page, a feed or a program's Markdown, and not of a file that there is once.
fn has_a_language(path: &str) -> bool {
    let is_feed = path.starts_with("/programs.") || path.starts_with("/feeds/");
    path.starts_with("/es/") || is_feed || path.ends_with(".html") || path.ends_with(".md")
}

/// Whether an address that stands in a file is that of another one, or computed at the edge: every call is shown in the
/// reference and in texts, and the browser suite tries each.
fn is_served(files: &Files, from: &str, address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap().trim_end_matches('/');
    let suggestions = if files.contains_key("/programs.html") { "/suggest" } else { "/es/suggest" };
    let computed = ["/mcp", "/changes", "/changes.atom", "/api/v1/exports/latest", suggestions];
    let shows_calls = !from.ends_with(".html") || from.ends_with("/docs/api.html");
    let is_computed = computed.contains(&path) || shows_calls && path.starts_with("/api/v1");
    let names = ["", ".html", ".json", "/index.html"].map(|end| format!("{path}{end}"));
    is_computed || names.iter().any(|name| files.contains_key(name))
}

/// Every address of the site itself in a text: in attributes, and with the address of the site before it.
fn addresses(text: &str) -> BTreeSet<&str> {
    let whole = text.split("//directory.example").skip(1);
    let stated = text.split("=\"").skip(1).filter(|rest| rest.starts_with('/'));
    let end = |rest: &'_ str| {
        rest.find(|c: char| c.is_whitespace() || "\"'<>)`&\\".contains(c)).unwrap_or(rest.len())
    };
    whole.chain(stated).map(|rest| &rest[..end(rest)]).collect()
}

#[test]
fn a_site_in_one_language_has_no_page_feed_or_link_of_the_other() {
    for only in [Locale::En, Locale::Es] {
        let (files, both) = (site_in(only), whole());
        let is_other =
            |path: &&String| has_a_language(path) && path.starts_with("/es/") != (only == Locale::Es);
        // Static hosts serve these from the root.
        let root: &[&str] = if only == Locale::Es { &["/404.html", "/index.html"] } else { &[] };
        assert_eq!(files.keys().filter(is_other).collect::<Vec<_>>(), root);
        assert!(both.keys().filter(is_other).count() > files.len() / 4);
        let head = format!("<html lang=\"{}\">", only.as_str());
        for (path, page) in pages(files) {
            assert!(page.contains(&head), "{path}");
            assert!(!page.contains("hreflang"), "{path}");
        }
        for (path, map) in files.iter().filter(|(path, _)| path.starts_with("/sitemap-")) {
            assert!(map.contains("<loc>") && !map.contains("<xhtml:link"), "{path}");
        }
    }
}

#[test]
fn every_address_of_the_site_in_any_file_of_it_leads_to_a_file() {
    let is_data = |path: &str| path.starts_with("/api/") || path.starts_with("/data/");
    for files in [whole(), site_in(Locale::En), site_in(Locale::Es)] {
        let mut links = 0;
        for (path, text) in files.iter().filter(|(path, _)| !is_data(path)) {
            // Lines of calendars are folded, and their folder is the same in every language.
            let text = text.replace("\r\n ", "");
            for address in addresses(&text).into_iter().filter(|it| !it.contains('{')) {
                links += 1;
                assert!(is_served(files, path, address), "{path} links to {address}");
            }
        }
        assert!(links > 1000, "{links}");
    }
}

#[test]
fn answers_and_tables_are_the_same_in_a_site_of_one_language() {
    for only in [Locale::En, Locale::Es] {
        let answers = |files: &Files| {
            let files =
                files.iter().filter(|(path, _)| path.starts_with("/api/") || path.ends_with(".ndjson"));
            files.map(|(path, text)| (path.clone(), text.clone())).collect::<Files>()
        };
        let (one, both) = (answers(site_in(only)), answers(whole()));
        assert!(one.keys().any(|path| path.ends_with(".es.json")));
        assert_eq!(differing(&one, &both), [""; 0]);
    }
}

#[test]
fn what_there_is_once_is_in_the_only_language() {
    let files = site_in(Locale::Es);
    assert_eq!(files["/index.html"], files["/es/index.html"]);
    let slug = sample().programs[0].slug.clone();
    let calendar = files["/es/programs.ics"].replace("\r\n ", "");
    assert!(calendar.contains("Plazo: ") && calendar.contains("/es/programs/"), "{calendar}");
    assert!(files.contains_key(&format!("/es/programs/{slug}.ics")));
    let search = "template=\"https://directory.example/es/programs?q={searchTerms}\"";
    let markdown = "`https://directory.example/es/programs/{slug}.md`: one program as Markdown\n";
    assert!(files["/opensearch.xml"].contains(search) && files["/llms.txt"].contains(markdown));
    let files = site_in(Locale::En);
    assert!(files["/robots.txt"].contains("Disallow: /programs?*") && !files["/robots.txt"].contains("/es"));
    assert!(!files["/llms.txt"].contains("Spanish"));
    // Of the same language, a page differs only in what names the other.
    let of = |files: &Files| {
        let page = &files[&format!("/programs/{slug}.html")];
        let lines = page.lines().filter(|line| !line.contains("hreflang"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(of(files), of(whole()));
}

#[test]
fn a_label_that_states_more_than_the_word_for_its_value_stands_after_it_and_a_year_is_in_spanish() {
    let note = |value: &str, label: &str| json!({ "kind": "note", "value": value, "label": label, "text": "Seven." });
    let (awards, spent) = ("Expected number of awards, 2027", "Obligations, fiscal year 2024");
    let facts = [("expected-awards", awards), ("expected-awards", "Expected awards"), ("obligations", spent)];
    let (files, slug) = stating("en", &facts.map(|(value, label)| note(value, label)));
    for (page, expected) in [
        ("/es", format!("Número previsto de ayudas: <b lang=\"en\" dir=\"auto\">{awards}</b>")),
        ("/es", "<b dir=\"auto\">Compromisos de gasto, ejercicio fiscal 2024</b>".to_owned()),
        // Alone, where the label states no more.
        ("/es", ">Número previsto de ayudas</b>".to_owned()),
        ("", format!(">{awards}</b>")),
        ("", format!(">{spent}</b>")),
    ] {
        let page = &files[&format!("{page}/programs/{slug}.html")];
        assert!(page.contains(&expected), "{expected}: {page}");
    }
    let markdown = &files[&format!("/es/programs/{slug}.md")];
    assert!(markdown.contains(&format!("- Número previsto de ayudas: {awards}")), "{markdown}");
}

#[test]
fn a_spanish_page_has_no_english_reasons_and_days() {
    let mut directory = few();
    let transition = directory.transitions.first_mut().unwrap();
    transition.reason = Some("seen in the list".into());
    let (changed, cycle) = (transition.program_id, &mut directory.cycles[0]);
    cycle.label = "~Oct 6, 2026".into();
    let slugs = [changed, cycle.program_id]
        .map(|id| directory.programs.iter().find(|it| it.id == id).unwrap().slug.clone());
    directory.translations.clear();
    let files = site_of(&directory);
    let [changed, round] =
        slugs.map(|slug| ["", "/es"].map(|it| &files[&format!("{it}/programs/{slug}.html")]));
    assert!(round[1].contains("~6 de octubre de 2026"));
    assert_eq!(changed.map(|page| page.contains("seen in the list")), [true, false]);
}
