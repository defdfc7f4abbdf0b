//! Tests of the sample's whole site.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jiff::civil::{Date, date};
use snapshot::record::{Directory, Lifecycle, Number};
use store::{Coding, Digest, Generation};

use crate::generate::{BuildOptions, generate};
use crate::progress::Progress;
use dataset::{Input, directory};

mod applicants;
mod details;
mod languages;

/// Files by the path that they are served from.
type Files = BTreeMap<String, String>;

fn sample() -> Directory {
    directory(&Input::Embedded(dataset::sample::FILES))
}

/// The sample with every seventh of its programs: all that a test of one page needs, in a fraction of the time.
fn few() -> Directory {
    let draft = |(at, row): (usize, &str)| match at % 7 {
        0 => format!("{row}\n"),
        _ => row.replacen('{', "{\"publication\":\"draft\",", 1) + "\n",
    };
    let rows = |text| str::from_utf8(text).unwrap().lines().enumerate().map(draft).collect::<String>();
    let (programs, others): (Vec<_>, Vec<_>) =
        dataset::sample::FILES.iter().copied().partition(|(name, _)| name.starts_with("programs/"));
    let programs: Vec<(&str, String)> = programs.iter().map(|(name, text)| (*name, rows(text))).collect();
    let programs = programs.iter().map(|(name, text)| (*name, text.as_bytes()));
    directory(&Input::Embedded(&programs.chain(others).collect::<Vec<_>>()))
}

/// The site of the whole sample, built once.
fn whole() -> &'static Files {
    static WHOLE: LazyLock<Files> = LazyLock::new(|| site_of(&sample()));
    &WHOLE
}

fn site_of(directory: &Directory) -> Files {
    site_with(directory, None)
}

fn site_with(directory: &Directory, templates: Option<PathBuf>) -> Files {
    site_on(date(2026, 11, 21), directory, templates)
}

/// The site with some files as its theme.
fn themed<const N: usize>(directory: &Directory, files: [(&str, &str); N]) -> Files {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
    site_with(directory, Some(folder.path().to_owned()))
}

fn build(out: &Path, as_of: Date, directory: &Directory, templates: Option<PathBuf>) -> Result<(), String> {
    let options = BuildOptions {
        out: out.to_owned(),
        base_url: "https://directory.example".to_owned(),
        as_of,
        jobs: 2,
        index_only: false,
        templates,
    };
    let built = generate(directory, Digest([0; 32]), &options, &Progress::new(true));
    built.map(drop).map_err(|error| error.to_string())
}

fn site_on(as_of: Date, directory: &Directory, templates: Option<PathBuf>) -> Files {
    let root = tempfile::tempdir().unwrap();
    build(root.path(), as_of, directory, templates).unwrap();
    let generation = Generation::open_current(root.path()).unwrap();
    let files = generation.files().entries().map(|entry| {
        let body = generation.read(entry, Coding::Identity).unwrap();
        (format!("/{}", entry.path()), String::from_utf8(body).unwrap())
    });
    files.collect()
}

fn pages(files: &Files) -> impl Iterator<Item = (&String, &String)> {
    files.iter().filter(|(path, _)| path.ends_with(".html"))
}

/// What stands behind a text and before the next `to`.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Option<&'t str> {
    Some(text.split_once(from)?.1.split_once(to)?.0)
}

/// Values of an attribute, unescaped as far as addresses need it.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let mark = format!(" {name}=\"");
    page.split(&mark).skip(1).map(|rest| rest.split('"').next().unwrap().replace("&amp;", "&")).collect()
}

/// Paths of files that are not in both, or not the same.
fn differing<'f>(one: &'f Files, other: &'f Files) -> Vec<&'f String> {
    one.keys().chain(other.keys()).filter(|path| one.get(*path) != other.get(*path)).collect()
}

fn gzipped(text: &str) -> usize {
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; compressor.gzip_compress_bound(text.len())];
    compressor.gzip_compress(text.as_bytes(), &mut out).unwrap()
}

