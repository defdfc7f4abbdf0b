//! When applications are taken, in the words of a source.

use jiff::tz::TimeZone;

use crate::facet::eligibility::sentences;
use crate::patterns::Patterns;
use crate::record::{Directory, EntityRef, Fact, Locale};
use crate::time::is_filler;

/// How the label of a round states that rounds come again, or never end.
static RETURNS: Patterns = Patterns::new(
    "annual|annually|yearly|biannual|recurring|reoccurring|quarterly|rolling|continuous\nbi|tri|semi annual\n\
    always open\nyear round\none time\ninvitation only\neach|every year|spring|summer|fall|autumn|winter\n\
    anual|permanente\ncada ano|primavera|otono\ntodo el ano",
);
/// How a sentence states when applications are taken.
static TAKEN: Patterns = Patterns::new(
    "proposals|applications ... ... accepted|submitted|received|welcome|considered ... at any time|point\n\
    accepts|accepted ... proposals|applications ... ... ... year round\n\
    proposals|applications ... submitted annually\napplications ... submitted by ... each|every year\n\
    two|three|four cycles|rounds|deadlines a|per* year\n\
    solicitudes ... presentarse ... en cualquier momento\ntodo el ano",
);

/// When applications are taken in the words of the source: the deadline in a note `deadline-text`, the label of the last
/// round where it states how rounds return, or a sentence of the description or of a note; with the entity and the field that
/// have it. Where a cycle has the day of a deadline, only the label.
pub fn deadline_in_words<'a>(
    directory: &'a Directory,
    program: usize,
    locale: Locale,
) -> Option<(&'a str, EntityRef, &'static str)> {
    let (links, it) = (&directory.program_links[program], &directory.programs[program]);
    let cycles = || links.cycles.iter().map(|cycle| &directory.cycles[*cycle]);
    let noted = |fact: &'a Fact| {
        Some((directory.translation(fact.entity(), locale, "text").or(fact.text.as_deref())?, fact))
    };
    let notes = directory.facts_of(program).filter(|fact| fact.kind == "note").filter_map(noted);
    let label = || {
        let last = cycles().max_by_key(|cycle| (cycle.deadline_on, cycle.opens_on))?;
        RETURNS.find(&last.label)?;
        Some((directory.text(last.entity(), locale, "label", &last.label), last.entity(), "label"))
    };
    if cycles().any(|cycle| cycle.deadline_on.is_some()) {
        return label();
    }
    let published = directory.dataset.published_at.to_zoned(TimeZone::UTC).date();
    let is_filler = |fact: &Fact| {
        fact.text
            .as_deref()
            .is_some_and(|text| text.trim().parse().is_ok_and(|day| is_filler(day, published)))
    };
    let stated = notes.clone().find(|(_, fact)| fact.is_deadline() && !is_filler(fact));
    let stated = stated.map(|(text, fact)| (text, fact.entity(), "text"));
    let spoken = |(text, of, field)| {
        sentences(text).find(|sentence| TAKEN.find(sentence).is_some()).map(|sentence| (sentence, of, field))
    };
    let sentence = || {
        let description =
            directory.translation(it.entity(), locale, "description").or(it.description.as_deref());
        let description = description.map(|text| (text, it.entity(), "description"));
        let notes = notes.map(|(text, fact)| (text, fact.entity(), "text"));
        description.into_iter().chain(notes).find_map(spoken)
    };
    stated.or_else(label).or_else(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_states_how_rounds_return() {
        let returns = "Annual|Annual: opens every spring|Bi-Annual|Always Open|Open Year Round|One time";
        for label in returns.split('|') {
            assert!(RETURNS.find(label).is_some(), "{label}");
        }
        for label in ["2026", "Application period", "PD-24-1699", "Other", "Nov 1, 2026"] {
            assert!(RETURNS.find(label).is_none(), "{label}");
        }
    }

    #[test]
    fn a_sentence_states_when_applications_are_taken() {
        for sentence in [
            "Proposals to the cluster are welcome at any time.",
            "Applications may be submitted at any time during the year.",
            "NSF accepts proposals under this description year-round.",
            "Two cycles/year: May 1 and Nov 1",
            "Las solicitudes podrán presentarse en cualquier momento.",
        ] {
            assert!(TAKEN.find(sentence).is_some(), "{sentence}");
        }
        for sentence in [
            "The program can be changed at any time.",
            "Some 30 grants are awarded every year.",
            "Award decisions are made on a rolling basis.",
            "It promotes year-round tourism.",
        ] {
            assert!(TAKEN.find(sentence).is_none(), "{sentence}");
        }
    }
}
