//! Judged questions, as `relevance/*.json` has them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Those over the embedded sample.
pub const SAMPLE: &str = include_str!("../../relevance/sample.json");
/// Those over the published dataset.
pub const PUBLISHED: &str = include_str!("../../relevance/published.json");
/// Tasks of people who look for something of their own, over the published dataset.
pub const SEEKERS: &str = include_str!("../../relevance/seekers.json");

/// The class of questions about places that no record names.
pub const ABSENT_PLACE: &str = "absent-place";

/// The grade of a record that answers its question.
pub const ANSWERS: u8 = 2;

/// A question and what answers it.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What is asked.
    pub text: String,
    /// In which language.
    pub locale: String,
    /// What kind of question it is.
    pub class: String,
    /// Codes of the places that are meant.
    pub places: Vec<String>,
    /// Misspelled words and what was meant by them.
    pub slips: BTreeMap<String, String>,
    /// Grades of records by slug; all others have none.
    pub grades: BTreeMap<String, u8>,
}

impl Judged {
    /// Reads a file of questions.
    #[must_use]
    pub fn read(file: &str) -> Vec<Self> {
        let questions: Vec<Value> = serde_json::from_str(file).unwrap();
        questions.iter().map(Self::of).collect()
    }

    fn of(value: &Value) -> Self {
        let text = |name: &str| value[name].as_str().unwrap().to_owned();
        let slips = value["slips"].as_object().into_iter().flatten();
        let places = value["places"].as_array().into_iter().flatten();
        let grades = value["relevant"].as_object().unwrap().iter();
        Self {
            text: text("q"),
            locale: text("locale"),
            class: text("class"),
            places: places.map(|code| code.as_str().unwrap().to_owned()).collect(),
            slips: slips.map(|(slip, meant)| (slip.clone(), meant.as_str().unwrap().to_owned())).collect(),
            grades: grades.map(|(slug, grade)| (slug.clone(), grade.as_u64().unwrap() as u8)).collect(),
        }
    }

    /// Whether no record has what is asked for, however near some come.
    #[must_use]
    pub fn is_matchless(&self) -> bool {
        self.grades.is_empty() || self.class == ABSENT_PLACE
    }

    /// What is wanted among the first rows: the records that answer, or those that nearly do where none does.
    pub fn wanted(&self) -> impl Iterator<Item = &str> {
        let best = self.grades.values().copied().max().unwrap_or_default();
        self.grades.iter().filter(move |(_, grade)| **grade == best).map(|(slug, _)| slug.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_unique_in_known_languages_with_grades_one_and_two() {
        for file in [SAMPLE, PUBLISHED, SEEKERS] {
            let questions = Judged::read(file);
            let mut texts: Vec<&str> = questions.iter().map(|judged| judged.text.as_str()).collect();
            texts.sort_unstable();
            assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
            for judged in &questions {
                assert!(["en", "es"].contains(&judged.locale.as_str()), "{}", judged.text);
                assert!(judged.grades.values().all(|grade| (1..=ANSWERS).contains(grade)), "{}", judged.text);
                assert!(judged.grades.len() <= 40, "{}", judged.text);
            }
        }
    }
}
