//! Ids, slugs and former slugs: who a record is.

use super::*;

#[test]
fn ids_and_slugs_are_unique() {
    let twice = lines(&[program(1, 1, ""), program(1, 1, "").replace("program-1", "other")]);
    let (_, report) = linked(&[("programs.ndjson", twice)]);
    assert_eq!(found(&report), ["E0501 programs.ndjson:2", "W0401 programs.ndjson:2"]);
    let twice = lines(&[program(1, 1, ""), program(2, 1, "").replace("program-2", "program-1")]);
    let report = refused("programs.ndjson", twice, "E0502 programs.ndjson:2");
    assert!(report.sorted()[0].message.ends_with("see programs.ndjson:1"));
    let channel = belonging('h', 1, r#","kind":"website","url":"https://a.example""#);
    refused("channels.ndjson", lines(&[channel.clone(), channel]), "E0501 channels.ndjson:2");
}

#[test]
fn aliases_lead_from_free_slugs_to_records_that_have_one() {
    let alias = |slug: &str, kind: &str, of: &str| format!("{kind},{of},{slug}");
    let csv = |rows: &[String]| format!("entityType,entityId,slug\n{}\n", rows.join("\n"));
    let org = id('o', 1);
    let good = alias("acme", "organization", &org);
    refused("aliases.csv", csv(&[alias("org-1", "organization", &org)]), "E0503 aliases.csv:2");
    refused("aliases.csv", csv(&[good.clone(), good.clone()]), "E0504 aliases.csv:3");
    refused("aliases.csv", csv(&[alias("ACME", "organization", &org)]), "E0202 aliases.csv:2");
    let cycles = ("cycles.ndjson", cycle(1, 1, ""));
    let aliases = ("aliases.csv", csv(&[alias("x", "cycle", &id('c', 1))]));
    assert_eq!(found(&linked(&[cycles, aliases]).1), ["E0305 aliases.csv:2"]);
    let directory = linked(&[("aliases.csv", csv(&[good, alias("program-1x", "program", &id('p', 1))]))]).0;
    let directory = directory.unwrap();
    assert_eq!(directory.organization_links[0].aliases, [0]);
    assert_eq!(directory.aliases[0].slug, "acme");
}
