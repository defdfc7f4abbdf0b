//! The facet values other than places, with labels in both languages and Zipf frequencies.

use super::rng::{Rng, Zipf};
use super::words::slug;

type Labels = (&'static str, &'static str);

const LIFECYCLES: [Labels; 8] = [
    ("active_accepting", "Acepta solicitudes"),
    ("active_between_cycles", "Entre convocatorias"),
    ("unclear", "Sin aclarar"),
    ("ended", "Terminado"),
    ("active_no_applications", "Sin solicitudes"),
    ("paused", "En pausa"),
    ("inaccessible", "Inaccesible"),
    ("renamed_or_moved", "Renombrado o trasladado"),
];
const OPEN_STATES: [Labels; 6] = [
    ("closed", "Cerrada"),
    ("open", "Abierta"),
    ("upcoming", "Próxima"),
    ("unknown", "Desconocida"),
    ("rolling", "Permanente"),
    ("closing_soon", "Cierra pronto"),
];
const DURATION_UNITS: [Labels; 4] = [("month", "Mes"), ("year", "Año"), ("week", "Semana"), ("day", "Día")];
const TYPES: [Labels; 20] = [
    ("Grant", "Subvención"),
    ("Fellowship", "Beca de investigación"),
    ("Scholarship", "Beca"),
    ("Prize", "Premio"),
    ("Loan", "Préstamo"),
    ("Cascade funding", "Financiación en cascada"),
    ("Benefit", "Prestación"),
    ("Formula grant", "Subvención por fórmula"),
    ("Direct payment", "Pago directo"),
    ("Tax credit", "Crédito fiscal"),
    ("Reimbursement", "Reembolso"),
    ("Procurement", "Contratación"),
    ("Cooperative agreement", "Convenio de cooperación"),
    ("Training", "Formación"),
    ("Residency", "Residencia"),
    ("Internship", "Prácticas"),
    ("Accelerator", "Aceleradora"),
    ("Mentoring program", "Programa de mentoría"),
    ("Rebate", "Descuento"),
    ("Other", "Otro"),
];
const CAREERS: [Labels; 15] = [
    ("Student", "Estudiante"),
    ("Researcher", "Investigador"),
    ("Graduate student", "Estudiante de posgrado"),
    ("Early career", "Inicio de carrera"),
    ("Undergraduate", "Estudiante de grado"),
    ("Doctoral candidate", "Doctorando"),
    ("Postdoc", "Posdoctorado"),
    ("Faculty", "Profesorado"),
    ("Entrepreneur", "Emprendedor"),
    ("Health professional", "Profesional sanitario"),
    ("Education professional", "Profesional de la educación"),
    ("Artist humanist", "Artista o humanista"),
    ("Engineer architect", "Ingeniero o arquitecto"),
    ("Practitioner", "Profesional"),
    ("Journalist", "Periodista"),
];
const EDUCATION: [Labels; 9] = [
    ("Graduate", "Posgrado"),
    ("Undergraduate", "Grado"),
    ("Post secondary", "Postsecundaria"),
    ("Doctoral", "Doctorado"),
    ("Masters", "Máster"),
    ("Grades 9-12", "Bachillerato"),
    ("School", "Escuela"),
    ("Grades 0-8", "Primaria"),
    ("Preschool", "Preescolar"),
];
const ENROLLMENTS: [Labels; 5] = [
    ("Enrolled", "Matriculado"),
    ("Full time", "Tiempo completo"),
    ("Part time", "Tiempo parcial"),
    ("Admitted", "Admitido"),
    ("Not enrolled", "No matriculado"),
];

