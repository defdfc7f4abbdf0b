//! A small dataset as a spreadsheet gives it, spoilt in one place at a time: each fault is told at its line
//! and field with a remedy, what has one reading is mended by `--fix`, and nothing wrong is published
//! without a word.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dataset::diagnostics::{Diagnostic, Diagnostics, MessageFormat, Safety};
use dataset::{Input, link, read};
use import::FixedFiles;

type Files = BTreeMap<&'static str, Vec<u8>>;

/// Files without a fault.
fn sound() -> Files {
    let mut programs = "slug,name,organization,programType,lifecycle,officialUrl,summary,eligibleCountries,fundingMinUsd,fundingMaxUsd,sourceCheckedAt\n".to_owned();
    for n in 1..=12 {
        let _ = writeln!(
            programs,
            "program-{n},Program {n},acme,fellowship,active_accepting,https://a.example/{n},Text {n},ES|MX,{n}00,{n}000,2026-05-01T00:00:00Z"
        );
    }
    let files: [(&str, &str); 8] = [
        (
            "dataset.json",
            "{\"schemaVersion\":\"1\",\"name\":\"t\",\"title\":\"T\",\"license\":\"CC BY 4.0\",\"publishedAt\":\"2026-06-01T00:00:00Z\"}\n",
        ),
        (
            "organizations.csv",
            "slug,name,countryCode,websiteUrl,aliases\nacme,Acme Foundation,US,https://acme.example/,AF\nbeta,Beta Trust,GB,https://beta.example/,\n",
        ),
        ("programs.csv", &programs),
        (
            "cycles.csv",
            "program,label,opensOn,deadlineOn,cohortYear,status\nprogram-1,2026,2026-07-01,2026-09-30,2026,upcoming\nprogram-2,2026,2026-07-01,2026-10-31,2026,\n",
        ),
        ("recipients.csv", "slug,displayName,kind,countryCode\nann-lee,Ann Lee,person,US\n"),
        (
            "awards.csv",
            "program,recipient,awardYear,awardAmountUsd,projectTitle\nprogram-1,ann-lee,2025,5000,A study\n",
        ),
        (
            "facts.csv",
            "program,kind,value,label,min,max,unit,amount,currency\nprogram-1,topic,oceans,Oceans,,,,,\nprogram-1,citizenship,NG,,,,,,\nprogram-1,age,,,18,35,,,\nprogram-1,duration,,,1,2,year,,\nprogram-1,funding,,,,,,500,EUR\n",
        ),
        (
            "vocabulary.csv",
            "facet,value,labelEn,labelEs,broader\ntypes,fellowship,Fellowship,Beca,\ntopics,oceans,Oceans,Océanos,\n",
        ),
    ];
    files.into_iter().map(|(path, text)| (path, text.as_bytes().to_vec())).collect()
}

/// What becomes of a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// An error; nothing is published.
    Stops,
    /// It is published as it was meant, and `--fix` writes that down.
    Mended,
    /// It is told, and published as it stands.
    Told,
}

use Fate::{Mended as M, Stops as S, Told as T};