#[test]
fn the_lines_of_json_are_a_dataset_that_gives_the_same_site() {
    let files = whole();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let name = path.strip_prefix("/data/").unwrap_or_default();
        if name.ends_with(".ndjson") || name == "dataset.json" {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
    }
    let again = directory(&Input::Folder(folder.path().to_owned()));
    assert_eq!(differing(&site_of(&again), files), [""; 0]);
}

#[test]
fn templates_are_given_every_field_of_an_answer_as_people_read_it() {
    let mut directory = few();
    directory.programs.iter_mut().for_each(|program| program.eligible_countries = vec!["NG".into()]);
    let program = &mut directory.programs[0];
    program.funding_max_usd = Some(Number(1500.0));
    program.funding_min_usd = None;
    program.official_url = "javascript:alert(1)".to_owned();
    program.updated_at = "2026-03-04T23:30:00Z".parse().unwrap();
    let path = format!("/es/programs/{}.html", program.slug);
    let template = "{{ record.fundingMaxUsd }}|{{ record.fundingMinUsd }}|{{ record.officialUrl }}|\
                    {{ record.updatedAt.text }}|{{ record.eligibleCountries[0] }}|{{ record.lifecycle }}";
    let lifecycle = program.lifecycle.as_str();
    let files = themed(&directory, [("program.html", template)]);
    let page = files[&path].replace('\u{a0}', " ");
    let parts: Vec<&str> = page.trim().split('|').collect();
    assert_eq!(parts[1..], ["None", "None", "4 de marzo de 2026", "Nigeria", lifecycle]);
    assert!(parts[0].contains("1500") || parts[0].contains("1.500"), "{page}");
}

/// The last change of each address in the sitemaps, if stated.
fn last_changes(files: &Files) -> BTreeMap<String, Option<String>> {
    let maps = files.iter().filter(|(path, _)| path.starts_with("/sitemap-"));
    let entries = maps.flat_map(|(_, text)| text.split("<url>").skip(1));
    let changed = |entry: &str| between(entry, "<lastmod>", "<").map(str::to_owned);
    let address = |entry: &str| between(entry, "<loc>https://directory.example", "<").unwrap().to_owned();
    entries.map(|entry| (address(entry), changed(entry))).collect()
}

#[test]
fn sitemaps_date_a_page_by_its_record_only() {
    let mut directory = few();
    let before = last_changes(&site_of(&directory));
    let awarded = directory.award_links[0];
    let program = format!("/programs/{}", directory.programs[awarded.program].slug);
    let recipient = format!("/recipients/{}", directory.recipients[awarded.recipient].slug);
    assert!(before[&program].is_some() && before["/"] == Some("2026-11-20T06:00:00Z".to_owned()));
    assert_eq!(before["/docs/api"], None, "it changes with the program, of which no dataset knows");
    let later = site_on(date(2027, 3, 1), &directory, None);
    assert_eq!(last_changes(&later), before, "a day moves nothing");
    let time = "2026-11-20T05:00:00Z";
    directory.awards[0].updated_at = time.parse().unwrap();
    directory.program_links[awarded.program].changed = time.parse().unwrap();
    let after = last_changes(&site_of(&directory));
    let moved = after.iter().filter(|(address, changed)| before[*address] != **changed);
    let moved: BTreeMap<&str, &str> =
        moved.map(|(address, changed)| (address.as_str(), changed.as_deref().unwrap())).collect();
    let expected = [program, recipient].into_iter().flat_map(|path| [format!("/es{path}"), path]);
    let expected: Vec<String> = expected.collect();
    assert_eq!(moved, expected.iter().map(|path| (path.as_str(), time)).collect());
}

#[test]
fn a_data_package_has_the_version_of_its_tables_whatever_the_day() {
    let mut directory = few();
    let version = |files: &Files| {
        let package: serde_json::Value = serde_json::from_str(&files["/data/datapackage.json"]).unwrap();
        package["version"].as_str().unwrap().to_owned()
    };
    let first = version(&site_of(&directory));
    let (day, build) = first.split_once('+').unwrap();
    assert_eq!((day, build.len()), ("2026.11.20", 12));
    assert_eq!(version(&site_on(date(2027, 3, 1), &directory, None)), first);
    directory.programs[0].name.push('!');
    let other = version(&site_of(&directory));
    assert!(other.starts_with("2026.11.20+") && other != first, "{other}");
}

