//! The list of recipients: searched and read on without script, in both languages.

use std::sync::{Arc, LazyLock};

use edge::Server;
use serde_json::json;
use tests::in_process;
use tests::world::World;

use crate::records::{organization, programs, record};
use crate::server::{Live, encode};

/// 230 recipients.
static LIVE: LazyLock<Arc<Server>> = LazyLock::new(|| {
    let recipient = |number: usize| {
        let name = match number {
            0 => "Universität O'Brien <b>".to_owned(),
            number => format!("Group {number} of {}", ["Lagos", "Quito"][number % 2]),
        };
        let slug = format!("r{number}");
        record(20_000 + number, json!({"slug": slug, "displayName": name, "kind": "organization"}))
    };
    let recipients = ("recipients", (0..230).map(recipient).collect());
    let program = json!({"summary": "A quota of one quilo."});
    // Nothing of it is read later: the index is copied, and what it answers is computed.
    Live::of(&World::tables(&[organization(), programs(&[program]), recipients])).server
});

fn page(target: &str) -> String {
    let reply = in_process::get(&LIVE, target);
    assert_eq!(reply.status, 200, "{target}");
    assert_eq!(reply.headers["content-type"], "text/html; charset=utf-8");
    String::from_utf8(reply.body.to_vec()).unwrap()
}

fn items(page: &str) -> usize {
    page.matches("<li><a href").count()
}

#[test]
fn every_recipient_is_on_one_of_the_pages() {
    for prefix in ["", "/es"] {
        let pages = [1, 2, 3].map(|number| page(&format!("{prefix}/recipients?page={number}")));
        assert_eq!(pages.each_ref().map(|page| items(page)), [100, 100, 30]);
        for number in 0..230 {
            let link = format!("href=\"{prefix}/recipients/r{number}\"");
            assert_eq!(pages.iter().filter(|page| page.contains(&link)).count(), 1, "{link}");
        }
        assert!(pages[0].contains("rel=\"next\"") && !pages[0].contains("rel=\"prev\""));
        assert!(pages[1].contains(&format!("rel=\"prev\" href=\"{prefix}/recipients\"")));
        assert_eq!(pages[0], page(&format!("{prefix}/recipients")), "the first page has one address");
    }
}

#[test]
fn recipients_are_found_by_the_words_of_their_names() {
    for (text, count, first) in [
        ("lagos", "114 recipients", "Group 2 of Lagos"),
        ("LAGOS group 22", "7 recipients", "Group 22 of Lagos"),
        ("o'brien universitat", "1 recipient", "Universität O&#39;Brien &lt;b&gt;"),
        ("obrien", "1 recipient", "Universität O&#39;Brien &lt;b&gt;"),
    ] {
        let found = page(&format!("/recipients?q={}", encode(text)));
        assert!(found.contains(&format!("<p>{count}</p>")), "{text}: {found}");
        assert!(found.contains(first), "{text}: {found}");
    }
    let second = page("/recipients?q=group&page=2");
    assert_eq!(items(&second), 100);
    assert!(second.contains("href=\"/recipients?q=group&amp;page=3\""), "{second}");
    let expected = "href=\"/es/recipients?q=group&amp;page=2\"";
    assert!(second.contains(expected), "the other language keeps the question");
    assert!(page("/es/recipients?q=nobody").contains("<p>0 beneficiarios</p>"));
    let left_out = page("/recipients?kind=person&page=two&q=lagos&utm_source=a");
    let expected = "left out:</p><ul><li><code>page=two</code></li><li><code>kind=person</code></li></ul>";
    assert!(left_out.contains(expected) && left_out.contains("<p>114 recipients</p>"), "{left_out}");
}

#[test]
fn a_word_of_a_recipient_is_no_misspelling_and_leads_to_the_recipients() {
    for (path, link) in [
        ("/programs", "<a href=\"/recipients?q=quito\">Recipients of awards with this name</a>"),
        ("/es/programs", "<a href=\"/es/recipients?q=quito\">Beneficiarios con este nombre</a>"),
    ] {
        let found = page(&format!("{path}?q=Quito"));
        assert!(found.contains(link) && !found.contains("quilo"), "{found}");
        let misspelt = page(&format!("{path}?q=quoto"));
        assert!(misspelt.contains("quota") && !misspelt.contains("recipients?q="), "{misspelt}");
    }
}

#[test]
fn a_hostile_text_stays_text_in_the_list_of_recipients() {
    for text in ["\"><script>alert(1)</script>", "\u{202e}\0\n", "<b>", &"near ".repeat(80)] {
        for path in ["/recipients", "/es/recipients"] {
            let found = page(&format!("{path}?q={}&page=99999999999999999999", encode(text)));
            assert!(!found.contains("<script>") && !found.contains("value=\"\">"), "{found}");
        }
    }
}
