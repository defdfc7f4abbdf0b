//! Values that are proposed for words that are nearly others, or not among those of a mapping.

use super::*;

const MAPPING: &str = r#"
[sources.a]
file = "inbox/a.csv"
key = "Ref"
lists = ";"
empty = ["n/a"]
[sources.a.organizations]
name = { column = "Funder", distinct = true }
[sources.a.programs]
name = "Title"  # all differ
organization = "Funder"
officialUrl = "Link"
programType = { column = "Type", values = { "Beca" = "scholarship", "Grant" = "grant" } }
fields = "Topics"
"#;

/// Rows of a funder, a kind and topics.
fn place(rows: &[(&str, &str, &str)]) -> Place {
    let rows = rows.iter().enumerate().map(|(at, (funder, kind, topics))| {
        format!("A{at},Call {at},{funder},https://a.example/{at},{kind},{topics}\n")
    });
    let sheet = format!("Ref,Title,Funder,Link,Type,Topics\n{}", rows.collect::<String>());
    Place::new(&[(FILE, MAPPING), ("inbox/a.csv", &sheet)])
}

fn proposed(place: &Place) -> (String, String) {
    let options = ImportOptions { data: place.folder.path(), sources: &[], from: None };
    let shown = propose(&options).unwrap();
    (shown, fs::read_to_string(place.folder.path().join(FILE)).unwrap())
}

/// Sixteen rows with the words that are meant, then those that are not.
fn mixed() -> Place {
    let mut rows = vec![("Fundación Alba", "Grant", "Ocean health;Energy"); 16];
    rows.extend([
        ("Fundacion Alba", "beca", "Ocean  Health"),
        ("FUNDACIÓN ALBA.", "Grnat", "Ocean haelth;Energy"),
        ("Fundacón Alba", "Grant", "n/a"),
        ("Brisa Trust", "Premio", "Ocean law"),
        ("Fundación Alba 2", "zzz", "Ocean"),
    ]);
    place(&rows)
}

#[test]
fn words_that_are_nearly_others_are_proposed_with_their_counts_for_every_field_of_a_column() {
    let place = mixed();
    let (shown, mapping) = proposed(&place);
    let spelling = "values = { \"FUNDACIÓN ALBA.\" = \"Fundación Alba\", \"Fundacion Alba\" = \"Fundación Alba\", \"Fundacón Alba\" = \"Fundación Alba\", \"*\" = \"*\" }";
    assert!(
        mapping.contains(&format!("name = {{ column = \"Funder\", {spelling}, distinct = true }}  # ? ")),
        "{mapping}"
    );
    assert!(
        mapping.contains(&format!("organization = {{ column = \"Funder\", {spelling} }}  # ? ")),
        "{mapping}"
    );
    assert!(mapping.contains("\"Fundacón Alba\" (1) like \"Fundación Alba\" (16)"), "{mapping}");
    assert!(mapping.contains("fields = { column = \"Topics\", values = { \"Ocean  Health\" = \"Ocean health\", \"Ocean haelth\" = \"Ocean health\", \"*\" = \"*\" } }"), "{mapping}");
    // Numbers and other words distinguish what they are in; names of programs are no words.
    assert!(
        !mapping.contains("Alba 2")
            && !mapping.contains("Ocean law")
            && mapping.contains("name = \"Title\"  # all")
    );
    assert!(shown.ends_with(&format!(
        "decide 4 lines marked `# ?`, then: opdir import {}",
        place.folder.path().display()
    )));
}

#[test]
fn words_that_a_list_lacks_are_proposed_as_what_they_are_like_or_mean() {
    let (_, mapping) = proposed(&mixed());
    let values = "values = { \"Beca\" = \"scholarship\", \"Grant\" = \"grant\", \"Grnat\" = \"grant\", \"Premio\" = \"prize\", \"beca\" = \"scholarship\", \"zzz\" = \"\" }";
    assert!(mapping.contains(&format!("programType = {{ column = \"Type\", {values} }}  # ? ")), "{mapping}");
}

#[test]
fn an_import_refuses_proposals_until_they_are_decided_and_then_none_is_left() {
    let place = mixed();
    let (_, mapping) = proposed(&place);
    assert!(place.refused().iter().any(|it| it.0 == "E0112" && it.2.starts_with("4 lines not decided yet")));
    let decided: Vec<&str> = mapping.lines().map(|line| line.split("  # ?").next().unwrap()).collect();
    place.write(FILE, decided.join("\n").replace("\"zzz\" = \"\"", "\"zzz\" = \"other\"").as_bytes());
    place.imported();
    let names: Vec<Value> =
        place.rows("organizations/a.ndjson").iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["Brisa Trust", "Fundación Alba", "Fundación Alba 2"]);
    let before = fs::read_to_string(place.folder.path().join(FILE)).unwrap();
    let (shown, after) = proposed(&place);
    assert_eq!(
        (shown.as_str(), after),
        ("no word is nearly another one, and every list of `values` has all words", before)
    );
}

#[test]
fn a_rule_of_several_lines_is_left_as_it_is() {
    let place = mixed();
    let mapping = MAPPING
        .replace("{ column = \"Funder\", distinct = true }", "{ column = \"Funder\",\n  distinct = true }");
    place.write(FILE, mapping.as_bytes());
    let options = ImportOptions { data: place.folder.path(), sources: &[], from: None };
    let error = propose(&options).unwrap_err().to_string();
    assert!(error.ends_with("write the rule of `name` in one line, then propose again"), "{error}");
    assert_eq!(fs::read_to_string(place.folder.path().join(FILE)).unwrap(), mapping);
}