#[test]
fn pages_fit_their_byte_budgets() {
    let files = whole();
    let loaded = |page: &str| {
        let assets = files.iter().filter_map(|(path, text)| Some((path.strip_prefix("/assets/")?, text)));
        let named = assets.filter(|(name, _)| page.contains(name));
        named.map(|(_, text)| gzipped(text)).collect::<Vec<usize>>()
    };
    assert!(pages(files).all(|(_, page)| loaded(page).len() <= 2), "more than style and script");
    for path in ["/programs.html", "/es/programs.html"] {
        let assets = loaded(&files[path]);
        assert_eq!(assets.len(), 2);
        let cold = gzipped(&files[path]) + assets.iter().sum::<usize>();
        assert!(cold <= 16 * 1024, "{path}: {cold} bytes with style and script");
    }
    for (path, page) in pages(files).filter(|(path, _)| path.contains("/programs/")) {
        assert!(gzipped(page) <= 5 * 1024, "{path}: {}", gzipped(page));
    }
}

/// Every text that people wrote, replaced.
fn restate(directory: &mut Directory, mut text: impl FnMut() -> String) {
    for it in &mut directory.programs {
        (it.name, it.summary, it.description) = (text(), Some(text()), Some(text()));
    }
    for it in &mut directory.organizations {
        (it.name, it.description) = (text(), Some(text()));
    }
    for it in &mut directory.recipients {
        (it.display_name, it.biography) = (text(), Some(text()));
    }
    for it in &mut directory.sources {
        (it.title, it.publisher) = (Some(text()), Some(text().into()));
    }
    directory.facts.iter_mut().for_each(|it| (it.label, it.text) = (Some(text().into()), Some(text())));
    directory.cycles.iter_mut().for_each(|it| it.label = text());
    directory.awards.iter_mut().for_each(|it| it.project_title = Some(text()));
    directory.transitions.iter_mut().for_each(|it| it.reason = Some(text()));
    directory.channels.iter_mut().for_each(|it| it.label = Some(text()));
    directory.posts.iter_mut().for_each(|it| it.title = text());
    directory.leaders.iter_mut().for_each(|it| it.name = text());
    directory.translations.clear();
}

#[test]
fn hostile_texts_stay_texts() {
    let mut directory = sample();
    let hostile =
        "\"><img src=x onerror=alert(1)></script><script>alert(1)</script> [x](javascript:alert(1))";
    restate(&mut directory, || hostile.to_owned());
    directory.dataset.title = hostile.to_owned();
    directory.programs.iter_mut().for_each(|it| it.official_url = "javascript:alert(1)".to_owned());
    let quoted = &mut directory.facts[0];
    (quoted.kind, quoted.value) = ("note".into(), Some("eligibility-text".into()));
    let files = site_of(&directory);
    for (path, page) in files.iter().filter(|(path, _)| !path.contains("/api/")) {
        let is_markup = [".html", ".md", ".xml", ".atom"].iter().any(|end| path.ends_with(end));
        assert!(!is_markup || !page.contains("<img src=x") && !page.contains("<script>"), "{path}");
        assert!(!path.ends_with(".md") || !page.contains("[x](javascript"), "{path}");
        let links = attributes(page, "href");
        assert!(!links.iter().any(|link| link.starts_with("javascript:")), "{path}");
    }
}

/// The message of a build with a theme of one file, which fails.
fn failed_with(file: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let root = folder.path().join("root");
    let error = build(&root, date(2026, 11, 21), &few(), Some(folder.path().to_owned())).unwrap_err();
    assert!(!root.join("CURRENT").exists());
    error
}

#[test]
fn a_template_without_an_end_is_an_error_with_its_line() {
    let endless = "{% for a in range(9999) %}\n{% for b in range(9999) %}\n{{ a }}{% endfor %}{% endfor %}";
    let message = failed_with("row.html", endless);
    assert!(message.starts_with("row.html:") && message.contains("fuel"), "{message}");
    let message = failed_with("about.html", "\n{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}");
    assert!(message.starts_with("about.html:2: "), "{message}");
    let message = failed_with("line.html", "{{ row.nothing }}");
    assert!(message.starts_with("line.html:1: "), "{message}");
}

