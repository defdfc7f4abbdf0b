//! Corrects and checks every text: removes invisible characters and outer space, then checks it for its purpose.

mod flaws;
mod invisible;

use std::borrow::Cow;
use std::collections::BTreeSet;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use snapshot::facet::Facet;
use snapshot::page::caution;
use snapshot::record::Fact;
use snapshot::{place, truncate};
use url::Url;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Location};
use crate::parallel;
use crate::places;
use crate::rows::{Purpose, Record, Row, Tables, TextField};
use crate::text::{LONGEST_SLUG, counted, currency, quoted, slug_of};

/// Most bytes of one text.
const LONGEST_TEXT: usize = 100 * 1024;

/// Slugs whose addresses static hosts use for other pages.
const RESERVED: [&str; 2] = ["404", "index"];

/// Longest part of a value that distinguishes it in reports, in characters, and longest correction that they print.
const LONGEST_VALUE: usize = 200;

/// Corrections without loss: the corrected value can be written into the file.
const LOSSLESS: [Code; 4] = [Code::SpaceTrimmed, Code::ControlsRemoved, Code::Decoded, Code::UrlEncoded];

/// Corrects and checks every text.
pub(super) fn correct(tables: &mut Tables, report: &mut Diagnostics) {
    if let Some(Row { record, at }) = &mut tables.dataset {
        report.extend(TextCheck::run("name", *at, Purpose::Slug, &mut record.name));
        report.extend(TextCheck::run("title", *at, Purpose::Text, &mut record.title));
    }
    check_each(tables, report, &TextCheck::run);
    correct_places(&mut tables.facts, report);
}

/// Warns of the addresses in published rows that a link checker found dead or moved.
pub(super) fn check_links(tables: &mut Tables, report: &mut Diagnostics) {
    let Some(links) = tables.links.take() else { return };
    check_each(tables, report, &|_, at, purpose, field| {
        let mut warnings = Vec::new();
        if purpose == Purpose::Url {
            field.check(&mut |address| {
                let (code, what) = links.find(address)?;
                warnings.push(Diagnostic::new(*code, at, format!("{} {what}", quoted(address))));
                None
            });
        }
        warnings
    });
}

/// Checks the texts of one field: its name in Rust, place and purpose.
type CheckField<'c> =
    &'c (dyn Fn(&'static str, Location, Purpose, &mut dyn TextField) -> Vec<Diagnostic> + Sync);

/// Checks every text field of every row.
fn check_each(tables: &mut Tables, report: &mut Diagnostics, check: CheckField<'_>) {
    each_table!(tables, |_table, rows| {
        report.extend(parallel::flat_map_mut(rows, |row| {
            let (mut problems, at) = (Vec::new(), row.at);
            row.record.visit_texts(&mut |name, purpose, field| {
                problems.append(&mut check(name, at, purpose, field));
            });
            problems
        }));
    });
}

/// Values of facts that are places, once the kinds of the facts are corrected.
fn correct_places(rows: &mut [Row<Fact>], report: &mut Diagnostics) {
    report.extend(parallel::flat_map_mut(rows, |row| {
        let is_place = Facet::of_kind(&row.record.kind).is_some_and(|facet| facet.spec().is_place);
        match row.record.value.filter(|value| is_place && !place::is_place(value)) {
            Some(_) => TextCheck::run("value", row.at, Purpose::Place, &mut row.record.value),
            None => Vec::new(),
        }
    }));
}

/// The check of one field of a row.
struct TextCheck {
    /// Name of the field in Rust.
    name: &'static str,
    at: Location,
    is_required: bool,
    problems: Vec<Diagnostic>,
}

impl TextCheck {
    /// Corrects a field, and returns its problems.
    fn run(name: &'static str, at: Location, purpose: Purpose, field: &mut dyn TextField) -> Vec<Diagnostic> {
        let mut check = Self { name, at, is_required: field.required().is_some(), problems: Vec::new() };
        field.check(&mut |text| check.text(purpose, text));
        if field.required() == Some("") {
            check.add(Code::MissingField, "is missing or empty");
        }
        check.problems
    }