/// File, what is replaced by what (first time only), line, code, field, fate.
type Mutation = (&'static str, &'static str, &'static str, u32, &'static str, &'static str, Fate);

const CELLS: &[Mutation] = &[
    // Money and numbers.
    ("programs.csv", "1000,2026", "3.000,2026", 2, "E0211", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "\"3,000\",2026", 2, "E0211", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "$1000,2026", 2, "E0211", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "\"€1.500,00\",2026", 2, "E0211", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "1 000,2026", 2, "E0211", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "ten,2026", 2, "E0108", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "NaN,2026", 2, "E0108", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "-1000,2026", 2, "E0704", "fundingMaxUsd", S),
    ("programs.csv", "1000,2026", "50,2026", 2, "E0301", "fundingMinUsd", S),
    ("programs.csv", "1000,2026", "1e30,2026", 2, "E0705", "fundingMaxUsd", S),
    ("awards.csv", "5000", "5.000", 2, "E0211", "awardAmountUsd", S),
    ("awards.csv", ",2025,", ",25,", 2, "E0703", "awardYear", S),
    ("awards.csv", ",2025,", ",2025.5,", 2, "E0108", "awardYear", S),
    ("cycles.csv", "2026,upcoming", "20026,upcoming", 2, "E0703", "cohortYear", S),
    ("facts.csv", "18,35", "1990,35", 4, "E0702", "min", S),
    ("facts.csv", "18,35", "40,35", 4, "E0301", "min", S),
    ("facts.csv", "2,year", "2,yaer", 5, "E0204", "unit", S),
    ("facts.csv", "2,year", "2,", 5, "E0204", "unit", S),
    ("facts.csv", "500,EUR", "500,euro", 6, "E0205", "currency", S),
    ("facts.csv", "500,EUR", "500,", 6, "W0214", "currency", T),
    ("facts.csv", ",,500,", "5,,500,", 6, "E0306", "kind", S),
    // Days and times.
    ("cycles.csv", "2026-09-30", "30/09/2026", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "09/10/2026", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "2026-09-31", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "2026-9-30", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "20260930", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "46295", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "soon", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "30 Sep 26", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "2026-12-31T23:30:00-05:00", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "2026-09-30 17:00", 2, "E0108", "deadlineOn", S),
    ("cycles.csv", "2026-09-30", "2026-06-30", 2, "W0201", "opensOn", T),
    ("cycles.csv", "2026-09-30", "9999-12-31", 2, "W0202", "deadlineOn", T),
    ("programs.csv", "2026-05-01T00:00:00Z", "2026-05-01", 2, "E0108", "sourceCheckedAt", S),
    ("programs.csv", "2026-05-01T00:00:00Z", "01/05/2026", 2, "E0108", "sourceCheckedAt", S),
    // Words.
    ("programs.csv", "active_accepting", "open", 2, "E0201", "lifecycle", S),
    ("programs.csv", "active_accepting", "Active_accepting", 2, "E0201", "lifecycle", S),
    ("programs.csv", "active_accepting", "", 2, "W0210", "lifecycle", T),
    ("cycles.csv", "upcoming", "Open", 2, "E0201", "status", S),
    ("recipients.csv", "person", "human", 2, "E0201", "kind", S),
    ("facts.csv", "topic,oceans", "zodiac,oceans", 2, "E0201", "kind", S),
    ("facts.csv", "topic,oceans", "topics,oceans", 2, "E0201", "kind", S),
    ("facts.csv", "topic,oceans", "topic,", 2, "E0107", "value", S),
    ("facts.csv", "topic,oceans", "topic,Océanos", 2, "W0212", "value", M),
    ("facts.csv", "topic,oceans", "topic,Oceans", 2, "W0212", "value", M),
    ("programs.csv", ",fellowship,", ",Fellowship,", 2, "W0212", "programType", M),
    ("programs.csv", ",fellowship,", ",BECA,", 2, "W0212", "programType", M),
    ("programs.csv", ",fellowship,", ",fellowhsip,", 2, "W0402", "programType", T),
    ("programs.csv", ",fellowship,", ",,", 2, "E0107", "programType", S),
    ("vocabulary.csv", "types,", "type,", 2, "E0207", "facet", S),
    ("vocabulary.csv", "Océanos,", "Océanos,seas", 3, "E0401", "broader", S),
    // Places.
    ("programs.csv", "ES|MX", "Spain|MX", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "España|MX", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "UK", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "ES|U.S.A.", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Worldwide", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Türkiye", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Africa", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Alemania|MX", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Great Britain", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "EE. UU.", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "brazil|Brasil", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Latin America", 2, "W0211", "eligibleCountries", M),
    ("programs.csv", "ES|MX", " ES|MX", 2, "W0603", "eligibleCountries", M),
    ("programs.csv", "ES|MX", "Georgia", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "Congo", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "Korea", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "Atlantis", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "es", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "ESP", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "California", 2, "E0203", "eligibleCountries", S),
    ("programs.csv", "ES|MX", "\"ES, MX\"", 2, "E0203", "eligibleCountries", S),
    ("organizations.csv", ",US,", ",United States,", 2, "W0211", "countryCode", M),
    ("organizations.csv", ",US,", ",USA,", 2, "W0211", "countryCode", M),
    ("organizations.csv", ",US,", ",Europe,", 2, "E0203", "countryCode", S),
    ("recipients.csv", ",US\n", ",Estados Unidos\n", 2, "W0211", "countryCode", M),
    ("facts.csv", "citizenship,NG", "citizenship,Nigeria", 3, "W0211", "value", M),
    ("facts.csv", "citizenship,NG", "citizenship,Nigerian", 3, "E0203", "value", S),
    // Addresses.
    ("programs.csv", "https://a.example/1,", "www.a.example/1,", 2, "W0605", "officialUrl", M),
    ("programs.csv", "https://a.example/1,", "a.example/1,", 2, "E0601", "officialUrl", S),
    ("programs.csv", "https://a.example/1,", "https://a.example/año,", 2, "W0602", "officialUrl", M),
    ("programs.csv", "https://a.example/1,", "https://a.example/a b,", 2, "W0602", "officialUrl", M),
    ("programs.csv", "https://a.example/1,", "javascript:alert(1),", 2, "E0601", "officialUrl", S),
    ("programs.csv", "https://a.example/1,", "https://me:pw@a.example/,", 2, "E0602", "officialUrl", S),
    ("programs.csv", "https://a.example/1,", ",", 2, "E0107", "officialUrl", S),
    ("programs.csv", "https://a.example/1,", "n/a,", 2, "E0601", "officialUrl", S),
    ("organizations.csv", "https://acme.example/", "www.acme.example", 2, "W0605", "websiteUrl", M),
    ("organizations.csv", "https://acme.example/", "http://x:y.example", 2, "W0604", "websiteUrl", T),
    // Texts.
    ("programs.csv", "Program 1,", " Program 1 ,", 2, "W0603", "name", M),
    ("programs.csv", "Program 1,", "Program\u{200b} 1,", 2, "W0601", "name", M),
    ("programs.csv", "Program 1,", "Program \u{202e}1,", 2, "W0601", "name", M),
    ("programs.csv", "Text 1,", "world\u{e2}\u{80}\u{99}s,", 2, "W0606", "summary", M),
    ("programs.csv", "Text 1,", "P \u{80} Two,", 2, "E0603", "summary", S),
    ("programs.csv", "Text 1,", "<b>Text</b>,", 2, "W0607", "summary", T),
    ("programs.csv", "Program 1,", " ,", 2, "E0107", "name", S),
    ("recipients.csv", "Ann Lee", "\u{a0}Ann Lee", 2, "W0603", "displayName", M),
    ("awards.csv", "A study", "A study ", 2, "W0603", "projectTitle", M),
    ("cycles.csv", "program-1,2026,", "program-1, 2026,", 2, "W0603", "label", M),
    ("vocabulary.csv", "Oceans,", "Oceans ,", 3, "W0603", "labelEn", M),
    // Who a record is, and whom it names.
    ("programs.csv", "program-1,", "Program_1,", 2, "E0202", "slug", S),
    ("programs.csv", "program-1,", "index,", 2, "E0212", "slug", S),
    ("programs.csv", "program-1,Program", ",Program", 2, "W0208", "slug", M),
    ("organizations.csv", "beta,Beta", ",Beta", 3, "W0208", "slug", M),
    ("recipients.csv", "ann-lee,", ",", 2, "W0208", "slug", M),
    ("programs.csv", "program-2,", "program-1,", 3, "E0501", "key", S),
    ("programs.csv", ",acme,", ",Acme Foundation,", 2, "W0209", "organization", T),
    ("programs.csv", ",acme,", ",AF,", 2, "W0209", "organization", T),
    ("programs.csv", ",acme,", ",Acme Fundation,", 2, "E0401", "organization", S),
    ("programs.csv", ",acme,", ",nobody,", 2, "E0401", "organization", S),
    ("programs.csv", ",acme,", ",,", 2, "E0107", "organizationId", S),
    ("cycles.csv", "program-1,", "program-99,", 2, "E0401", "program", S),
    ("awards.csv", "ann-lee", "Ann Le", 2, "E0401", "recipient", S),
    ("organizations.csv", "Beta Trust", "Acme Foundation", 3, "", "", T),
    // Headers and rows.
    ("programs.csv", "officialUrl", "Official URL", 1, "W0105", "officialUrl", M),
    ("programs.csv", "officialUrl", "Link", 1, "W0105", "officialUrl", M),
    ("programs.csv", ",name,", ",Título,", 1, "E0105", "Título", S),
    ("programs.csv", ",name,", ",Title,", 1, "W0105", "name", M),
    ("programs.csv", ",summary,", ",sumary,", 1, "E0105", "sumary", S),
    ("programs.csv", ",summary,", ",name,", 1, "E0106", "name", S),
    ("programs.csv", ",summary,", ",,", 1, "E0105", "", S),
    ("cycles.csv", "deadlineOn", "Deadline", 1, "W0105", "deadlineOn", M),
    ("awards.csv", "awardYear", "Year", 1, "W0105", "awardYear", M),
    ("recipients.csv", "displayName", "Name", 1, "W0105", "displayName", M),
    ("organizations.csv", "websiteUrl", "Web site", 1, "W0105", "websiteUrl", M),
    ("cycles.csv", "opensOn", "Opens On", 1, "W0105", "opensOn", M),
    ("facts.csv", "currency", "Currency", 1, "W0105", "currency", M),
    ("programs.csv", "eligibleCountries", "eligible_countries", 1, "W0105", "eligibleCountries", M),
    ("organizations.csv", "countryCode", "País", 1, "W0105", "countryCode", M),
    ("programs.csv", ",Text 1,", ",Text, 1,", 2, "E0104", "", S),
    ("programs.csv", ",Text 1,", ",\"Text\" 1,", 2, "E0103", "", S),
    ("programs.csv", ",Text 12,", ",\"Text 12,", 13, "E0103", "", S),
    ("cycles.csv", "program-2,2026,2026-07-01,2026-10-31,2026,", ",,,,,", 3, "W0106", "", T),
    ("cycles.csv", "program-2,2026", "<<<<<<< HEAD\nprogram-2,2026", 3, "E0102", "", S),
    ("dataset.json", "CC BY 4.0", "CC0", 1, "E0208", "license", S),
    ("dataset.json", "2026-06-01T00:00:00Z", "2026-06-01", 1, "E0108", "publishedAt", S),
    ("dataset.json", "\"T\"", "\"\"", 1, "E0107", "title", S),
];

fn judged(files: &Files) -> (bool, Diagnostics) {
    let input: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (*path, bytes.as_slice())).collect();
    let mut report = Diagnostics::new();
    let tables = read(&Input::Embedded(&input), &mut report).unwrap();
    (link(tables, &mut report).is_some(), report)
}

