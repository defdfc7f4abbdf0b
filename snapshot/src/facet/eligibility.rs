//! Who may apply, in the words of a source: what it notes of it, or one sentence that speaks of it.

use std::borrow::Cow;

use super::{Applicants, Facet, admits_persons};
use crate::patterns::Patterns;
use crate::record::{Directory, Fact, Locale, Polarity};
use crate::text::normalized;
use crate::truncate::at_word;

/// The ways in which a sentence speaks of who may apply.
static SPEAKS: Patterns = Patterns::new(include_str!("eligibility.txt"));
/// How a note about eligibility names applicants without a verb.
static NAMES: Patterns = Patterns::new(
    "^ a|an|any|all|only|private|public|local|current|registered|licensed|qualified|eligible|volunteer|residential* agencies|\
    agency|businesses|cities|city|companies|corporations|counties|county|districts|entities|entity|facilities|farms|\
    government|governments|households|individuals|institutions|municipalities|municipality|non|nonprofit|nonprofits|\
    organizations|owners|pharmacies|producers|residents|schools|taxpayers|units|veterans",
);

/// How a note limits applicants that it does not name.
static LIMITS: Patterns = Patterns::new(
    "applicant|applicants must|include|are|will|successfully|needs\n^ only|any\n^ must be\nopen to\n\
    eligible applicants|recipients|organizations\neligible ... entities|owners",
);
/// How a sentence speaks of one part of a program.
static OF_ONE_PART: Patterns = Patterns::new(
    "phase|track|stage|strand i|ii|iii|iv|1|2|3\nopen only to awardees|grantees\n\
    only past|previous|prior|current ... ... awardees|grantees|recipients",
);
/// How it speaks of persons whom an organization supports, where that is the applicant.
static SUPPORTED: Patterns =
    Patterns::new("scholars|trainees must|should\nscholarship recipients must|should");

/// What a line about who may apply is labelled, in both languages, as [`normalized`] writes it.
const LABELS: [&str; 8] = [
    "eligibility",
    "eligible applicants",
    "who can apply",
    "who may apply",
    "elegibilidad",
    "requisitos",
    "quien puede presentarse",
    "quien puede solicitarla",
];

/// Longest quotation, in characters; and longest part after it that excludes applicants.
const QUOTED: usize = 600;
const EXCLUDED: usize = 200;
/// Most items of a list that are quoted.
const ITEMS: usize = 20;
/// How a part of a sentence that excludes applicants begins, in both languages.
const EXCLUDES: [&str; 8] =
    ["no ", "not ", "except ", "excluding ", "excepto ", "salvo ", "excluye ", "quedan excluid"];
/// Texts of a criterion that add nothing to its label.
const AGREES: [&str; 3] = ["Yes", "yes", "S\u{ed}"];
/// A text of a fact with fewer words states no more than its label.
const WORDS: usize = 5;

/// Who may apply to a program, in the words of its source, and their language if that is not `locale`: of a note about
/// eligibility, else of its criteria, else the longest text of a fact about applicants, else a sentence of the description
/// or the summary; else the beginning of a note that limits them, or of any where no applicants are stated. `shown` are its
/// applicants.
pub(crate) fn eligibility<'a>(
    directory: &'a Directory,
    program: usize,
    locale: Locale,
    shown: &Applicants<'_>,
) -> Option<(String, Option<&'a str>)> {
    let it = &directory.programs[program];
    let facts: Vec<&Fact> = directory.facts_of(program).collect();
    let are_persons = admits_persons(it, &facts);
    let text =
        |fact: &&'a Fact| directory.translation(fact.entity(), locale, "text").or(fact.text.as_deref());
    let included = || facts.iter().filter(|fact| fact.polarity == Polarity::Include);
    let notes = |value| included().filter(move |fact| fact.value.as_deref() == Some(value));
    let of_applicants = |fact: &&&Fact| shown.iter().any(|(spec, _)| spec.is_fed_by(&fact.kind));
    let note = notes("eligibility-text").find_map(|fact| Some((note(text(fact)?)?, fact.entity(), "text")));
    let criteria = || {
        let all: Vec<String> =
            notes("eligibility-criterion").filter_map(|fact| criterion(directory, fact, locale)).collect();
        let first = notes("eligibility-criterion").next()?;
        (!all.is_empty()).then(|| (shortened(&all.join("; ")).into_owned(), first.entity(), "label"))
    };
    let statements = || {
        let all = included().filter(of_applicants);
        let all = all.filter_map(|fact| Some((statement(fact, text(fact)?)?, fact.entity(), "text")));
        all.max_by_key(|(text, ..)| text.len())
    };
    let of_program = |field, original: &'a Option<String>| {
        let text = directory.translation(it.entity(), locale, field).or(original.as_deref())?;
        let spoken = || speaking(text, |it| are_persons || SUPPORTED.find(it).is_none());
        Some((labelled(text).or_else(spoken)?.into_owned(), it.entity(), field))
    };
    let found = note.or_else(criteria).or_else(statements);
    let found = found.or_else(|| of_program("description", &it.description));
    let found = found.or_else(|| of_program("summary", &it.summary));
    let names_none = || shown.iter().all(|(spec, _)| spec.facet != Facet::Applicants);
    let is_about = |text: &&str| names_none() || LIMITS.find(text).is_some();
    let limits = |fact| Some((beginning(text(fact).filter(is_about)?)?, fact.entity(), "text"));
    let (text, of, field) = found.or_else(|| notes("eligibility-text").find_map(limits))?;
    let original = it.language.as_deref().unwrap_or(directory.dataset.language().as_str());
    let is_foreign = original != locale.as_str() && directory.translation(of, locale, field).is_none();
    Some((text, is_foreign.then_some(original)))
}

