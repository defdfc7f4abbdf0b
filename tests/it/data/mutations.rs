//! A small dataset, spoilt in one place at a time: each fault is reported at its line and field with a remedy, a right
//! value that is known is printed and can be pasted, and nothing wrong is published without a word.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dataset::diagnostics::{Diagnostic, Diagnostics, MessageFormat};
use dataset::{Input, link, read};

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

/// The address of the first program, as its cell, and of an organization.
const ONE: &str = "https://a.example/1,";
const SITE: &str = "https://acme.example/";

/// File, what is replaced by what (first time only), line, code, field, the right value if it is known.
type Mutation = (&'static str, &'static str, &'static str, u32, &'static str, &'static str, &'static str);

const CELLS: &[Mutation] = &[
    // Money and numbers.
    ("programs.csv", "1000,2026", "3.000,2026", 2, "E0211", "fundingMaxUsd", "3000"),
    ("programs.csv", "1000,2026", "\"3,000\",2026", 2, "E0211", "fundingMaxUsd", "3000"),
    ("programs.csv", "1000,2026", "$1000,2026", 2, "E0211", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "\"€1.500,00\",2026", 2, "E0211", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "1 000,2026", 2, "E0211", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "ten,2026", 2, "E0108", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "NaN,2026", 2, "E0108", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "-1000,2026", 2, "E0704", "fundingMaxUsd", ""),
    ("programs.csv", "1000,2026", "50,2026", 2, "E0301", "fundingMinUsd", ""),
    ("programs.csv", "1000,2026", "1e30,2026", 2, "E0705", "fundingMaxUsd", ""),
    ("awards.csv", "5000", "5.000", 2, "E0211", "awardAmountUsd", "5000"),
    ("awards.csv", ",2025,", ",25,", 2, "E0703", "awardYear", ""),
    ("awards.csv", ",2025,", ",2025.5,", 2, "E0108", "awardYear", ""),
    ("cycles.csv", "2026,upcoming", "20026,upcoming", 2, "E0703", "cohortYear", ""),
    ("facts.csv", "18,35", "1990,35", 4, "E0702", "min", ""),
    ("facts.csv", "18,35", "40,35", 4, "E0301", "min", ""),
    ("facts.csv", "2,year", "2,yaer", 5, "E0204", "unit", "year"),
    ("facts.csv", "2,year", "2,", 5, "E0204", "unit", ""),
    ("facts.csv", "500,EUR", "500,euro", 6, "E0205", "currency", ""),
    ("facts.csv", "500,EUR", "500,", 6, "W0214", "currency", ""),
    ("facts.csv", "500,EUR", "0.004,EUR", 6, "E0705", "amount", ""),
    ("facts.csv", "500,EUR", "500,XXQ", 6, "E0205", "currency", ""),
    ("facts.csv", "18,35", "-1,35", 4, "E0702", "min", ""),
    ("facts.csv", ",,500,", "5,,500,", 6, "E0306", "kind", ""),
    // Days and times.
    ("cycles.csv", "2026-09-30", "30/09/2026", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "2026-09-31", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "2026-9-30", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "20260930", 2, "E0108", "deadlineOn", "2026-09-30"),
    ("cycles.csv", "2026-09-30", "46295", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "soon", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "2026-12-31T23:30:00-05:00", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "2026-09-30 17:00", 2, "E0108", "deadlineOn", ""),
    ("cycles.csv", "2026-09-30", "2026-06-30", 2, "W0201", "opensOn", ""),
    ("cycles.csv", "2026-09-30", "9999-12-31", 2, "W0202", "deadlineOn", ""),
    ("programs.csv", "2026-05-01T00:00:00Z", "2026-05-01", 2, "E0108", "sourceCheckedAt", ""),
    ("programs.csv", "2026-05-01T00:00:00Z", "01/05/2026", 2, "E0108", "sourceCheckedAt", ""),
    // Words.
    ("programs.csv", "active_accepting", "open", 2, "E0201", "lifecycle", ""),
    ("programs.csv", "active_accepting", "Active_accepting", 2, "E0201", "lifecycle", "active_accepting"),
    ("programs.csv", "active_accepting", "", 2, "", "", ""),
    ("cycles.csv", "upcoming", "Open", 2, "E0201", "status", ""),
    ("recipients.csv", "person", "human", 2, "E0201", "kind", ""),
    ("facts.csv", "topic,oceans", "zodiac,oceans", 2, "E0201", "kind", ""),
    ("facts.csv", "topic,oceans", "topics,oceans", 2, "E0201", "kind", "topic"),
    ("facts.csv", "topic,oceans", "topic,", 2, "E0107", "value", ""),
    ("facts.csv", "topic,oceans", "topic,Océanos", 2, "E0213", "value", "oceans"),
    ("facts.csv", "topic,oceans", "topic,Oceans", 2, "E0213", "value", "oceans"),
    ("programs.csv", ",fellowship,", ",Fellowship,", 2, "E0213", "programType", "fellowship"),
    ("programs.csv", ",fellowship,", ",BECA,", 2, "E0213", "programType", "fellowship"),
    ("programs.csv", ",fellowship,", ",fellowhsip,", 2, "W0402", "programType", "fellowship"),
    ("programs.csv", ",fellowship,", ",,", 2, "E0107", "programType", ""),
    ("vocabulary.csv", "types,", "type,", 2, "E0207", "facet", "types"),
    ("vocabulary.csv", "Océanos,", "Océanos,seas", 3, "E0401", "broader", ""),
    // Places.
    ("programs.csv", "ES|MX", "Spain|MX", 2, "E0203", "eligibleCountries", "ES"),
    ("programs.csv", "ES|MX", "España|MX", 2, "E0203", "eligibleCountries", "ES"),
    ("programs.csv", "ES|MX", "UK", 2, "E0203", "eligibleCountries", "GB"),
    ("programs.csv", "ES|MX", "ES|U.S.A.", 2, "E0203", "eligibleCountries", "US"),
    ("programs.csv", "ES|MX", "Worldwide", 2, "E0203", "eligibleCountries", "001"),
    ("programs.csv", "ES|MX", "Africa", 2, "E0203", "eligibleCountries", "002"),
    ("programs.csv", "ES|MX", " ES|MX", 2, "W0603", "eligibleCountries", "ES"),
    ("programs.csv", "ES|MX", "Georgia", 2, "E0203", "eligibleCountries", ""),
    ("programs.csv", "ES|MX", "Atlantis", 2, "E0203", "eligibleCountries", ""),
    ("programs.csv", "ES|MX", "es", 2, "E0203", "eligibleCountries", "ES"),
    ("programs.csv", "ES|MX", "ESP", 2, "E0203", "eligibleCountries", ""),
    ("programs.csv", "ES|MX", "California", 2, "E0203", "eligibleCountries", "US-CA"),
    ("programs.csv", "ES|MX", "\"ES, MX\"", 2, "E0203", "eligibleCountries", ""),
    ("organizations.csv", ",US,", ",United States,", 2, "E0203", "countryCode", "US"),
    ("organizations.csv", ",US,", ",Europe,", 2, "E0203", "countryCode", ""),
    ("recipients.csv", ",US\n", ",Estados Unidos\n", 2, "E0203", "countryCode", "US"),
    ("facts.csv", "citizenship,NG", "citizenship,Nigeria", 3, "E0203", "value", "NG"),
    ("facts.csv", "citizenship,NG", "citizenship,Nigerian", 3, "E0203", "value", ""),
    // Addresses.
    ("programs.csv", ONE, "www.a.example/1,", 2, "E0601", "officialUrl", "https://www.a.example/1"),
    ("programs.csv", ONE, "a.example/1,", 2, "E0601", "officialUrl", "https://a.example/1"),
    ("programs.csv", ONE, "https://a.example/año,", 2, "W0602", "officialUrl", "https://a.example/a%C3%B1o"),
    ("programs.csv", ONE, "https://a.example/a b,", 2, "W0602", "officialUrl", "https://a.example/a%20b"),
    ("programs.csv", ONE, "javascript:alert(1),", 2, "E0601", "officialUrl", ""),
    ("programs.csv", ONE, "https://me:pw@a.example/,", 2, "E0602", "officialUrl", ""),
    ("programs.csv", ONE, "https://bank.example@evil.example/,", 2, "E0602", "officialUrl", ""),
    ("programs.csv", ONE, "ftp://a.example/,", 2, "E0601", "officialUrl", ""),
    ("programs.csv", ONE, ",", 2, "E0107", "officialUrl", ""),
    ("programs.csv", ONE, "n/a,", 2, "E0601", "officialUrl", ""),
    ("organizations.csv", SITE, "www.acme.example", 2, "E0601", "websiteUrl", "https://www.acme.example"),
    ("organizations.csv", SITE, "http://x:y.example", 2, "W0604", "websiteUrl", ""),
    // Texts.
    ("programs.csv", "Program 1,", " Program 1 ,", 2, "W0603", "name", "Program 1"),
    ("programs.csv", "Program 1,", "Program\u{200b} 1,", 2, "W0601", "name", "Program 1"),
    ("programs.csv", "Program 1,", "Program \u{202e}1,", 2, "W0601", "name", "Program 1"),
    ("programs.csv", "Text 1,", "world\u{e2}\u{80}\u{99}s,", 2, "W0606", "summary", "world’s"),
    ("programs.csv", "Text 1,", "P \u{80} Two,", 2, "E0603", "summary", ""),
    ("programs.csv", "Text 1,", "<b>Text</b>,", 2, "W0607", "summary", ""),
    ("programs.csv", "Program 1,", " ,", 2, "E0107", "name", ""),
    ("recipients.csv", "Ann Lee", "\u{a0}Ann Lee", 2, "W0603", "displayName", "Ann Lee"),
    ("cycles.csv", "program-1,2026,", "program-1, 2026,", 2, "W0603", "label", "2026"),
    // Who a record is, and whom it names.
    ("programs.csv", "program-1,", "Program_1,", 2, "E0202", "slug", "program-1"),
    ("programs.csv", "program-1,", "ocean--fellows,", 2, "E0202", "slug", "ocean-fellows"),
    ("programs.csv", "program-1,", "index,", 2, "E0212", "slug", ""),
    ("programs.csv", "program-1,", "404,", 2, "E0212", "slug", ""),
    ("programs.csv", "program-1,Program", ",Program", 2, "", "", ""),
    ("organizations.csv", "beta,Beta", ",Beta", 3, "", "", ""),
    ("recipients.csv", "ann-lee,", ",", 2, "", "", ""),
    ("programs.csv", "program-2,", "program-1,", 3, "E0501", "key", ""),
    ("programs.csv", ",acme,", ",Acme Foundation,", 2, "", "", ""),
    ("programs.csv", ",acme,", ",AF,", 2, "", "", ""),
    ("programs.csv", ",acme,", ",Acme Fundation,", 2, "E0401", "organization", ""),
    ("programs.csv", ",acme,", ",nobody,", 2, "E0401", "organization", ""),
    ("programs.csv", ",acme,", ",,", 2, "E0107", "organizationId", ""),
    ("cycles.csv", "program-1,", "program-99,", 2, "E0401", "program", ""),
    ("awards.csv", "ann-lee", "Ann Le", 2, "E0401", "recipient", ""),
    ("organizations.csv", "Beta Trust", "Acme Foundation", 3, "", "", ""),
    // Headers and rows.
    ("programs.csv", "officialUrl", "Official URL", 1, "E0105", "Official URL", "officialUrl"),
    ("programs.csv", "officialUrl", "Link", 1, "E0105", "Link", ""),
    ("programs.csv", ",name,", ",Título,", 1, "E0105", "Título", ""),
    ("programs.csv", ",summary,", ",sumary,", 1, "E0105", "sumary", "summary"),
    ("programs.csv", ",summary,", ",name,", 1, "E0106", "name", ""),
    ("programs.csv", ",summary,", ",,", 1, "E0105", "", ""),
    ("cycles.csv", "deadlineOn", "Deadline", 1, "E0105", "Deadline", "deadlineOn"),
    ("organizations.csv", "websiteUrl", "Web site", 1, "E0105", "Web site", "websiteUrl"),
    ("programs.csv", "eligibleC", "eligible_c", 1, "E0105", "eligible_countries", "eligibleCountries"),
    ("organizations.csv", "countryCode", "País", 1, "E0105", "País", ""),
    ("programs.csv", ",Text 1,", ",Text, 1,", 2, "E0104", "", ""),
    ("programs.csv", ",Text 1,", ",\"Text\" 1,", 2, "E0103", "", ""),
    ("programs.csv", ",Text 12,", ",\"Text 12,", 13, "E0103", "", ""),
    ("cycles.csv", "program-2,2026,2026-07-01,2026-10-31,2026,", ",,,,,", 3, "W0106", "", ""),
    ("cycles.csv", "program-2,2026", "<<<<<<< HEAD\nprogram-2,2026", 3, "E0102", "", ""),
    ("dataset.json", "CC BY 4.0", "CC0", 1, "E0208", "license", "CC BY 4.0"),
    ("dataset.json", "2026-06-01T00:00:00Z", "2026-06-01", 1, "E0108", "publishedAt", ""),
    ("dataset.json", "\"T\"", "\"\"", 1, "E0107", "title", ""),
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

/// What a fault adds to what is reported of the sound dataset.
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
fn every_fault_is_reported_at_its_line_and_field_with_a_remedy() {
    let (is_linked, before) = judged(&sound());
    assert!(is_linked, "{:?}", before.sorted());
    let mut wrong = Vec::new();
    let mut well_reported = 0;
    for mutation in CELLS.iter().filter(|mutation| !mutation.4.is_empty()) {
        let (file, from, to, line, code, field, _) = mutation;
        let (is_linked, report) = judged(&spoilt(mutation));
        let found = added(&report, &before);
        let is_reported = found.iter().any(|it| {
            let of = it.field.as_deref().unwrap_or_default();
            report.file_name(it.at.file) == *file
                && it.at.line == *line
                && it.code.id() == *code
                && (field.is_empty() || of == *field)
        });
        let is_right = is_linked != code.starts_with('E');
        if is_reported && is_right && remedies(&report).is_empty() {
            well_reported += 1;
        } else {
            let reported: Vec<String> = found
                .iter()
                .map(|it| {
                    format!("{} {}:{} {:?}", it.code.id(), report.file_name(it.at.file), it.at.line, it.field)
                })
                .collect();
            wrong.push(format!(
                "{file}: {from:?} → {to:?}: {reported:?}, published {is_linked}, {:?}",
                remedies(&report)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CELLS.len(), wrong.join("\n"));
    assert!(well_reported >= 95, "only {well_reported} faults");
}

#[test]
fn a_right_value_that_is_known_is_printed_and_the_dataset_is_sound_with_it() {
    let (_, before) = judged(&sound());
    let known: Vec<&Mutation> = CELLS.iter().filter(|mutation| !mutation.6.is_empty()).collect();
    assert!(known.len() >= 44, "only {} faults", known.len());
    for mutation in known {
        let (file, _, to, line, code, _, value) = mutation;
        let mut files = spoilt(mutation);
        let (_, report) = judged(&files);
        let mut faults = added(&report, &before).into_iter().filter(|it| it.code.id() == *code);
        let fault = faults.next().unwrap();
        let printed = format!("{} {}", fault.message, fault.help.as_deref().unwrap_or_default());
        let ways = [format!("`{value}`"), format!("write {value}")];
        assert!(ways.iter().any(|way| printed.contains(way)), "{to}: {printed}");
        let Some(wrong) = &fault.value else { continue };
        let text = String::from_utf8(files[file].clone()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let spoilt = &mut lines[*line as usize - 1];
        *spoilt = spoilt.replacen(wrong, value, 1);
        files.insert(file, (lines.join("\n") + "\n").into_bytes());
        let (_, after) = judged(&files);
        let left: Vec<&str> = added(&after, &before).iter().map(|it| it.code.id()).collect();
        let others = faults.count();
        assert!(left.iter().filter(|it| *it == code).count() == others, "{to}: {left:?}");
    }
}
