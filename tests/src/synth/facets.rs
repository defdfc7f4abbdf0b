//! The facet values other than places, with labels in both languages and Zipf frequencies.

use super::rng::{Rng, Zipf};
use super::words::slug;

type Labels = (&'static str, &'static str);

/// A list of labels, the most frequent first: English, or a code of the contract, and Spanish.
fn labels(list: &str) -> Vec<Labels> {
    let rows = include_str!("facets.csv").lines().filter_map(|row| row.split_once(','));
    rows.filter(|(name, _)| *name == list).filter_map(|(_, labels)| labels.split_once(',')).collect()
}

/// How many areas are topics; all are fields.
const TOPIC_AREAS: usize = 12;

/// One value of a facet.
pub struct Value {
    /// The value programs and facts carry.
    pub value: String,
    /// English label.
    pub label_en: String,
    /// Spanish label.
    pub label_es: String,
    /// The wider value this one belongs to.
    pub broader: Option<String>,
}

/// A facet's vocabulary, the most frequent value first.
pub struct Facet {
    /// Name of the facet in the contract.
    pub name: &'static str,
    /// The search parameter that filters by it.
    pub parameter: &'static str,
    /// The values.
    pub values: Vec<Value>,
    ranks: Zipf,
}

impl Facet {
    fn new(name: &'static str, parameter: &'static str, values: Vec<Value>) -> Self {
        Self { name, parameter, ranks: Zipf::new(values.len()), values }
    }

    /// One value.
    pub fn draw(&self, rng: &mut Rng) -> &str {
        &self.values[self.ranks.draw(rng)].value
    }

    /// Up to `count` different values.
    pub fn draw_distinct(&self, rng: &mut Rng, count: usize) -> Vec<&str> {
        self.ranks
            .draw_distinct(rng, count)
            .into_iter()
            .map(|rank| self.values[rank].value.as_str())
            .collect()
    }
}

/// All facets but the four of places.
pub struct Facets(Vec<Facet>);

impl Facets {
    /// The vocabularies; the same for every seed.
    #[expect(clippy::new_without_default, reason = "a table, not a default")]
    pub fn new() -> Self {
        Self(vec![
            Facet::new("types", "type", named(&labels("types"))),
            Facet::new("lifecycles", "lifecycle", coded("lifecycles")),
            Facet::new("fields", "field", fields()),
            Facet::new("topics", "topic", topics()),
            Facet::new("careers", "career", named(&labels("careers"))),
            Facet::new("applicants", "applicant", combined("groups", "applicants")),
            Facet::new("audiences", "audience", combined("groups", "audiences")),
            Facet::new("benefits", "benefit", combined("extents", "benefits")),
            Facet::new("education", "education", named(&labels("education"))),
            Facet::new("enrollments", "enrollment", named(&labels("enrollments"))),
            Facet::new("fundingShapes", "fundingShape", funding_shapes()),
            Facet::new("durationUnits", "durationUnit", coded("duration_units")),
            Facet::new("openStates", "openState", coded("open_states")),
        ])
    }

    /// Every facet of this table.
    pub fn all(&self) -> &[Facet] {
        &self.0
    }

    /// A facet by its name in the contract.
    pub fn of(&self, name: &str) -> &Facet {
        self.0.iter().find(|facet| facet.name == name).expect("a name of the contract")
    }
}

/// Values that are the slugs of their English labels.
fn named(labels: &[Labels]) -> Vec<Value> {
    labels.iter().map(|(en, es)| value(slug(en), en, es)).collect()
}

/// Values given by the contract; the English label is the value in words.
fn coded(list: &str) -> Vec<Value> {
    labels(list)
        .into_iter()
        .map(|(code, es)| {
            let words = code.replace('_', " ");
            value(code.to_owned(), &format!("{}{}", words[..1].to_uppercase(), &words[1..]), es)
        })
        .collect()
}

/// Every noun with every qualifier: "Rural schools", "Escuelas rurales".
fn combined(qualifiers: &str, nouns: &str) -> Vec<Value> {
    let (qualifiers, nouns) = (labels(qualifiers), labels(nouns));
    let pairs = qualifiers.iter().flat_map(|qualifier| nouns.iter().map(move |noun| (qualifier, noun)));
    pairs
        .map(|((qualifier_en, qualifier_es), (noun_en, noun_es))| {
            let en = format!("{qualifier_en} {noun_en}");
            value(slug(&en), &en, &format!("{noun_es} {qualifier_es}"))
        })
        .collect()
}

/// Twelve areas, and each of them narrowed by aspects.
fn topics() -> Vec<Value> {
    let (areas, aspects) = (labels("areas"), labels("aspects"));
    let areas = &areas[..TOPIC_AREAS];
    let narrowed = aspects[..5].iter().flat_map(|aspect| areas.iter().map(move |area| (area, aspect)));
    let narrowed = narrowed.map(|((area_en, area_es), (aspect_en, aspect_es))| {
        let en = format!("{area_en} {aspect_en}");
        let narrow = value(slug(&en), &en, &format!("{area_es}: {aspect_es}"));
        Value { broader: Some(slug(area_en)), ..narrow }
    });
    named(areas).into_iter().chain(narrowed).collect()
}

/// Fields are free text: the value is its English label.
fn fields() -> Vec<Value> {
    let (areas, aspects) = (labels("areas"), labels("aspects"));
    let pairs = aspects.iter().flat_map(|aspect| areas.iter().map(move |area| (area, aspect)));
    pairs
        .map(|((area_en, area_es), (aspect_en, aspect_es))| {
            let en = format!("{area_en} {aspect_en}");
            value(en.clone(), &en, &format!("{area_es}: {aspect_es}"))
        })
        .collect()
}

fn funding_shapes() -> Vec<Value> {
    let mut shapes = combined("payments", "shapes");
    shapes.insert(6, value("unfunded".to_owned(), "Unfunded", "Sin financiación"));
    shapes
}

fn value(value: String, label_en: &str, label_es: &str) -> Value {
    Value { value, label_en: label_en.to_owned(), label_es: label_es.to_owned(), broader: None }
}