/// A note about eligibility that speaks of who may apply: its beginning, and the sentence that does.
fn note(text: &str) -> Option<String> {
    let names = || sentences(text).next().filter(|first| NAMES.find(first).is_some()).map(shortened);
    let speaks = sentence(text).or_else(names)?;
    let beginning = beginning(text)?;
    let is_there = one_line(text).chars().count() <= QUOTED || beginning.contains(&*one_line(&speaks));
    Some(if is_there { beginning } else { format!("{} {speaks}", at_word(&beginning, QUOTED / 2)) })
}

/// The beginning of a note that is more than an address.
fn beginning(text: &str) -> Option<String> {
    let of_address = |word: &&str| word.starts_with("http");
    let is_address = text.split_whitespace().any(|word| of_address(&word));
    let words = text.split_whitespace().filter(|word| !of_address(word)).count();
    (!is_address || words > WORDS).then(|| shortened(&one_line(text)).into_owned())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A criterion: its label, and its text where that is more than `Yes` and the label does not end in it.
fn criterion(directory: &Directory, fact: &Fact, locale: Locale) -> Option<String> {
    let label = directory.text(fact.entity(), locale, "label", fact.label.as_deref()?);
    let text = directory.translation(fact.entity(), locale, "text").or(fact.text.as_deref());
    let is_more =
        |text: &&str| !label.to_lowercase().ends_with(&text.to_lowercase()) && !AGREES.contains(text);
    Some(text.filter(is_more).map_or_else(|| label.to_owned(), |text| format!("{label}: {text}")))
}

/// The text of a fact about applicants, where it states more than the label: whole, or a sentence of several.
fn statement(fact: &Fact, text: &str) -> Option<String> {
    let label = fact.label.as_deref().or(fact.value.as_deref()).unwrap_or_default();
    // One of several that a list divides is less than the list.
    let mut parts = text.split(['/', ';', ',']).map(normalized);
    let is_one = text.contains(['/', ';', ',']) && parts.any(|part| part == normalized(label));
    let is_more = is_one || text.split_whitespace().count() >= WORDS && !text.starts_with(label);
    let is_whole = !text.ends_with('.');
    let part = if is_whole { Some(shortened(text)) } else { sentence(text) };
    part.filter(|_| is_more).map(Cow::into_owned)
}

/// The first sentence of a text that speaks of who may apply, or the first list that does.
fn sentence(text: &str) -> Option<Cow<'_, str>> {
    speaking(text, |_| true)
}

fn speaking(text: &str, is_wanted: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
    // To patterns, the full stop of `U.S.` would end a sentence, and so would a colon.
    let speaks = |it: &str| {
        SPEAKS.find(&it.replace(['.', ':'], "")).is_some() && OF_ONE_PART.find(it).is_none() && is_wanted(it)
    };
    let mut all = sentences(text).filter(|sentence| !sentence.ends_with(':'));
    all.find(|sentence| speaks(sentence)).map(shortened).or_else(|| {
        let list =
            text.match_indices(":\n").find_map(|(at, _)| list(text, at).filter(|list| speaks(list)))?;
        Some(shortened(&list).into_owned().into())
    })
}

/// A line that ends at a colon, and the lines of the list that follows it.
fn list(text: &str, colon: usize) -> Option<String> {
    let start = text[..colon].rfind('\n').map_or(0, |at| at + 1);
    let announced = sentences(&text[start..=colon]).last()?;
    let items = text[colon + 1..].trim_start().lines().take(ITEMS).map(str::trim);
    let items = items.take_while(|line| !line.is_empty());
    let items = items.map(|item| item.trim_start_matches(is_mark).trim_end_matches([',', ';', '.']));
    Some(format!("{announced} {}", items.collect::<Vec<_>>().join("; ")))
}