const AREAS: [Labels; 25] = [
    ("Health", "Salud"),
    ("Education", "Educación"),
    ("Environment", "Medio ambiente"),
    ("Science and technology", "Ciencia y tecnología"),
    ("Arts and culture", "Arte y cultura"),
    ("Agriculture", "Agricultura"),
    ("Energy", "Energía"),
    ("Business", "Empresa"),
    ("Community development", "Desarrollo comunitario"),
    ("Transportation", "Transporte"),
    ("Digital", "Digital"),
    ("Human rights", "Derechos humanos"),
    ("Food and nutrition", "Alimentación y nutrición"),
    ("Housing", "Vivienda"),
    ("Water", "Agua"),
    ("Oceans", "Océanos"),
    ("Journalism", "Periodismo"),
    ("Mathematics", "Matemáticas"),
    ("Space", "Espacio"),
    ("Law", "Derecho"),
    ("Migration", "Migración"),
    ("Music", "Música"),
    ("Sport", "Deporte"),
    ("Languages", "Lenguas"),
    ("Public safety", "Seguridad pública"),
];
/// How many of [`AREAS`] are topics; all are fields.
const TOPIC_AREAS: usize = 12;
const ASPECTS: [Labels; 6] = [
    ("research", "investigación"),
    ("innovation", "innovación"),
    ("training", "formación"),
    ("policy", "políticas"),
    ("infrastructure", "infraestructura"),
    ("access", "acceso"),
];
const APPLICANTS: [Labels; 10] = [
    ("nonprofits", "Organizaciones sin fines de lucro"),
    ("universities", "Universidades"),
    ("local governments", "Gobiernos locales"),
    ("individuals", "Personas"),
    ("companies", "Empresas"),
    ("schools", "Escuelas"),
    ("hospitals", "Hospitales"),
    ("cooperatives", "Cooperativas"),
    ("museums", "Museos"),
    ("tribal governments", "Gobiernos indígenas"),
];
const AUDIENCES: [Labels; 14] = [
    ("students", "Estudiantes"),
    ("scientists", "Científicos"),
    ("families", "Familias"),
    ("teachers", "Docentes"),
    ("farmers", "Agricultores"),
    ("artists", "Artistas"),
    ("veterans", "Veteranos"),
    ("entrepreneurs", "Emprendedores"),
    ("nurses", "Personal de enfermería"),
    ("engineers", "Ingenieros"),
    ("writers", "Escritores"),
    ("migrants", "Migrantes"),
    ("volunteers", "Voluntarios"),
    ("musicians", "Músicos"),
];
const GROUPS: [Labels; 5] = [
    ("All", "en general"),
    ("Young", "jóvenes"),
    ("Rural", "rurales"),
    ("Independent", "independientes"),
    ("International", "internacionales"),
];
const BENEFITS: [Labels; 8] = [
    ("stipend", "Estipendio"),
    ("tuition", "Matrícula"),
    ("travel", "Viajes"),
    ("mentorship", "Mentoría"),
    ("network", "Red de contactos"),
    ("housing", "Alojamiento"),
    ("health insurance", "Seguro médico"),
    ("equipment", "Equipamiento"),
];
const EXTENTS: [Labels; 3] = [("Full", "íntegro"), ("Partial", "parcial"), ("Optional", "opcional")];
const SHAPES: [Labels; 8] = [
    ("grant", "Subvención"),
    ("project grant", "Subvención de proyecto"),
    ("award", "Galardón"),
    ("cost sharing", "Coste compartido"),
    ("loan", "Préstamo"),
    ("contract", "Contrato"),
    ("equity", "Capital"),
    ("voucher", "Vale"),
];
const PAYMENTS: [Labels; 5] = [
    ("Annual", "anual"),
    ("One-off", "único"),
    ("Monthly", "mensual"),
    ("Phased", "por fases"),
    ("Advance", "por adelantado"),
];

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
#[expect(missing_docs, reason = "named as in the contract")]
pub struct Facets {
    pub types: Facet,
    pub lifecycles: Facet,
    pub fields: Facet,
    pub topics: Facet,
    pub careers: Facet,
    pub applicants: Facet,
    pub audiences: Facet,
    pub benefits: Facet,
    pub education: Facet,
    pub enrollments: Facet,
    pub funding_shapes: Facet,
    pub duration_units: Facet,
    pub open_states: Facet,
}