#[test]
fn a_row_of_a_theme_shows_wherever_rows_are() {
    let row = ("row.html", "<li>MINE: {{ row.name.text }}</li>");
    let directory = few();
    let files = themed(&directory, [row, ("line.html", "LINE: {{ row.name.text }}")]);
    let slug = &directory.organizations[directory.program_links[0].organization].slug;
    let organization = format!("/organizations/{slug}.html");
    for path in ["/programs.html", "/es/programs.html", "/index.html", &organization] {
        assert!(files[path].contains("<li>MINE: "), "{path}");
    }
    assert!(files["/index.html"].contains("LINE: ") && files["/deadlines.html"].contains("LINE: "));
}

#[test]
fn a_program_that_states_nothing_has_the_lines_of_every_row() {
    let mut directory = few();
    directory.program_links.iter_mut().for_each(|links| links.facts.clear());
    for program in &mut directory.programs {
        (program.funding_min_usd, program.funding_max_usd) = (None, None);
        (program.career_stages, program.eligible_countries) = Default::default();
        program.destination_countries.clear();
        (program.summary, program.description) = (None, None);
    }
    let page = &site_of(&directory)["/programs.html"];
    let rows = between(page, "<ol class=\"rows\"", "</ol>").unwrap();
    for row in rows.split("<li>").skip(1) {
        let lines: Vec<&str> = row.split("<dt>").skip(1).collect();
        let names: Vec<&str> = lines.iter().map(|line| line.split_once("</dt>").unwrap().0).collect();
        assert_eq!(names, ["Who can apply", "How much", "Where"]);
        assert!(lines.iter().all(|line| line.matches("not stated").count() == 1), "{row}");
    }
}

/// Programs of one lifecycle, just checked, none of which has a round.
fn without_rounds(lifecycle: Lifecycle) -> Directory {
    let mut directory = few();
    directory.cycles.clear();
    directory.program_links.iter_mut().for_each(|links| links.cycles.clear());
    for program in &mut directory.programs {
        program.lifecycle = lifecycle;
        program.lifecycle_checked_at = Some(directory.dataset.published_at);
    }
    directory
}

/// The options of the home page's lists: value, and number of open programs.
fn offered(page: &str) -> Vec<(String, u32)> {
    let options = page.split("<option value=\"").skip(1).map(|rest| rest.split_once('"').unwrap());
    let count = |text: &str| {
        let (_, count) = text.split_once("</option>").unwrap().0.rsplit_once('(')?;
        count.trim_matches(|c: char| !c.is_ascii_digit()).parse().ok()
    };
    options.filter_map(|(value, rest)| Some((value.to_owned(), count(rest)?))).collect()
}

#[test]
fn the_home_page_offers_the_values_that_open_programs_have() {
    let files = whole();
    let home = offered(&files["/index.html"]);
    assert!(home.iter().any(|(value, _)| value.starts_with("topic:")), "{home:?}");
    // A search page of the open programs counts each value that it shows; without one, none is offered.
    let no_cycles = site_of(&without_rounds(Lifecycle::Ended));
    let (shut, spanish) = (&no_cycles["/index.html"], &files["/es/index.html"]);
    assert_eq!(offered(shut), []);
    assert!(shut.contains("id=\"q\"") && !shut.contains("<select") && !shut.contains("Newly opened"));
    let values = |page: &str| offered(page).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(values(&files["/index.html"]), values(spanish));
    // Where no record has a topic, the fields of its source stand in for it.
    let is_field = |page: &str| offered(page).iter().any(|(value, _)| value.starts_with("field:"));
    let mut without_topics = few();
    without_topics.program_links.iter_mut().for_each(|links| links.facts.clear());
    assert!(!is_field(&files["/index.html"]) && is_field(&site_of(&without_topics)["/index.html"]));
}