/// The first line of a text that is labelled as the one about who may apply, without its label.
fn labelled(text: &str) -> Option<Cow<'_, str>> {
    let lines = text.lines().filter_map(|line| line.split_once(':'));
    let mut about = lines.filter(|(label, _)| LABELS.contains(&&*normalized(label)));
    about.find(|(_, rest)| rest.split_whitespace().nth(1).is_some()).map(|(_, rest)| shortened(rest.trim()))
}

/// A text of at most `QUOTED` characters, cut where a part of the sentence ends, or between words; then what excludes
/// applicants of the rest.
fn shortened(text: &str) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(QUOTED) else { return text.into() };
    let part = text[..end].rfind("; ").filter(|at| *at > end / 2);
    let cut = part.map_or_else(|| at_word(text, QUOTED), |at| format!("{}…", &text[..at]).into());
    let mut rest = text[part.unwrap_or(end)..].split("; ").map(str::trim);
    let excludes = |part: &&str| EXCLUDES.iter().any(|begin| part.to_lowercase().starts_with(begin));
    match rest.find(excludes) {
        Some(part) => format!("{cut} {}", at_word(part, EXCLUDED)).into(),
        None => cut,
    }
}

/// The sentences of a text, without marks of lists.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(of_line).map(move |sentence| sentence.trim_start_matches(is_mark).trim_end())
}

fn is_mark(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '*' | '\u{b7}' | '\u{2022}')
}

