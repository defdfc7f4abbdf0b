//! All questions, answered in one way.

use std::collections::BTreeMap;

use crate::judge::desk::{Answer, Desk, Variant};
use crate::judge::judged::Judged;
use crate::judge::measure::Means;

/// Answers of one variant by question.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The variant's name.
    pub name: String,
    /// Answers by what was asked.
    pub answers: BTreeMap<String, Answer>,
}

impl Run {
    /// Asks all questions.
    #[must_use]
    pub fn of(variant: &Variant, desk: &Desk<'_>, questions: &[Judged]) -> Self {
        let ask = |judged: &Judged| (judged.text.clone(), (variant.ask)(desk, judged));
        Self { name: variant.name.to_owned(), answers: questions.iter().map(ask).collect() }
    }

    /// Means over some questions, as far as they have answers.
    #[must_use]
    pub fn means<'a>(&self, desk: &Desk<'_>, questions: impl IntoIterator<Item = &'a Judged>) -> Means {
        let asked = questions.into_iter().map(|judged| (judged, self.answers.get(&judged.text)));
        let asked = asked.filter_map(|(judged, answer)| Some((judged, answer?)));
        Means::of(asked, &|slug, concept| desk.holds(slug, concept))
    }
}