impl Facets {
    /// The vocabularies; the same for every seed.
    #[expect(clippy::new_without_default, reason = "a table, not a default")]
    pub fn new() -> Self {
        Self {
            types: Facet::new("types", "type", named(&TYPES)),
            lifecycles: Facet::new("lifecycles", "lifecycle", coded(&LIFECYCLES)),
            fields: Facet::new("fields", "field", fields()),
            topics: Facet::new("topics", "topic", topics()),
            careers: Facet::new("careers", "career", named(&CAREERS)),
            applicants: Facet::new("applicants", "applicant", combined(&GROUPS, &APPLICANTS)),
            audiences: Facet::new("audiences", "audience", combined(&GROUPS, &AUDIENCES)),
            benefits: Facet::new("benefits", "benefit", combined(&EXTENTS, &BENEFITS)),
            education: Facet::new("education", "education", named(&EDUCATION)),
            enrollments: Facet::new("enrollments", "enrollment", named(&ENROLLMENTS)),
            funding_shapes: Facet::new("fundingShapes", "fundingShape", funding_shapes()),
            duration_units: Facet::new("durationUnits", "durationUnit", coded(&DURATION_UNITS)),
            open_states: Facet::new("openStates", "openState", coded(&OPEN_STATES)),
        }
    }

    /// Every facet of this table.
    pub fn all(&self) -> [&Facet; 13] {
        [
            &self.types,
            &self.lifecycles,
            &self.fields,
            &self.topics,
            &self.careers,
            &self.applicants,
            &self.audiences,
            &self.benefits,
            &self.education,
            &self.enrollments,
            &self.funding_shapes,
            &self.duration_units,
            &self.open_states,
        ]
    }
}

/// Values that are the slugs of their English labels.
fn named(labels: &[Labels]) -> Vec<Value> {
    labels.iter().map(|(en, es)| value(slug(en), en, es)).collect()
}

/// Values given by the contract; the English label is the value in words.
fn coded(labels: &[Labels]) -> Vec<Value> {
    labels
        .iter()
        .map(|(code, es)| {
            let words = code.replace('_', " ");
            value((*code).to_owned(), &format!("{}{}", words[..1].to_uppercase(), &words[1..]), es)
        })
        .collect()
}

/// Every noun with every qualifier: "Rural schools", "Escuelas rurales".
fn combined(qualifiers: &[Labels], nouns: &[Labels]) -> Vec<Value> {
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
    let areas = &AREAS[..TOPIC_AREAS];
    let narrowed = ASPECTS[..5].iter().flat_map(|aspect| areas.iter().map(move |area| (area, aspect)));
    let narrowed = narrowed.map(|((area_en, area_es), (aspect_en, aspect_es))| {
        let en = format!("{area_en} {aspect_en}");
        let narrow = value(slug(&en), &en, &format!("{area_es}: {aspect_es}"));
        Value { broader: Some(slug(area_en)), ..narrow }
    });
    named(areas).into_iter().chain(narrowed).collect()
}

/// Fields are free text: the value is its English label.
fn fields() -> Vec<Value> {
    let pairs = ASPECTS.iter().flat_map(|aspect| AREAS.iter().map(move |area| (area, aspect)));
    pairs
        .map(|((area_en, area_es), (aspect_en, aspect_es))| {
            let en = format!("{area_en} {aspect_en}");
            value(en.clone(), &en, &format!("{area_es}: {aspect_es}"))
        })
        .collect()
}

fn funding_shapes() -> Vec<Value> {
    let mut shapes = combined(&PAYMENTS, &SHAPES);
    shapes.insert(6, value("unfunded".to_owned(), "Unfunded", "Sin financiación"));
    shapes
}

fn value(value: String, label_en: &str, label_es: &str) -> Value {
    Value { value, label_en: label_en.to_owned(), label_es: label_es.to_owned(), broader: None }
}
