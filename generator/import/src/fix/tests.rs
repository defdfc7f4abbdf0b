//! Splices: what changes, and that nothing else does.

use proptest::prelude::*;

use super::*;
use dataset::diagnostics::Edit;

fn insert(line: u32, field: &str, to: &str) -> Change {
    Change { line, edit: Edit { field: field.to_owned(), from: None, to: to.to_owned(), header: false } }
}

fn header(from: &str, to: &str) -> Change {
    Change { line: 1, edit: Edit { header: true, ..Edit::value(from, from, to) } }
}

#[test]
fn a_cell_changes_and_every_other_byte_stays() {
    let before = "\u{feff}\"name\";Countries;x\r\n\r\nA;\"UK|ES|UK\"; a \r\n\"B\nb\";UK;\"\"\"\"\r\n";
    let changes = [
        Change::value(3, "Countries", "UK", "GB"),
        Change::value(4, "Countries", "UK", "GB"),
        Change::value(3, "x", " a ", "a;b"),
    ];
    let after = "\u{feff}\"name\";Countries;x\r\n\r\nA;\"GB|ES|GB\";\"a;b\"\r\n\"B\nb\";GB;\"\"\"\"\r\n";
    assert_eq!(String::from_utf8(csv(before.as_bytes(), &changes)).unwrap(), after);
}

#[test]
fn a_column_is_renamed_and_its_cells_are_found_by_either_name() {
    let before = "Title,Official URL\nA,www.a.example\n";
    let changes = [
        header("Official URL", "officialUrl"),
        Change::value(2, "officialUrl", "www.a.example", "https://www.a.example"),
    ];
    let after = "Title,officialUrl\nA,https://www.a.example\n";
    assert_eq!(csv(before.as_bytes(), &changes), after.as_bytes());
}

#[test]
fn a_missing_column_is_added_at_the_end_of_every_row() {
    let before = "name,x\r\nA,1\r\n\"B, b\",2";
    let changes = [insert(2, "slug", "a"), insert(3, "slug", "b-b")];
    assert_eq!(csv(before.as_bytes(), &changes), b"name,x,slug\r\nA,1,a\r\n\"B, b\",2,b-b");
    let empty = "slug,name\n,A\nb,B\n";
    let changes = [insert(2, "slug", "a"), insert(3, "slug", "c")];
    assert_eq!(csv(empty.as_bytes(), &changes), b"slug,name\na,A\nb,B\n");
}

#[test]
fn members_change_in_lines_arrays_and_objects() {
    let lines = "{\"a\":\"UK\", \"b\":[\"UK\" , \"ES\"]}\n\n{ \"a\" : 12 }\n";
    let changes =
        [Change::value(1, "b", "UK", "GB"), Change::value(3, "a", "12", "30"), insert(1, "slug", "x\"y")];
    let after = "{\"slug\":\"x\\\"y\",\"a\":\"UK\", \"b\":[\"GB\" , \"ES\"]}\n\n{ \"a\" : 30 }\n";
    assert_eq!(String::from_utf8(json(lines.as_bytes(), &changes)).unwrap(), after);
    let array = "[\n  {\n    \"a\": \"UK\"\n  },\n  {\"a\": \"UK\"}\n]\n";
    let after = "[\n  {\n    \"a\": \"GB\"\n  },\n  {\"a\": \"UK\"}\n]\n";
    assert_eq!(json(array.as_bytes(), &[Change::value(3, "a", "UK", "GB")]), after.as_bytes());
    let texts = "{\"fields\": {\"name\": \" Uno \"}}";
    assert_eq!(
        json(texts.as_bytes(), &[Change::value(1, "fields", " Uno ", "Uno")]),
        b"{\"fields\": {\"name\": \"Uno\"}}"
    );
}

/// Cells with everything that has to be quoted.
fn cell() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!["a", "\"", ",", ";", "\n", "\r\n", " ", "é", "UK", ""]),
        0..4,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn fixing_twice_is_fixing_once_and_other_cells_stay(rows in prop::collection::vec((cell(), cell()), 1..5), semicolon: bool) {
        let separator = if semicolon { b';' } else { b',' };
        let mut writer = ::csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
        writer.write_record(["a", "b"]).unwrap();
        rows.iter().for_each(|(a, b)| writer.write_record([a, b]).unwrap());
        let before = writer.into_inner().unwrap();
        let lines: Vec<u32> = {
            let mut line = 2;
            rows.iter().map(|(a, b)| {
                let start = line;
                line += 1 + (a.matches('\n').count() + b.matches('\n').count()) as u32;
                start
            }).collect()
        };
        let changes: Vec<Change> =
            rows.iter().zip(&lines).map(|((a, _), line)| Change::value(*line, "a", a, "x,\"y;\n")).collect();
        let once = csv(&before, &changes);
        prop_assert_eq!(&csv(&once, &[]), &once);
        let mut reader = ::csv::ReaderBuilder::new().delimiter(separator).from_reader(&once[..]);
        let read: Vec<::csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        prop_assert_eq!(read.len(), rows.len());
        for (record, (_, b)) in read.iter().zip(&rows) {
            prop_assert_eq!(&record[0], "x,\"y;\n");
            prop_assert_eq!(&record[1], b);
        }
    }

    #[test]
    fn no_bytes_make_a_fix_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), line in 0u32..5) {
        let changes = [Change::value(line, "a", "b", "c"), insert(line, "d", "e"), header("a", "f")];
        drop(csv(&bytes, &changes));
        drop(json(&bytes, &changes));
    }
}