fn of_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let mut ends = rest.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
        let (sentence, after) = rest.split_at(ends.find(|end| is_end(rest, *end)).unwrap_or(rest.len()));
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Whether a sentence ends at a mark: not after a number or a letter or two, as in `U.S. citizens`.
fn is_end(line: &str, end: usize) -> bool {
    let (sentence, after) = line.split_at(end);
    // First, so that a text without spaces is read once.
    if !after.starts_with(char::is_whitespace) {
        return false;
    }
    let last = sentence.rsplit(char::is_whitespace).next().unwrap_or_default().trim_end_matches('.');
    let is_short = (1..=2).contains(&last.chars().count()) || last.contains('.');
    let next = after.trim_start().chars().next();
    !is_short && next.is_none_or(|next| !next.is_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_line_is_quoted_without_its_label() {
        for (text, expected) in [
            ("A prize.\nEligibility: EU residents; all fields\nAmount: 5", Some("EU residents; all fields")),
            ("Who can apply : any school", Some("any school")),
            ("Requisitos: vivir en Lugo", Some("vivir en Lugo")),
            ("Eligibility: open", None),
            ("Eligibility criteria for reviewers: two years", None),
        ] {
            assert_eq!(labelled(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_excludes_applicants_is_quoted_from_the_rest_of_a_long_text() {
        let schools = "at one of these schools: ".to_owned() + &"North, ".repeat(100);
        let text =
            format!("Students in their last year; {schools}; all fields; no postdocs or undergraduates");
        let quoted = shortened(&text);
        assert!(quoted.ends_with("… no postdocs or undergraduates"), "{quoted}");
        assert!(quoted.chars().count() <= QUOTED + EXCLUDED + 2);
        assert!(!shortened(&text.replace("no postdocs", "postdocs")).contains("postdocs"));
    }

    #[test]
    fn a_sentence_is_quoted_where_it_speaks_of_who_may_apply() {
        for text in [
            "Applicants must be U.S. citizens.",
            "Candidates must hold a doctoral degree and be permanent residents.",
            "Only counties of the region may apply.",
            "Eligible applicants include public libraries and nonprofit organizations.",
            "Those eligible to apply are cities and towns.",
            "The fellowship is open to early-career researchers.",
            "The grant is not open to individuals.",
            "Must identify as a woman; enrolled in a doctoral program",
            "Must be a nonprofit organization in Ohio.",
            "Residents of any country can apply.",
            "You must have been a resident for two years.",
            "To be eligible, an organization must be based in Wales.",
            "Funds are made available to youth organizations.",
            "Scholarship recipients must be U.S. citizens.",
            "A declaration is needed and eligible residents must live in the county.",
            "Grantees are usually predetermined.",
            "A Principal Investigator should have shown evidence of independence.",
            "The borrower must be a permanent resident.",
            "Scholars at all career stages can apply for it.",
            "The call is limited to investigators at small colleges.",
            "Eligible applicants for the second round include public libraries.",
            "Qualified taxpayers must be registered.",
            "Podrán presentarse las personas mayores de edad.",
            "Pueden solicitarla estudiantes de máster.",
            "Las entidades sin ánimo de lucro podrán optar a la ayuda.",
            "Los solicitantes deberán residir en Galicia.",
            "Convocatoria dirigida a jóvenes investigadores.",
            "Podrán ser beneficiarios los ayuntamientos.",
            "Requisitos para los solicitantes: tener 18 años.",
            "Serán elegibles las pequeñas empresas.",
        ] {
            assert_eq!(sentence(&format!("A prize. {text}\nMore.")).as_deref(), Some(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_that_speaks_of_something_else_is_not_quoted() {
        for text in [
            "Applicants must submit a budget.",
            "Funds are available to support organizations.",
            "Grant funding may be used to assist a municipality.",
            "Grantees are announced in May.",
            "Applications must be received by May.",
            "Only one proposal is accepted.",
            "Eligible costs are listed in the guide.",
            "Funds go to eligible applicants.",
            "The exhibition is open to the public.",
            "Projects must be located in the city.",
            "You can apply for a loan online.",
            "Declined proposals are ineligible for resubmission.",
            "Applicants must identify one partner.",
            "The program is open to all approaches.",
            "Those eligible to apply must:",
            "Phase II is open only to scholars of Phase I.",
            "Only past training grantees are eligible to apply as a partner.",
            "All principal investigators must be registered.",
            "Students work with artists.",
            "La solicitud deberá ser firmada.",
            "Los gastos pueden ser subvencionados.",
            "Se pueden solicitar informes por correo.",
            "El plazo está abierto hasta mayo.",
            "Los requisitos técnicos figuran en el anexo.",
            "Las obras deberán estar terminadas.",
            "El proyecto es de interés para empresas.",
        ] {
            assert_eq!(sentence(text), None, "{text}");
        }
    }

    #[test]
    fn a_list_is_quoted_with_the_line_that_announces_it() {
        let list =
            "A grant.\nEligible applicants include:\n\n- Public libraries,\n- Cities.\n\nCosts:\n- Books";
        assert_eq!(sentence(list).unwrap(), "Eligible applicants include: Public libraries; Cities");
        assert_eq!(sentence(&list.replace("applicants", "costs")), None);
        assert_eq!(sentence(&"a:\n".repeat(300_000)), None, "read once, not once for each colon");
    }

    #[test]
    fn a_note_limits_applicants_without_naming_them() {
        for text in ["Any CAC that seeks a partner.", "Must be part of it.", "For eligible school entities."]
        {
            assert!(LIMITS.find(text).is_some(), "{text}");
        }
        for text in
            ["Local match of 15%.", "Eligible projects include trails.", "Funds may only be used for roads."]
        {
            assert!(LIMITS.find(text).is_none(), "{text}");
        }
        assert_eq!(beginning("See https://a.example/guide.pdf"), None);
    }

    #[test]
    fn those_whom_an_organization_supports_do_not_apply() {
        for text in
            ["To be eligible, scholars must be enrolled.", "Scholarship recipients must be U.S. citizens."]
        {
            assert!(SUPPORTED.find(text).is_some() && sentence(text).is_some(), "{text}");
            assert_eq!(speaking(text, |it| SUPPORTED.find(it).is_none()), None);
        }
    }

    #[test]
    fn a_note_is_quoted_where_it_speaks_of_applicants_and_whole_where_it_is_short() {
        let filler = "Costs are listed. ".repeat(40);
        let paragraphs = "Open to all fields.\n\n Applicants must be cities.";
        for (text, expected) in [
            ("By invitation only", "By invitation only"),
            (paragraphs, "Open to all fields. Applicants must be cities."),
            ("Purchase of land for habitat.", ""),
            ("https://a.example/guide.pdf", ""),
        ] {
            assert_eq!(note(text).unwrap_or_default(), expected);
        }
        let late = note(&format!("{filler}Applicants must be U.S. citizens.")).unwrap();
        let end = "… Applicants must be U.S. citizens.";
        assert!(late.starts_with("Costs are") && late.ends_with(end), "{late}");
        let early = note(&format!("Public agencies. {filler}")).unwrap();
        assert!(early.starts_with("Public agencies. Costs are") && early.ends_with('…'), "{early}");
        assert_eq!(note(&filler), None);
    }

    #[test]
    fn a_quotation_is_short_and_ends_where_a_part_does() {
        let long = format!("Applicants must be residents{}", "; of a county that has a park".repeat(90));
        let quoted = sentence(&long).unwrap();
        assert!(quoted.chars().count() <= QUOTED + 1 && quoted.ends_with("a park…"), "{quoted}");
        assert_eq!(sentence(&"a.".repeat(500_000)), None, "read once, not once for each mark");
        let expected = ["1. One U.S. word.", "Two!", "Three"];
        assert_eq!(sentences("1. One U.S. word. Two!\n- Three").collect::<Vec<_>>(), expected);
    }
}