#[test]
fn the_home_page_has_two_lists_of_like_length_or_else_what_is_open() {
    let home = &whole()["/index.html"];
    let (persons, others) =
        between(home, "Individuals can apply", "<h2>").unwrap().split_once("<h3>Org").unwrap();
    let [persons, others] = [persons, others].map(|list| list.matches("<li><h3>").count());
    assert!(persons > 0 && others > 0 && persons.abs_diff(others) <= 1, "{persons}, {others}");
    let home = site_of(&without_rounds(Lifecycle::ActiveAccepting)).remove("/index.html").unwrap();
    let open = between(&home, "<h3>Open now</h3>", "</section>").unwrap();
    assert_eq!(open.matches("<li><h3>").count(), 5, "{open}");
}

#[test]
fn similar_ones_have_a_topic_of_the_record_and_no_second_condition() {
    let files = whole();
    let links: Vec<&str> = pages(files)
        .filter(|(path, _)| path.starts_with("/programs/"))
        .filter_map(|(_, page)| between(page, "\">Similar", "<").map(|_| page))
        .map(|page| page.split_once(">Similar").unwrap().0.rsplit_once("href=\"").unwrap().1)
        .collect();
    let has = |name: &str| links.iter().filter(|link| link.contains(name)).count();
    assert!(
        has("topic=") > 0
            && links.iter().all(|link| !(link.contains("topic=") && link.contains("applicant=")))
    );
}

#[test]
fn each_program_of_one_name_has_another_mark() {
    let mut directory = few();
    let has_round = |at: &usize| !directory.program_links[*at].cycles.is_empty();
    let chosen: Vec<usize> = (0..directory.programs.len()).filter(has_round).take(3).collect();
    let mut marks = |address: &str, summary: &str, days: [Date; 3]| {
        for (n, (at, day)) in chosen.iter().zip(days).enumerate() {
            let program = &mut directory.programs[*at];
            program.name = "One name".into();
            program.official_url = address.replace('#', &n.to_string());
            program.summary = Some(summary.replace('#', &n.to_string()));
            for cycle in &directory.program_links[*at].cycles {
                let cycle = &mut directory.cycles[*cycle];
                (cycle.deadline_on, cycle.label) = (Some(day), "Call".into());
            }
        }
        let files = site_of(&directory);
        let mark = |at: &usize| {
            let page = &files[&format!("/programs/{}.html", directory.programs[*at].slug)];
            let kicker = between(page, "class=\"kicker\"", "</p>").unwrap();
            kicker.rsplit_once("<bdi>").unwrap().1.replace("</bdi>", "")
        };
        chosen.iter().map(mark).collect::<Vec<_>>()
    };
    let (call, home, same) =
        ("https://calls.example/CALL-#", "https://calls.example/", [date(2026, 5, 1); 3]);
    let years = [2025, 2026, 2027].map(|year| date(year, 5, 1));
    assert_eq!(marks(call, "Part # of it", years), ["2025", "2026", "2027"]);
    assert_eq!(marks(call, "Part # of it", same), ["CALL-0", "CALL-1", "CALL-2"]);
    assert_eq!(marks(home, "Part # of it", same), [0, 1, 2].map(|n| format!("Part {n} of it")));
    let months = [5, 6, 7].map(|month| date(2026, month, 1));
    assert_eq!(marks(home, "One part", months), ["1 May 2026", "1 June 2026", "1 July 2026"]);
    let slugs = marks(home, "One part", same);
    assert!(!slugs[0].is_empty() && BTreeSet::from_iter(&slugs).len() == 3, "{slugs:?}");
}

#[test]
fn pages_lead_to_the_contact_and_to_recipients_where_there_are_any() {
    let mut directory = few();
    directory.dataset.contact = Some("help@directory.example".to_owned());
    directory.recipients.clear();
    directory.awards.clear();
    directory.program_links.iter_mut().for_each(|links| links.awards.clear());
    directory.organization_links.iter_mut().for_each(|links| links.awards.clear());
    let (without, with) = (whole(), site_of(&directory));
    for (path, page) in pages(&with).filter(|(path, _)| !path.contains("/recipients")) {
        assert!(page.contains("<a href=\"mailto:help@directory.example?subject="), "{path}");
        let is_recipient = |href: &String| href.contains("/recipients") && href != "/api/v1/recipients";
        assert_eq!(attributes(page, "href").into_iter().find(is_recipient), None, "{path}");
        assert!(without.get(path).is_none_or(|page| !page.contains("mailto:")), "{path}");
    }
    assert!(attributes(&without["/browse.html"], "href").contains(&"/recipients".to_owned()));
}