fn spoilt(mutation: &Mutation) -> Files {
    let (file, from, to, ..) = mutation;
    let mut files = sound();
    let text = String::from_utf8(files[file].clone()).unwrap();
    assert!(text.contains(from), "{file} holds no {from}");
    files.insert(file, text.replacen(from, to, 1).into_bytes());
    files
}

/// What a fault adds to what is told of the sound dataset.
fn added<'r>(report: &'r Diagnostics, before: &Diagnostics) -> Vec<&'r Diagnostic> {
    let key = |report: &Diagnostics, it: &Diagnostic| {
        (report.file_name(it.at.file).to_owned(), it.at.line, it.code, it.message.clone())
    };
    let known: Vec<_> = before.sorted().into_iter().map(|it| key(before, it)).collect();
    report.sorted().into_iter().filter(|it| !known.contains(&key(report, it))).collect()
}

fn remedies(report: &Diagnostics) -> Vec<String> {
    let mut out = Vec::new();
    report.print(MessageFormat::Json, &mut out).unwrap();
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let groups = lines.map(|line| serde_json::from_slice::<serde_json::Value>(line).unwrap());
    let groups = groups.filter(|group| group["reason"] == "diagnostic");
    groups
        .filter(|group| group["help"].as_str().is_none_or(str::is_empty))
        .map(|group| group.to_string())
        .collect()
}

