//! Sites in one language.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use snapshot::record::{Fact, Locale};

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

/// Whether an address is that of a file, or computed at the edge.
fn is_served(files: &Files, only: Locale, address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap();
    let suggestions = if only == Locale::Es { "/es/suggest" } else { "/suggest" };
    let page = match path {
        "" | "/" => "/index.html".to_owned(),
        "/es" => "/es/index.html".to_owned(),
        path => format!("{path}.html"),
    };
    let is_computed = ["/mcp", "/changes", "/changes.atom", suggestions].contains(&path);
    is_computed || path.starts_with("/api/v1") || files.contains_key(path) || files.contains_key(&page)
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
        let is_data = |path: &str| path.starts_with("/api/") || path.starts_with("/data/");
        let mut links = 0;
        for (path, text) in files.iter().filter(|(path, _)| !is_data(path)) {
            // Lines of calendars are folded, and their folder is the same in every language.
            let text = text.replace("\r\n ", "");
            for address in addresses(&text).into_iter().filter(|it| !it.contains('{')) {
                links += 1;
                assert!(is_served(files, only, address), "{path} ({only:?}) links to {address}");
            }
        }
        assert!(links > 1000, "{links}");
        for (path, map) in files.iter().filter(|(path, _)| path.starts_with("/sitemap-")) {
            assert!(map.contains("<loc>") && !map.contains("<xhtml:link"), "{path}");
        }
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
    let calendar = files[&format!("/es/programs/{slug}.ics")].replace("\r\n ", "");
    assert!(calendar.contains("Plazo: ") && calendar.contains("/es/programs/"), "{calendar}");
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
fn a_label_that_states_more_than_the_word_for_its_value_stands_after_it() {
    let mut directory = sample();
    let is_awards = |fact: &&mut Fact| fact.value.as_deref() == Some("expected-awards");
    let fact = directory.facts.iter_mut().find(is_awards).unwrap();
    fact.label = Some("Expected number of awards, 2027".into());
    directory.translations.clear();
    let slug = &directory.programs.iter().find(|it| it.id == fact.program_id).unwrap().slug.clone();
    let files = site_of(&directory);
    let whole = "Expected number of awards, 2027";
    for (page, expected) in [
        (
            format!("/es/programs/{slug}.html"),
            format!("Número previsto de ayudas: <b lang=\"en\" dir=\"auto\">{whole}</b>"),
        ),
        (format!("/es/programs/{slug}.md"), format!("- Número previsto de ayudas: {whole}")),
        (format!("/programs/{slug}.html"), format!(">{whole}</b>")),
    ] {
        assert!(files[&page].contains(&expected), "{page}: {}", files[&page]);
    }
    let alone = ">Número previsto de ayudas</b>";
    let others = files.iter().filter(|(path, page)| path.starts_with("/es/") && page.contains(alone));
    assert!(others.count() > 0, "the word alone where the label states no more");
}

#[test]
fn a_spanish_page_has_no_english_reasons_years_and_days() {
    let mut directory = few();
    let transition = directory.transitions.first_mut().unwrap();
    transition.reason = Some("seen in the list".into());
    let changed = directory.programs.iter().find(|it| it.id == transition.program_id).unwrap().slug.clone();
    let is_awards = |fact: &&mut Fact| fact.value.as_deref() == Some("expected-awards");
    let fact = directory.facts.iter_mut().find(is_awards).unwrap();
    (fact.value, fact.label) = (Some("obligations".into()), Some("Obligations, fiscal year 2024".into()));
    let slug = directory.programs.iter().find(|it| it.id == fact.program_id).unwrap().slug.clone();
    directory.translations.clear();
    let cycle = &mut directory.cycles[0];
    cycle.label = "~Oct 6, 2026".into();
    let round = directory.programs.iter().find(|it| it.id == cycle.program_id).unwrap().slug.clone();
    let files = site_of(&directory);
    let page = |path: String| &files[&path];
    assert!(page(format!("/es/programs/{round}.html")).contains("~6 de octubre de 2026"));
    let spanish = page(format!("/es/programs/{slug}.html"));
    assert!(spanish.contains("<b dir=\"auto\">Compromisos de gasto, ejercicio fiscal 2024</b>"), "{spanish}");
    assert!(page(format!("/programs/{slug}.html")).contains(">Obligations, fiscal year 2024</b>"));
    assert!(page(format!("/programs/{changed}.html")).contains("seen in the list"));
    assert!(!page(format!("/es/programs/{changed}.html")).contains("seen in the list"));
}