    /// The corrected text, if it differs.
    fn text(&mut self, purpose: Purpose, found: &str) -> Option<String> {
        let (mut text, before) = (Cow::Borrowed(found), self.problems.len());
        self.remove_invisible(&mut text);
        self.trim(&mut text);
        if text.len() > LONGEST_TEXT {
            let message = format!("has {} bytes, at most {LONGEST_TEXT} are allowed", text.len());
            self.add(Code::TextTooLong, message);
        }
        if !text.is_empty() {
            self.check(purpose, &mut text);
        }
        let corrected = match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(corrected) => Some(corrected),
        };
        for problem in &mut self.problems[before..] {
            problem.value = Some(truncate::at_char(found, LONGEST_VALUE).into_owned());
            if let Some(to) = corrected.as_deref().filter(|to| to.len() <= LONGEST_VALUE)
                && LOSSLESS.contains(&problem.code)
            {
                problem.help = Some(format!("write `{to}`"));
            }
        }
        corrected
    }

    fn check(&mut self, purpose: Purpose, text: &mut Cow<'_, str>) {
        let found = || quoted(text);
        match purpose {
            Purpose::Url => self.url(text),
            Purpose::Slug if !is_slug(text) => self.slug(text),
            Purpose::Slug if RESERVED.contains(&&**text) => {
                self.add(Code::ReservedSlug, format!("is {}, which is the name of another page", found()));
            }
            Purpose::Text | Purpose::Item => {
                if let Some(tag) = invisible::html_tag(text) {
                    self.add(Code::MarkupInText, format!("contains the HTML {}", quoted(tag)));
                }
                if let Some(part) = caution::to_models(text) {
                    self.add(Code::SpeaksToModels, format!("speaks to language models: {}", quoted(part)));
                }
                if let Some((trace, what)) = flaws::trace(text) {
                    self.add(Code::TraceOfConversion, format!("contains {}, {what}", quoted(trace)));
                }
                if purpose == Purpose::Item && text.contains('|') {
                    self.add(Code::ListSeparator, format!("contains the list separator `|` in {}", found()));
                }
            }
            Purpose::Place if !place::is_place(text) => self.place(text, |_| true),
            Purpose::Country if !is_country(text) => self.place(text, is_country),
            Purpose::Language if !is_language(text) => {
                self.add(Code::BadLanguage, format!("is {}, which is not a BCP 47 tag", found()));
            }
            Purpose::Currency if currency(text).is_none() => {
                self.add(Code::BadCurrency, format!("is {}, which is not an ISO 4217 code", found()));
            }
            _ => {}
        }
    }

    /// Adds a problem, and returns its help; the message begins with the name of the field.
    fn add(&mut self, code: Code, message: impl std::fmt::Display) -> &mut Option<String> {
        let field = camel_case(self.name);
        let problem = Diagnostic::new(code, self.at, format!("`{field}` {message}")).field(field);
        &mut self.problems.push_mut(problem).help
    }

    fn remove_invisible(&mut self, text: &mut Cow<'_, str>) {
        if !invisible::may_contain(text) {
            return;
        }
        if let Cow::Owned(decoded) = invisible::decoded(text) {
            let message = format!("was UTF-8 decoded as Latin-1, restored to {}", quoted(&decoded));
            self.add(Code::Decoded, message);
            *text = Cow::Owned(decoded);
        }
        if let Some((control, letter)) = invisible::lost_letter(text) {
            let message = format!("contains U+{:04X}, `{letter}` in Windows-1252", u32::from(control));
            let help = "the file was converted from the wrong encoding: iconv -f windows-1252 -t utf-8";
            *self.add(Code::LostLetter, message) = Some(help.to_owned());
        }
        let removed: Vec<char> = text.chars().filter(|c| invisible::is_unwanted(*c)).collect();
        if !removed.is_empty() {
            text.to_mut().retain(|c| !invisible::is_unwanted(c));
            let count = counted(removed.len(), "invisible character");
            let list = invisible::listed(&removed.into_iter().collect::<BTreeSet<_>>());
            self.add(Code::ControlsRemoved, format!("lost {count}: {list}"));
        }
    }

    fn trim(&mut self, text: &mut Cow<'_, str>) {
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            // A text of nothing but space is removed silently.
            if !trimmed.is_empty() {
                self.add(Code::SpaceTrimmed, "lost the space around it");
            }
            *text = Cow::Owned(trimmed.to_owned());
        }
    }

    fn slug(&mut self, text: &str) {
        let normal = slug_of(text);
        let message = format!("is {}, which is not in normal form", quoted(text));
        *self.add(Code::BadSlug, message) = (!normal.is_empty()).then(|| format!("write it as `{normal}`"));
    }

    /// Reports what is no code of a place, with the code that it is the name of.
    fn place(&mut self, text: &str, is_allowed: impl Fn(&str) -> bool) {
        let (what, help) = match places::named(text) {
            [code] if is_allowed(code) => ("the name of a place", Some(format!("write `{code}`"))),
            codes if codes.len() > 1 => ("the name of several places", Some(places::choice(codes))),
            _ => {
                let near = || places::nearest(text).filter(|(code, _)| is_allowed(code));
                let near = || near().map(|(code, name)| format!("did you mean `{code}`, {name}?"));
                // Lists take regions too, a field of one country does not.
                let codes: Vec<&str> = text.split([';', ',', ' ']).filter(|code| !code.is_empty()).collect();
                let is_list = is_allowed(place::WORLD) && codes.iter().all(|code| place::is_place(code));
                let list = is_list.then(|| format!("write `{}`", codes.join("|")));
                ("which is not a place code", list.or_else(near))
            }
        };
        *self.add(Code::BadPlace, format!("is {}, {what}", quoted(text))) = help;
    }

    fn url(&mut self, text: &mut Cow<'_, str>) {
        match Url::parse(text) {
            Ok(url) if is_web(url.scheme()) && names_a_host(text) => {
                if !url.username().is_empty() || url.password().is_some() {
                    self.add(Code::UrlCredentials, "contains a user name or a password");
                }
                if flaws::is_private(&url) {
                    let message = format!("is {}, an address of a private network", quoted(text));
                    self.add(Code::PrivateAddress, message);
                }
                if matches!(encoded(text), Cow::Owned(_)) {
                    *text = Cow::Owned(encoded(url.as_str()).into_owned());
                    self.add(Code::UrlEncoded, format!("was percent-encoded: {}", quoted(text)));
                }
            }
            Err(error)
                if !self.is_required && text.split_once(':').is_some_and(|(scheme, _)| is_web(scheme)) =>
            {
                self.add(Code::UrlLeftOut, format!("is {}, left out: {error}", quoted(text)));
                *text = Cow::Owned(String::new());
            }
            _ => {
                let bare = ["//", "https//", "http//"].iter().find_map(|start| text.strip_prefix(start));
                let guess = format!("https://{}", bare.unwrap_or(text));
                // A name with a point: no mail address, no port and no other scheme.
                let is_host =
                    |it: Url| it.host_str().is_some_and(|it| it.contains('.')) && it.username() == "";
                let is_bare = !text.contains(':') && Url::parse(&guess).is_ok_and(is_host);
                let message = format!("is {}, which is not an http(s) URL", quoted(text));
                *self.add(Code::BadUrl, message) =
                    (is_bare && guess.len() <= LONGEST_VALUE).then(|| format!("perhaps `{guess}`"));
            }
        }
    }
}

/// Whether the scheme is followed by `//` and a host; parsers correct missing slashes, each in its own way.
fn names_a_host(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| is_web(scheme) && !rest.starts_with('/'))
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// `official_url` as files write it: `officialUrl`.
fn camel_case(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let words = name.split('_').enumerate();
    words.map(|(at, word)| if at == 0 { word.to_owned() } else { capital(word) }).collect()
}

fn is_slug(text: &str) -> bool {
    text.len() <= LONGEST_SLUG && snapshot::query::is_slug(text)
}

fn is_country(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase()) && place::find(text).is_some()
}

fn is_language(text: &str) -> bool {
    let mut subtags = text.split('-');
    let language = subtags.next().unwrap_or_default();
    let is_primary = matches!(language.len(), 2 | 3) && language.bytes().all(|b| b.is_ascii_lowercase());
    is_primary
        && subtags.all(|tag| (1..=8).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// ASCII that may not stand in a URI (RFC 3986 §2); `%` may.
const NOT_OF_URIS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// An address with every character encoded that a URI must not contain; borrowed if there is none.
fn encoded(url: &str) -> Cow<'_, str> {
    utf8_percent_encode(url, NOT_OF_URIS).into()
}