/// Texts with letters of right-to-left scripts, outside of elements that take their direction from them.
fn without_direction(page: &str) -> Vec<String> {
    const VOID: [&str; 6] = ["meta", "link", "input", "br", "img", "path"];
    let body = page.split_once("<body>").unwrap().1;
    let (mut open, mut found): (Vec<(String, bool)>, Vec<String>) = (Vec::new(), Vec::new());
    for part in body.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap();
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap();
        if tag.starts_with('/') {
            open.pop();
        } else if !VOID.contains(&name) && !tag.ends_with('/') && !tag.starts_with('!') {
            let directed = name == "bdi" || name == "script" || tag.contains("dir=\"auto\"");
            open.push((name.to_owned(), directed || open.last().is_some_and(|it| it.1)));
        }
        let is_rtl = |c: char| ('\u{590}'..'\u{780}').contains(&c);
        if text.contains(is_rtl) && !open.last().is_some_and(|it| it.1) {
            found.push(format!("<{tag}>{text}"));
        }
    }
    found
}

#[test]
fn texts_in_right_to_left_scripts_have_their_own_direction() {
    let arabic = "منحة 2026 من ACME: حتى 50,000 EUR (10 أشهر).";
    let hebrew = "מלגת ACME לשנת 2026: עד 12 חודשים.";
    let mut directory = few();
    let mut texts = [arabic, hebrew].into_iter().cycle();
    restate(&mut directory, || texts.next().unwrap().to_owned());
    for program in &mut directory.programs {
        let text = &program.name;
        program.description = Some(format!("{text}\n- {text}\n1. {text}\n{text}:"));
        program.language = Some(if text == arabic { "ar" } else { "he" }.into());
    }
    let files = site_of(&directory);
    let named = pages(&files).filter(|(_, page)| page.contains("2026 من ACME")).count();
    assert!(named > directory.programs.len(), "{named}");
    for (path, page) in pages(&files) {
        assert_eq!(without_direction(page), [""; 0], "{path}");
    }
    let program = &files[&format!("/programs/{}.html", directory.programs[0].slug)];
    assert!(program.contains("<h1 lang=\"ar\" dir=\"auto\""), "{program}");
}

#[test]
fn pages_in_two_languages_name_each_other() {
    let files = whole();
    for (path, page) in pages(files).filter(|(path, _)| !path.ends_with("404.html")) {
        let spanish = path.starts_with("/es/");
        assert!(page.contains(if spanish { "<html lang=\"es\">" } else { "<html lang=\"en\">" }), "{path}");
        for language in ["en", "es", "x-default"] {
            let known = page.contains(&format!("hreflang=\"{language}\""));
            assert!(known || language == "x-default" && path.ends_with("/programs.html"), "{path}");
        }
    }
}

#[test]
fn calendars_are_balanced_and_their_lines_short() {
    let files = whole();
    for (path, calendar) in files.iter().filter(|(path, _)| path.ends_with(".ics")) {
        assert!(calendar.split("\r\n").all(|line| line.len() <= 75), "{path}");
        assert!(calendar.starts_with("BEGIN:VCALENDAR\r\n") && calendar.ends_with("END:VCALENDAR\r\n"));
        let events = |word: &str| calendar.matches(&format!("{word}:VEVENT\r\n")).count();
        assert_eq!(events("BEGIN"), events("END"), "{path}");
        let is_empty = calendar.contains("BEGIN:VTIMEZONE");
        assert!(events("BEGIN") > 0 || is_empty, "{path}");
    }
    assert!(files["/programs.ics"].contains("DTSTART;VALUE=DATE:"));
}

/// Rules of robots.txt as RFC 9309 reads them: the longest that fits decides, all are refusals here.
fn is_refused(rules: &[&str], address: &str) -> bool {
    rules.iter().any(|rule| match rule.strip_suffix('$') {
        Some(whole) => address == whole,
        None => address.starts_with(rule.trim_end_matches('*')),
    })
}