#[test]
fn a_sound_dataset_has_no_errors() {
    let (is_linked, report) = judged(&sound());
    assert!(is_linked, "{:?}", report.sorted());
}

#[test]
fn every_fault_is_reported_at_its_line_and_field_with_a_remedy() {
    let (_, before) = judged(&sound());
    let mut wrong = Vec::new();
    let mut told_well = 0;
    for mutation in CELLS.iter().filter(|mutation| !mutation.4.is_empty()) {
        let (file, from, to, line, code, field, fate) = mutation;
        let (is_linked, report) = judged(&spoilt(mutation));
        let found = added(&report, &before);
        let is_told = found.iter().any(|it| {
            let of = it.field.as_deref().unwrap_or_default();
            report.file_name(it.at.file) == *file
                && it.at.line == *line
                && it.code.id() == *code
                && (field.is_empty() || of == *field)
        });
        let is_right = is_linked == (*fate != Fate::Stops);
        if is_told && is_right && remedies(&report).is_empty() {
            told_well += 1;
        } else {
            let told: Vec<String> = found
                .iter()
                .map(|it| {
                    format!("{} {}:{} {:?}", it.code.id(), report.file_name(it.at.file), it.at.line, it.field)
                })
                .collect();
            wrong.push(format!(
                "{file}: {from:?} → {to:?}: {told:?}, published {is_linked}, {:?}",
                remedies(&report)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CELLS.len(), wrong.join("\n"));
    assert!(told_well >= 95, "only {told_well} faults");
}

#[test]
fn what_has_one_reading_is_mended_in_its_cell_alone_and_publishes_the_same() {
    let mended: Vec<&Mutation> = CELLS.iter().filter(|mutation| mutation.6 == Fate::Mended).collect();
    assert!(mended.len() >= 45, "only {} faults", mended.len());
    let (_, before) = judged(&sound());
    for mutation in mended {
        let folder = tempfile::tempdir().unwrap();
        let files = spoilt(mutation);
        for (path, bytes) in &files {
            std::fs::write(folder.path().join(path), bytes).unwrap();
        }
        let input = Input::Folder(folder.path().to_owned());
        let mut report = Diagnostics::new();
        let spoilt = link(read(&input, &mut report).unwrap(), &mut report).unwrap();
        FixedFiles::plan(&report, Safety::Safe).unwrap().write().unwrap();
        let mut after = Diagnostics::new();
        let clean = link(read(&input, &mut after).unwrap(), &mut after).unwrap();
        let shown = |directory: &snapshot::record::Directory| {
            let programs = serde_json::to_string(&directory.programs).unwrap();
            let organizations = serde_json::to_string(&directory.organizations).unwrap();
            let facts = serde_json::to_string(&directory.facts).unwrap();
            format!("{programs}{organizations}{facts}")
        };
        assert_eq!(shown(&spoilt), shown(&clean), "{mutation:?}", mutation = mutation.1);
        let left: Vec<String> = after.sorted().iter().map(|it| it.code.id().to_owned()).collect();
        assert!(
            !left.contains(&mutation.4.to_owned())
                || before.sorted().iter().any(|it| it.code.id() == mutation.4),
            "{}: {left:?}",
            mutation.2
        );
        let again = FixedFiles::plan(&after, Safety::Safe).unwrap();
        assert!(again.is_empty(), "{}: twice is not once: {}", mutation.2, again.diff());
        for (path, bytes) in &files {
            let now = std::fs::read(folder.path().join(path)).unwrap();
            let changed = now.split(|byte| *byte == b'\n').zip(bytes.split(|byte| *byte == b'\n'));
            let count = changed.filter(|(now, then)| now != then).count();
            assert!(count <= usize::from(*path == mutation.0), "{}: {count} lines of {path}", mutation.2);
        }
    }
}
