//! A site in one language at the edge: its answers to addresses of the other.

use std::sync::{Arc, LazyLock};

use dataset::Input;
use edge::Server;
use http::header;
use snapshot::record::{Directory, Locale};
use tempfile::TempDir;
use tests::{in_process, snapshots};

use crate::server::{build, load, options};

/// The sample in one language.
struct Site {
    live: Arc<Server>,
    directory: Directory,
    _folder: TempDir,
}

impl Site {
    fn new(only: Locale) -> Self {
        let folder = snapshots::folder();
        let (mut directory, source) = load(&Input::Embedded(dataset::sample::FILES));
        directory.dataset.locales = vec![only];
        build(&directory, source, &options(folder.path()));
        Self { live: snapshots::open(folder.path(), 1 << 20), directory, _folder: folder }
    }
}

static ENGLISH: LazyLock<Site> = LazyLock::new(|| Site::new(Locale::En));
static SPANISH: LazyLock<Site> = LazyLock::new(|| Site::new(Locale::Es));

/// Status and language of a page, or where a redirect leads.
fn answered(live: &Arc<Server>, target: &str) -> (u16, String) {
    let reply = in_process::get(live, target);
    let place = [header::LOCATION, header::CONTENT_LANGUAGE].iter().find_map(|name| reply.headers.get(name));
    (reply.status.as_u16(), place.map_or("", |value| value.to_str().unwrap()).to_owned())
}

#[test]
fn an_address_in_the_other_language_leads_to_the_page_that_exists() {
    let (english, spanish, directory) = (&ENGLISH.live, &SPANISH.live, &ENGLISH.directory);
    let program = format!("/programs/{}", directory.programs[0].slug);
    let calendar = &*format!("{program}.ics");
    for path in [&*program, calendar, "/programs", "/programs.atom", "/recipients", "/deadlines", "/suggest"]
    {
        let (en, es) = (format!("{path}?q=sea"), format!("/es{path}?q=sea"));
        assert_eq!(answered(english, &en).0, 200, "{path}");
        assert_eq!(answered(english, &es), (308, en.clone()), "{path}");
        assert_eq!(answered(spanish, &es).0, 200, "{path}");
        assert_eq!(answered(spanish, &en), (308, es), "{path}");
    }
    assert_eq!(answered(english, "/es"), (308, "/".to_owned()));
    assert_eq!(answered(english, "/es/"), (308, "/".to_owned()));
    assert_eq!(answered(spanish, "/"), (200, "es".to_owned()));
    for file in ["/robots.txt", "/opensearch.xml", "/data/programs.csv", "/mcp/server-card"] {
        assert_eq!(answered(spanish, file).0, 200, "{file}");
    }
    assert_eq!(answered(english, &format!("/es/organizations/{}", directory.aliases[0].slug)).0, 308);
}

#[test]
fn what_no_language_has_is_missing_in_the_language_of_the_site() {
    for (site, code) in [(&ENGLISH, "en"), (&SPANISH, "es")] {
        for path in
            ["/nothing", "/es/nothing", "/es//elsewhere.example", "/404", "/es/404", "/es/a.css", "/index"]
        {
            assert_eq!(answered(&site.live, path), (404, code.to_owned()), "{path}");
        }
    }
}

#[test]
fn answers_of_the_interfaces_take_both_languages() {
    let (english, spanish, directory) = (&ENGLISH.live, &SPANISH.live, &ENGLISH.directory);
    let slug = &directory.programs[0].slug;
    for query in ["", "?locale=en", "?locale=es", "?lang=es"] {
        for path in ["search", "programs", "organizations", "facets/topics", &format!("programs/{slug}")] {
            let target = format!("/api/v1/{path}{query}");
            let [both, en, es] =
                [snapshots::sample(), english, spanish].map(|live| in_process::get(live, &target));
            assert_eq!(both.status, 200, "{target}");
            assert!(both.body == en.body && both.body == es.body, "{target}");
        }
    }
    let feed = String::from_utf8(in_process::get(spanish, "/changes.atom").body.to_vec()).unwrap();
    let mut pages = feed.split("type=\"text/html\" href=\"").skip(1);
    assert!(pages.clone().count() > 1 && pages.all(|it| it.starts_with("https://directory.example/es/")));
}