#[test]
fn robots_txt_excludes_searches_only_even_for_simple_parsers() {
    let files = whole();
    let robots = &files["/robots.txt"];
    let rules: Vec<&str> = robots.lines().filter_map(|line| line.strip_prefix("Disallow: ")).collect();
    for refused in ["/programs?q=a", "/es/programs?q=a", "/programs.atom?q=a", "/es/programs.csv", "/mcp"] {
        assert!(is_refused(&rules, refused), "{refused}");
    }
    // Python's parser compares what stands there, and leaves out a `?` that nothing follows.
    let simple: Vec<&str> = rules.iter().map(|rule| rule.trim_end_matches('?')).collect();
    let records = files.keys().filter(|path| path.ends_with(".html") || path.ends_with(".md"));
    for address in records.map(|path| path.trim_end_matches(".html")) {
        assert!(!is_refused(&rules, address), "{address}");
        assert!(!simple.iter().any(|rule| address.starts_with(rule)), "{address}");
    }
}

#[test]
fn a_list_of_terms_has_no_duplicates() {
    let mut directory = few();
    let mut added = 0;
    for links in &mut directory.program_links {
        let facts = links.facts.iter().map(|fact| &directory.facts[*fact]);
        let stated = facts.filter(|fact| matches!(fact.kind.as_str(), "age" | "duration"));
        for mut fact in stated.cloned().collect::<Vec<_>>() {
            fact.id = uuid::Uuid::from_u128(fact.id.as_u128() ^ 1);
            fact.min = Some(Number(99.0));
            fact.max = None;
            links.facts.push(directory.facts.len());
            directory.facts.push(fact);
            added += 1;
        }
    }
    assert!(added > 0);
    for (path, page) in pages(&site_of(&directory)) {
        for list in page.split("<dl").skip(1).map(|rest| rest.split("</dl>").next().unwrap()) {
            let terms: Vec<&str> =
                list.split("<dt>").skip(1).map(|rest| rest.split("</dt>").next().unwrap()).collect();
            let distinct: BTreeSet<&str> = terms.iter().copied().collect();
            assert_eq!(distinct.len(), terms.len(), "{path}: {terms:?}");
        }
    }
}

#[test]
fn the_catalogue_has_publisher_languages_and_services() {
    let files = whole();
    let catalog: serde_json::Value = serde_json::from_str(&files["/data/catalog.jsonld"]).unwrap();
    let dataset = &catalog["dcat:dataset"];
    for of in [&catalog, dataset] {
        assert_eq!(of["dcterms:publisher"]["@type"], "foaf:Agent");
        assert_eq!(of["dcterms:publisher"]["foaf:name"], "Opdir sample directory");
        assert!(of["dcterms:description"].as_str().is_some_and(|text| text.len() > 20));
        let languages = of["dcterms:language"].as_array().unwrap().iter();
        let languages: Vec<&str> = languages.filter_map(|it| it["@id"].as_str()).collect();
        let table = "http://publications.europa.eu/resource/authority/language/";
        assert_eq!(languages, [format!("{table}ENG"), format!("{table}SPA")]);
    }
    let services = catalog["dcat:service"].as_array().unwrap();
    let endpoints: Vec<&str> =
        services.iter().filter_map(|it| it["dcat:endpointURL"]["@id"].as_str()).collect();
    assert_eq!(endpoints, ["https://directory.example/api/v1", "https://directory.example/mcp"]);
    for service in services {
        assert_eq!(service["@type"], "dcat:DataService");
        assert_eq!(service["dcat:servesDataset"]["@id"], dataset["@id"]);
        let described = service["dcat:endpointDescription"]["@id"].as_str().unwrap();
        let file = described.strip_prefix("https://directory.example").unwrap();
        assert!(files.contains_key(file), "{described}");
    }
}

