//! Makes workbooks of cells: a value, and how a spreadsheet program stores and shows it.

use std::fmt::Write as _;
use std::io::Write as _;

/// A cell of a made workbook.
#[derive(Clone)]
pub(super) enum Made {
    Nothing,
    Text(&'static str),
    /// A number with a number format.
    Number(f64, &'static str),
    /// A day since the epoch of spreadsheets.
    Day(f64),
    Error(&'static str),
    /// A formula whose value was not saved.
    Unsaved,
    /// A text with an address behind it.
    Link(&'static str, &'static str),
    Struck(&'static str),
}

/// A sheet to make.
#[derive(Default)]
pub(super) struct Plan {
    pub rows: Vec<Vec<Made>>,
    /// Rows from 1 and columns from 0.
    pub hidden_rows: Vec<usize>,
    pub hidden_columns: Vec<usize>,
    /// The first and the last cell of each merged range, in .xlsx.
    pub merged: Vec<&'static str>,
}

/// Written as a stream: the sizes stand behind each part, as in exports of programs on the web.
fn zipped(parts: &[(String, String)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new_stream(Vec::new());
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (path, text) in parts {
        zip.start_file(path, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The parts of a workbook that grow with its cells.
#[derive(Default)]
struct Parts {
    formats: Vec<&'static str>,
    links: Vec<(String, &'static str)>,
}

impl Parts {
    fn cell(&mut self, place: &str, cell: &Made) -> String {
        let text = |text: &str, style: usize| {
            format!("<c r=\"{place}\" s=\"{style}\" t=\"inlineStr\"><is><t>{}</t></is></c>", escaped(text))
        };
        match cell {
            Made::Nothing => String::new(),
            Made::Text(it) => text(it, 0),
            Made::Struck(it) => text(it, 2),
            Made::Link(it, target) => {
                self.links.push((place.to_owned(), *target));
                text(it, 0)
            }
            Made::Number(number, format) => {
                let known = self.formats.iter().position(|it| it == format);
                let style = 3 + known.unwrap_or(self.formats.len());
                self.formats.extend(known.is_none().then_some(format));
                format!("<c r=\"{place}\" s=\"{style}\"><v>{number}</v></c>")
            }
            Made::Day(day) => format!("<c r=\"{place}\" s=\"1\"><v>{day}</v></c>"),
            Made::Error(error) => format!("<c r=\"{place}\" t=\"e\"><f>A1</f><v>{error}</v></c>"),
            Made::Unsaved => format!("<c r=\"{place}\"><f>1000*2</f><v></v></c>"),
        }
    }

    fn styles(&self) -> String {
        let numbered = || self.formats.iter().enumerate();
        let listed: String = numbered()
            .map(|(at, it)| format!("<numFmt numFmtId=\"{}\" formatCode=\"{}\"/>", 164 + at, escaped(it)))
            .collect();
        let used: String =
            numbered().map(|(at, _)| format!("<xf numFmtId=\"{}\" fontId=\"0\"/>", 164 + at)).collect();
        format!(
            "<styleSheet xmlns=\"{MAIN}\"><numFmts>{listed}</numFmts><fonts><font/><font><strike/></font></fonts><cellXfs><xf numFmtId=\"0\" fontId=\"0\"/><xf numFmtId=\"14\" fontId=\"0\"/><xf numFmtId=\"0\" fontId=\"1\" applyFont=\"1\"/>{used}</cellXfs></styleSheet>"
        )
    }
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A part of relations: ids, kinds and targets.
fn relations(all: &[(String, &str, &str)]) -> String {
    let all: String = all
        .iter()
        .map(|(id, kind, target)| {
            let mode = if *kind == "hyperlink" { " TargetMode=\"External\"" } else { "" };
            format!("<Relationship Id=\"{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"{mode}/>")
        })
        .collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{all}</Relationships>"
    )
}

/// Items in an element, if there are any.
fn listed(element: &str, items: impl Iterator<Item = String>) -> String {
    let items: String = items.collect();
    if items.is_empty() { items } else { format!("<{element}>{items}</{element}>") }
}

pub(super) fn xlsx(plan: &Plan) -> Vec<u8> {
    let mut parts = Parts::default();
    let mut rows = String::new();
    for (at, cells) in plan.rows.iter().enumerate() {
        let line = at + 1;
        let hidden = if plan.hidden_rows.contains(&line) { " hidden=\"1\"" } else { "" };
        let _ = write!(rows, "<row r=\"{line}\"{hidden}>");
        for (column, cell) in ('A'..='Z').zip(cells) {
            rows.push_str(&parts.cell(&format!("{column}{line}"), cell));
        }
        rows.push_str("</row>");
    }
    let hidden = plan.hidden_columns.iter().map(|column| column + 1);
    let columns = listed("cols", hidden.map(|it| format!("<col min=\"{it}\" max=\"{it}\" hidden=\"1\"/>")));
    let merged = plan.merged.iter().map(|range| format!("<mergeCell ref=\"{range}\"/>"));
    let merged = listed("mergeCells", merged);
    let numbered = || parts.links.iter().enumerate();
    let parted = |target: &'static str| target.split_once('#').unwrap_or((target, ""));
    let linked = numbered().map(|(at, (place, target))| {
        format!("<hyperlink ref=\"{place}\" r:id=\"l{at}\" location=\"{}\"/>", parted(target).1)
    });
    let linked = listed("hyperlinks", linked);
    let targets: Vec<_> =
        numbered().map(|(at, (_, it))| (format!("l{at}"), "hyperlink", parted(it).0)).collect();
    let sheet = format!("{columns}<sheetData>{rows}</sheetData>{merged}{linked}");
    package(&[("Calls", "visible", &sheet)], false, &parts.styles(), &relations(&targets))
}

/// A sheet's name, state and content as XML.
type Part<'a> = (&'a str, &'a str, &'a str);

/// A workbook of sheets without links; style 1 is a date, style 2 struck through.
pub(in crate::tests) fn workbook(sheets: &[Part<'_>], is_1904: bool) -> Vec<u8> {
    package(sheets, is_1904, &Parts::default().styles(), &relations(&[]))
}

fn package(sheets: &[Part<'_>], is_1904: bool, styles: &str, links: &str) -> Vec<u8> {
    let spaces = format!("xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"");
    let numbered = || (1..).zip(sheets);
    let all: String = numbered()
        .map(|(n, (name, state, _))| {
            format!("<sheet name=\"{name}\" sheetId=\"{n}\" state=\"{state}\" r:id=\"r{n}\"/>")
        })
        .collect();
    let epoch = if is_1904 { "<workbookPr date1904=\"1\"/>" } else { "" };
    let targets: Vec<String> = numbered().map(|(n, _)| format!("worksheets/sheet{n}.xml")).collect();
    let targets: Vec<_> = (1..)
        .zip(&targets)
        .map(|(n, target): (usize, _)| (format!("r{n}"), "worksheet", &**target))
        .collect();
    let mut files = vec![
        ("_rels/.rels".to_owned(), relations(&[("r1".to_owned(), "officeDocument", "xl/workbook.xml")])),
        ("xl/workbook.xml".into(), format!("<workbook {spaces}>{epoch}<sheets>{all}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), relations(&targets)),
        ("xl/styles.xml".to_owned(), styles.to_owned()),
        ("xl/worksheets/_rels/sheet1.xml.rels".to_owned(), links.to_owned()),
    ];
    files.extend(numbered().map(|(n, (.., content))| {
        (format!("xl/worksheets/sheet{n}.xml"), format!("<worksheet {spaces}>{content}</worksheet>"))
    }));
    zipped(&files)
}

/// A cell of OpenDocument; what no sheet of it has here is left out.
fn ods_cell(cell: &Made) -> String {
    let (kind, more, text) = match cell {
        Made::Text(it) => ("string", String::new(), escaped(it)),
        Made::Link(it, to) => ("string", String::new(), format!("<text:a xlink:href=\"{to}\">{it}</text:a>")),
        Made::Number(number, currency) => {
            let value = format!(" office:currency=\"{currency}\" office:value=\"{number}\"");
            ("currency", value, number.to_string())
        }
        Made::Day(day) => {
            let date = jiff::civil::date(1899, 12, 30) + jiff::Span::new().days(*day as i64);
            ("date", format!(" office:date-value=\"{date}\""), "x".to_owned())
        }
        Made::Error(error) => ("string", " table:formula=\"of:=[.A1]\"".to_owned(), (*error).to_owned()),
        Made::Nothing | Made::Struck(_) | Made::Unsaved => unreachable!("no such cell"),
    };
    format!("<table:table-cell office:value-type=\"{kind}\"{more}><text:p>{text}</text:p></table:table-cell>")
}

pub(super) fn ods(plan: &Plan) -> Vec<u8> {
    let width = plan.rows.iter().map(Vec::len).max().unwrap();
    let mut body = String::new();
    for column in 0..width {
        let hidden =
            if plan.hidden_columns.contains(&column) { " table:visibility=\"collapse\"" } else { "" };
        let _ = write!(body, "<table:table-column{hidden}/>");
    }
    for (line, cells) in (1..).zip(&plan.rows) {
        let hidden = if plan.hidden_rows.contains(&line) { " table:visibility=\"filter\"" } else { "" };
        let cells: String = cells.iter().map(ods_cell).collect();
        let _ = write!(body, "<table:table-row{hidden}>{cells}</table:table-row>");
    }
    opendocument(&format!("<table:table table:name=\"Folha1\">{body}</table:table>"))
}

/// A workbook of OpenDocument with its tables.
pub(in crate::tests) fn opendocument(tables: &str) -> Vec<u8> {
    let spaces = "xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" xmlns:xlink=\"l\"";
    let content = format!(
        "<office:document-content {spaces}><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    );
    zipped(&[
        ("mimetype".to_owned(), "application/vnd.oasis.opendocument.spreadsheet".to_owned()),
        ("content.xml".to_owned(), content),
    ])
}
