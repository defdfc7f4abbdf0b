//! Every text of every record: taken clean of controls and outer space, then held against what its
//! field is for. One table says which field is what.

mod currency;
mod unseen;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use rayon::prelude::*;
use snapshot::facet::Facet;
use snapshot::record::{
    Alias, Award, Channel, Cycle, Fact, InternedStr, Leader, Organization, Post, Program, Recipient, Source,
    Synonym, Term, Transition, Translation,
};
use snapshot::{place, truncate};
use url::Url;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Fix, Location, Safety};
use crate::places;
use crate::rows::{Row, Tables};
use crate::text::slug_of;
use crate::text::{counted, quoted};

/// Most bytes of one text.
const LONGEST_TEXT: usize = 100 * 1024;

/// Most bytes of a slug: with its endings it must stay a file name.
const LONGEST_SLUG: usize = 200;

/// Slugs whose addresses hosts of static files give to other pages.
const RESERVED: [&str; 2] = ["404", "index"];

/// Characters of a value that tell it from others.
const LONGEST_VALUE: usize = 200;

/// What was mended without a loss: writing it down changes nothing.
const MENDED: [Code; 6] = [
    Code::SpaceTrimmed,
    Code::ControlsRemoved,
    Code::Decoded,
    Code::UrlEncoded,
    Code::UrlCompleted,
    Code::PlaceUnderstood,
];

/// What a text is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// To be read by people, or a word of a vocabulary.
    Text,
    /// The same in a list that the export joins by `|`.
    Item,
    Slug,
    Url,
    /// ISO 3166-1, ISO 3166-2 or M49.
    Place,
    /// ISO 3166-1 alpha-2.
    Country,
    /// BCP 47.
    Language,
    /// ISO 4217.
    Currency,
}

/// Judges a text; a new one when it was mended.
type Visit<'v> = &'v mut dyn FnMut(&str) -> Option<String>;

/// What a field holds: one text, perhaps one, or many.
trait Holder {
    fn each(&mut self, visit: Visit<'_>);

    /// The text, where there must be one.
    fn required(&self) -> Option<&str> {
        None
    }
}

trait Text: Deref<Target = str> + From<String> {}

impl Text for String {}
impl Text for InternedStr {}

impl<T: Text> Holder for T {
    fn each(&mut self, visit: Visit<'_>) {
        if let Some(mended) = visit(self) {
            *self = mended.into();
        }
    }