#[test]
fn a_rebrand_needs_no_source_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    crate::theme::Theme::create(folder.path(), &[]).unwrap();
    let look = folder.path().join("theme.toml");
    let text = std::fs::read_to_string(&look).unwrap();
    std::fs::write(&look, text.replace("\"#0b5563\", \"#7fcddb\"", "\"#7a1f5c\", \"#f0a8d8\"")).unwrap();
    std::fs::create_dir(folder.path().join("static")).unwrap();
    std::fs::write(folder.path().join("static/favicon.ico"), "icon").unwrap();
    let mut directory = few();
    directory.dataset.title = "Ocean grants".to_owned();
    let files = site_with(&directory, Some(folder.path().to_owned()));
    let path = |begins: &str, ends: &str| {
        let mut found = files.keys().filter(|path| path.starts_with(begins) && path.ends_with(ends));
        found.next().unwrap_or_else(|| panic!("no {begins}…{ends}")).clone()
    };
    let (logo, icon) = (path("/assets/logo-", ".svg"), path("/assets/icon-", ".svg"));
    assert!(files[&path("/assets/site-", ".css")].contains("--link:light-dark(#7a1f5c,#f0a8d8)"));
    assert_eq!(files["/favicon.ico"], "icon");
    for (path, page) in pages(&files) {
        for expected in [
            format!("<img src=\"{logo}\" alt=\"\" height=\"32\"> Ocean grants</a>"),
            format!("<link rel=\"icon\" href=\"{icon}\">"),
            "<span>Published by My organization</span>\n<span>".to_owned(),
        ] {
            assert!(page.contains(&expected), "{path} lacks {expected}");
        }
    }
    let plain = site_of(&directory);
    assert!(plain["/index.html"].contains("<link rel=\"icon\" href=\"data:image/svg+xml,"));
}

#[test]
fn a_block_is_replaced_and_the_rest_of_the_page_stays() {
    let directory = few();
    let path = format!("/programs/{}.html", directory.programs[0].slug);
    let text = "{% extends \"@opdir/program.html\" %}{% block formats %}<p>MINE</p>\n{% endblock %}";
    let (plain, themed) = (site_of(&directory), themed(&directory, [("program.html", text)]));
    let (before, rest) = plain[&path].split_once("<p class=\"dim\">Record updated").unwrap();
    let after = rest.split_once("</p>\n").unwrap().1;
    assert_eq!(themed[&path], format!("{before}<p>MINE</p>\n{after}"));
    assert_eq!(themed["/index.html"], plain["/index.html"]);
}

#[test]
fn all_awards_of_a_record_can_be_read_page_by_page() {
    let mut directory = few();
    let (links, award) = (directory.award_links[0], directory.awards[0].clone());
    for number in 0..110u128 {
        let at = directory.awards.len();
        directory.awards.push(snapshot::record::Award { id: uuid::Uuid::from_u128(number), ..award.clone() });
        directory.award_links.push(links);
        directory.program_links[links.program].awards.push(at);
        directory.recipient_awards[links.recipient].push(at);
    }
    let files = site_of(&directory);
    let of_program = format!("/programs/{}", directory.programs[links.program].slug);
    let of_recipient = format!("/es/recipients/{}", directory.recipients[links.recipient].slug);
    for (record, awards) in [
        (of_program, &directory.program_links[links.program].awards),
        (of_recipient, &directory.recipient_awards[links.recipient]),
    ] {
        assert!(files[&format!("{record}.html")].contains(&format!("href=\"{record}/awards\"")), "{record}");
        let all = [format!("{record}/awards"), format!("{record}/awards/2"), format!("{record}/awards/3")];
        let pages = all.each_ref().map(|path| &files[&format!("{path}.html")]);
        let rows = pages.map(|page| page.matches("<tr><td>").count());
        assert_eq!(rows, [50, 50, awards.len() - 100]);
        assert!(pages[1].contains(&format!("rel=\"prev\" href=\"{}\"", all[0])), "{}", pages[1]);
        assert!(pages[1].contains(&format!("rel=\"next\" href=\"{}\"", all[2])));
        assert!(!pages[2].contains("rel=\"next\""));
        assert!(!files.contains_key(&format!("{record}/awards/4.html")));
        let titles = pages.map(|page| page.split("</title>").next().unwrap());
        assert!(titles[0] != titles[1] && titles[1] != titles[2]);
    }
    for (organization, links) in directory.organizations.iter().zip(&directory.organization_links) {
        let page = format!("/organizations/{}/awards.html", organization.slug);
        assert_eq!(files.contains_key(&page), links.awards.len() > super::AWARDS, "{page}");
    }
}