    fn required(&self) -> Option<&str> {
        Some(self)
    }
}

impl<T: Text> Holder for Option<T> {
    fn each(&mut self, visit: Visit<'_>) {
        self.iter_mut().for_each(|text| text.each(visit));
        self.take_if(|text| text.is_empty());
    }
}

impl<T: Text> Holder for Vec<T> {
    fn each(&mut self, visit: Visit<'_>) {
        self.iter_mut().for_each(|text| text.each(visit));
        self.retain(|text| !text.is_empty());
    }
}

impl Holder for BTreeMap<String, String> {
    fn each(&mut self, visit: Visit<'_>) {
        self.values_mut().for_each(|text| text.each(visit));
        self.retain(|_, text| !text.is_empty());
    }
}

trait Texts {
    fn visit(&mut self, visit: &mut dyn FnMut(&'static str, Use, &mut dyn Holder));
}

macro_rules! texts {
    ($($record:ident { $($field:ident: $purpose:ident),+ })+) => {
        $(impl Texts for $record {
            fn visit(&mut self, visit: &mut dyn FnMut(&'static str, Use, &mut dyn Holder)) {
                $(visit(stringify!($field), Use::$purpose, &mut self.$field);)+
            }
        })+
    };
}

texts! {
    Organization {
        slug: Slug, name: Text, country_code: Country, website_url: Url, description: Text, aliases: Text
    }
    Program {
        slug: Slug, name: Text, summary: Text, description: Text, program_type: Text, fields: Item,
        eligible_countries: Place, destination_countries: Place, career_stages: Item, official_url: Url,
        language: Language, aliases: Text
    }
    Cycle { label: Text, application_url: Url }
    Award { project_title: Text, public_notes: Text }
    Recipient { slug: Slug, display_name: Text, country_code: Country, website_url: Url, biography: Text }
    Source { kind: Text, url: Url, title: Text, publisher: Text }
    Fact { kind: Text, value: Text, label: Text, text: Text, unit: Text, currency: Currency }
    Transition { reason: Text }
    Alias { slug: Slug }
    Leader { name: Text, role: Text, url: Url }
    Channel { kind: Text, label: Text, url: Url }
    Post { title: Text, url: Url, summary: Text }
    Translation { fields: Text }
    Term { facet: Text, value: Text, label_en: Text, label_es: Text, broader: Text }
    Synonym { terms: Text }
}

/// Mends and checks every text.
pub(super) fn mend(tables: &mut Tables, report: &mut Diagnostics) {
    mend_rows(&mut tables.organizations, report);
    mend_rows(&mut tables.programs, report);
    mend_rows(&mut tables.cycles, report);
    mend_rows(&mut tables.awards, report);
    mend_rows(&mut tables.recipients, report);
    mend_rows(&mut tables.sources, report);
    mend_rows(&mut tables.facts, report);
    mend_places(&mut tables.facts, report);
    mend_rows(&mut tables.transitions, report);
    mend_rows(&mut tables.aliases, report);
    mend_rows(&mut tables.leaders, report);
    mend_rows(&mut tables.channels, report);
    mend_rows(&mut tables.posts, report);
    mend_rows(&mut tables.translations, report);
    mend_rows(&mut tables.vocabulary, report);
    mend_rows(&mut tables.synonyms, report);
    if let Some(dataset) = &mut tables.dataset {
        let at = dataset.at;
        let record = &mut dataset.record;
        let texts = [("name", Use::Slug, &mut record.name), ("title", Use::Text, &mut record.title)];
        for (name, purpose, text) in texts {
            let mut field = Field::new(name, at);
            field.mend(purpose, text);
            report.extend(field.faults);
        }
    }
}

fn mend_rows<T: Texts + Send>(rows: &mut [Row<T>], report: &mut Diagnostics) {
    let faults: Vec<Diagnostic> = rows.par_iter_mut().flat_map_iter(mend_row).collect();
    report.extend(faults);
}

/// Values of facts that are places; what the kind is, was mended before.
fn mend_places(rows: &mut [Row<Fact>], report: &mut Diagnostics) {
    let faults = rows.par_iter_mut().flat_map_iter(|row| {
        let is_place = Facet::of_kind(&row.record.kind).is_some_and(|facet| facet.spec().is_place);
        let value = row.record.value.filter(|value| is_place && !place::is_place(value));
        let mut field = Field::new("value", row.at);
        if value.is_some() {
            field.mend(Use::Place, &mut row.record.value);
        }
        field.faults
    });
    let faults: Vec<Diagnostic> = faults.collect();
    report.extend(faults);
}

fn mend_row<T: Texts>(row: &mut Row<T>) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let at = row.at;
    row.record.visit(&mut |name, purpose, holder| {
        let mut field = Field::new(name, at);
        field.mend(purpose, holder);
        faults.append(&mut field.faults);
    });
    faults
}

/// A field of a row, with what was found about it.
struct Field {
    name: &'static str,
    at: Location,
    is_required: bool,
    faults: Vec<Diagnostic>,
}

impl Field {
    const fn new(name: &'static str, at: Location) -> Self {
        Self { name, at, is_required: false, faults: Vec::new() }
    }

    fn mend(&mut self, purpose: Use, holder: &mut dyn Holder) {
        self.is_required = holder.required().is_some();
        holder.each(&mut |text| self.text(purpose, text));
        if holder.required() == Some("") {
            self.fault(Code::MissingField, "is missing or empty");
        }
    }

    /// The text that it should have been, when it is not.
    fn text(&mut self, purpose: Use, found: &str) -> Option<String> {
        let (mut text, told) = (Cow::Borrowed(found), self.faults.len());
        self.remove_unseen(&mut text);
        self.trim(&mut text);
        if text.len() > LONGEST_TEXT {
            self.fault(
                Code::TextTooLong,
                format!("has {} bytes, at most {LONGEST_TEXT} are allowed", text.len()),
            );
        }
        if !text.is_empty() {
            self.check(purpose, &mut text);
        }
        let mended = match text {
            Cow::Borrowed(_) => None,
            Cow::Owned(mended) => Some(mended),
        };
        for fault in &mut self.faults[told..] {
            fault.value = Some(truncate::at_char(found, LONGEST_VALUE).into_owned());
            let is_mended = MENDED.contains(&fault.code);
            if let (true, Some(to), Some(field)) = (is_mended, &mended, &fault.field) {
                fault.fix = Some(Fix::value(Safety::Safe, field.clone(), found, to));
            }
        }
        mended
    }

    fn check(&mut self, purpose: Use, text: &mut Cow<'_, str>) {
        let found = || quoted(text);
        match purpose {
            Use::Url => self.url(text),
            Use::Slug if !is_slug(text) => self.slug(text),
            Use::Slug if RESERVED.contains(&&**text) => {
                self.fault(Code::ReservedSlug, format!("is {}, which is the name of another page", found()));
            }
            Use::Text | Use::Item => {
                if let Some(tag) = unseen::tag(text) {
                    self.fault(Code::MarkupInText, format!("holds the HTML tag {}", quoted(tag)));
                }
                if purpose == Use::Item && text.contains('|') {
                    self.fault(Code::ListSeparator, format!("holds the list separator `|` in {}", found()));
                }
            }
            Use::Place if !place::is_place(text) => self.place(text, |_| true),
            Use::Country if !is_country(text) => self.place(text, is_country),
            Use::Language if !is_language(text) => {
                self.fault(Code::BadLanguage, format!("is {}, which is not a BCP 47 tag", found()));
            }
            Use::Currency if !currency::is_code(text) => {
                self.fault(Code::BadCurrency, format!("is {}, which is not an ISO 4217 code", found()));
            }
            _ => {}
        }
    }

    fn fault(&mut self, code: Code, what: impl std::fmt::Display) {
        self.add(code, what, None);
    }

    fn add(&mut self, code: Code, what: impl std::fmt::Display, help: Option<String>) {
        let field = camel_case(self.name);
        let told = Diagnostic::new(code, self.at, format!("`{field}` {what}")).field(field);
        self.faults.push(told.maybe_help(help));
    }

    fn remove_unseen(&mut self, text: &mut Cow<'_, str>) {
        if !unseen::may_hold(text) {
            return;
        }
        if let Cow::Owned(decoded) = unseen::decoded(text) {
            self.fault(Code::Decoded, format!("was UTF-8 read as Latin-1, now {}", quoted(&decoded)));
            *text = Cow::Owned(decoded);
        }
        if let Some((control, letter)) = unseen::lost_letter(text) {
            let what = format!(
                "holds the control U+{:04X}, which is `{letter}` in Windows-1252",
                u32::from(control)
            );
            let help = "the file was converted from the wrong encoding: iconv -f windows-1252 -t utf-8";
            self.add(Code::LostLetter, what, Some(help.to_owned()));
        }
        let removed: Vec<char> = text.chars().filter(|c| unseen::is_unwanted(*c)).collect();
        if !removed.is_empty() {
            text.to_mut().retain(|c| !unseen::is_unwanted(c));
            let what = counted(removed.len(), "invisible character");
            let which = unseen::listed(&removed.into_iter().collect::<BTreeSet<_>>());
            self.fault(Code::ControlsRemoved, format!("lost {what}: {which}"));
        }
    }

    fn trim(&mut self, text: &mut Cow<'_, str>) {
        let trimmed = text.trim();
        if trimmed.len() < text.len() {
            // An empty text is as good as none; space alone is not worth a word.
            if !trimmed.is_empty() {
                self.fault(Code::SpaceTrimmed, "lost the space around it");
            }
            *text = Cow::Owned(trimmed.to_owned());
        }
    }

    fn slug(&mut self, text: &str) {
        let normal = slug_of(text);
        let help = (!normal.is_empty()).then(|| format!("write it as `{normal}`"));
        self.add(Code::BadSlug, format!("is {}, which is not in the normal form", quoted(text)), help);
        if let (false, Some(fault)) = (normal.is_empty(), self.faults.last_mut()) {
            fault.fix = Some(Fix::value(Safety::Unsafe, camel_case(self.name), text, &normal));
        }
    }

    /// The code of a place that is named by its name: taken where one is meant, refused where two are.
    fn place(&mut self, text: &mut Cow<'_, str>, fits: impl Fn(&str) -> bool) {
        let name = camel_case(self.name);
        match places::named(text) {
            [code] if fits(code) => {
                let message = format!("`{name}`: {} understood as `{code}`", quoted(text));
                self.faults.push(Diagnostic::new(Code::PlaceUnderstood, self.at, message).field(name));
                *text = Cow::Owned((*code).to_owned());
            }
            codes if codes.len() > 1 => {
                let help = places::choice(codes);
                self.add(Code::BadPlace, format!("is {}, which is two places", quoted(text)), Some(help));
            }
            _ => {
                let near = places::nearest(text).filter(|(code, _)| fits(code));
                let help = near.map(|(code, name)| format!("did you mean `{code}`, {name}?"));
                self.add(Code::BadPlace, format!("is {}, which is not a place code", quoted(text)), help);
                if let (Some((code, _)), Some(fault)) = (near, self.faults.last_mut()) {
                    fault.fix = Some(Fix::value(Safety::Unsafe, name, text, code));
                }
            }
        }
    }

    fn url(&mut self, text: &mut Cow<'_, str>) {
        match Url::parse(text) {
            Ok(url) if is_web(url.scheme()) && names_a_host(text) => {
                if !url.username().is_empty() || url.password().is_some() {
                    self.fault(Code::UrlCredentials, "holds a user name or a password");
                }
                if matches!(encoded(text), Cow::Owned(_)) {
                    *text = Cow::Owned(encoded(url.as_str()).into_owned());
                    let mended = quoted(text);
                    self.fault(Code::UrlEncoded, format!("was percent-encoded: {mended}"));
                }
            }
            Err(error)
                if !self.is_required && text.split_once(':').is_some_and(|(scheme, _)| is_web(scheme)) =>
            {
                self.fault(Code::UrlLeftOut, format!("is {}, left out: {error}", quoted(text)));
                *text = Cow::Owned(String::new());
            }
            _ if is_www(text) => {
                *text = Cow::Owned(format!("https://{text}"));
                self.fault(Code::UrlCompleted, format!("has no scheme, understood as {}", quoted(text)));
            }
            _ => self.bad_url(text),
        }
    }

    fn bad_url(&mut self, text: &str) {
        let guess = format!("https://{text}");
        let is_bare = !text.contains(':') && text.contains('.') && Url::parse(&guess).is_ok();
        let help = is_bare.then(|| format!("perhaps {}", quoted(&guess)));
        self.add(Code::BadUrl, format!("is {}, which is not an http(s) URL", quoted(text)), help);
        if let (true, Some(fault)) = (is_bare, self.faults.last_mut()) {
            fault.fix = Some(Fix::value(Safety::Unsafe, camel_case(self.name), text, &guess));
        }
    }
}

/// Whether it is an address that begins with its host's name, and nothing else.
fn is_www(text: &str) -> bool {
    let host = text.split(['/', '?', '#']).next().unwrap_or_default();
    let labels = || host.split('.').skip(1);
    host.starts_with("www.")
        && labels().count() > 1
        && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        && labels().all(|label| !label.is_empty())
        && !text.contains(char::is_whitespace)
        && Url::parse(&format!("https://{text}")).is_ok()
}

/// Whether the scheme is followed by `//` and a host: parsers make up what is missing, and each its own.
fn names_a_host(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| is_web(scheme) && !rest.starts_with('/'))
}

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// `official_url` as people write it in the files: `officialUrl`.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        camel.push_str(&word[..1].to_uppercase());
        camel.push_str(&word[1..]);
    }
    camel
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

/// An address as browsers encode it, and what they leave alone too; borrowed if there is nothing to encode.
fn encoded(url: &str) -> Cow<'_, str> {
    utf8_percent_encode(url, NOT_OF_URIS).into()
}
