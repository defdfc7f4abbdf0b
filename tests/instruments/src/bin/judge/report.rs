//! Tables of a run, and what changed since another.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use ::tests::judge::measure::Share;
use ::tests::judge::{Desk, Judged, Means, Run, Score};
use ::tests::synth::rng::Rng;
use xxhash_rust::xxh3::xxh3_64;

const HEAD: &str = "  n  recall@10    MRR  nDCG@10   zero  false  guess  concept";
/// Differences of a question's gain that are told.
const TOLD: f64 = 0.1;
/// Samples of a bootstrap.
const SAMPLES: usize = 1_000;

/// Whether a question reports and chooses no constants: one of three, by the hash of its text, so that nobody chooses.
pub(crate) fn is_reporting(judged: &Judged) -> bool {
    xxh3_64(judged.text.as_bytes()).is_multiple_of(3)
}

/// What the answer to a question is worth, if it was asked and something answers it.
fn score(run: &Run, judged: &Judged) -> Option<Score> {
    Score::of(judged, run.answers.get(&judged.text)?)
}

/// One line for each class, for each part, and for all questions.
pub(crate) fn table(run: &Run, desk: &Desk<'_>, questions: &[Judged]) -> String {
    let mut out = format!("{:<16}{HEAD}\n", run.name);
    let classes: BTreeSet<&str> = questions.iter().map(|judged| judged.class.as_str()).collect();
    for class in classes {
        line(&mut out, class, &run.means(desk, questions.iter().filter(|judged| judged.class == class)));
    }
    for (name, reports) in [("to choose with", false), ("to report with", true)] {
        let part = questions.iter().filter(|judged| is_reporting(judged) == reports);
        line(&mut out, name, &run.means(desk, part));
    }
    line(&mut out, "all", &run.means(desk, questions));
    out
}

/// One line for each run, and how much its gain differs from that of the first.
pub(crate) fn summary(runs: &[Run], desk: &Desk<'_>, questions: &[Judged]) -> String {
    let mut out = format!("{:<16}{HEAD}\n", "");
    for run in runs {
        line(&mut out, &run.name, &run.means(desk, questions));
        if run.name != runs[0].name {
            out.pop();
            let _ = writeln!(out, "  {}", difference(&runs[0], run, questions));
        }
    }
    out
}

fn line(out: &mut String, name: &str, means: &Means) {
    let share = |share: Share| share.value().map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
    let Means { count, recall, reciprocal, gain, .. } = means;
    let _ = writeln!(
        out,
        "{name:<16}{count:>3}{recall:>11.3}{reciprocal:>7.3}{gain:>9.3}{:>7}{:>7}{:>7}{:>9}",
        share(means.empty),
        share(means.false_match),
        share(means.wrong_guess),
        share(means.wrong_concept),
    );
}

/// The mean difference in gain and the interval that it is in.
fn difference(before: &Run, after: &Run, questions: &[Judged]) -> String {
    let differences = differences(before, after, questions);
    let values: Vec<f64> = differences.iter().map(|(difference, _)| *difference).collect();
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (low, high) = bootstrap(&values);
    format!("nDCG {mean:+.3} ({low:+.3} to {high:+.3})")
}

/// By how much each question's gain differs, of those that both runs asked.
fn differences<'a>(before: &Run, after: &Run, questions: &'a [Judged]) -> Vec<(f64, &'a Judged)> {
    let one = |judged: &'a Judged| Some((score(after, judged)?.gain - score(before, judged)?.gain, judged));
    questions.iter().filter_map(one).collect()
}

/// What changed since a run of the same variant: the mean, and every question that changed much,
/// the worst first.
pub(crate) fn changes(before: &Run, after: &Run, questions: &[Judged]) -> String {
    let mut out = format!("{}: {}\n", after.name, difference(before, after, questions));
    let mut differences = differences(before, after, questions);
    differences.retain(|(difference, _)| difference.abs() >= TOLD);
    differences.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (difference, judged) in differences {
        let _ = writeln!(out, "{difference:+.2}  {:<16}{}", judged.class, judged.text);
    }
    out
}

/// Every question whose answer lacks something, the worst first, with the first rows.
pub(crate) fn misses(run: &Run, questions: &[Judged]) -> String {
    let mut missed: Vec<(f64, &Judged)> = questions
        .iter()
        .filter_map(|judged| Some((score(run, judged)?.gain, judged)))
        .filter(|(gain, _)| *gain < 1.0 - TOLD)
        .collect();
    missed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut out = format!("{}\n", run.name);
    for (gain, judged) in missed {
        let found = &run.answers[&judged.text].found;
        let _ = writeln!(out, "{gain:.2}  {:<16}{}", judged.class, judged.text);
        let lacking: Vec<&str> =
            judged.wanted().filter(|slug| !found.iter().any(|found| found == slug)).take(5).collect();
        let _ = writeln!(out, "      lacks {}", lacking.join(" "));
        let first: Vec<&str> = found.iter().take(5).map(String::as_str).collect();
        let _ = writeln!(out, "      first {}", first.join(" "));
    }
    out
}

/// The interval that holds 95 of 100 means of differences drawn with replacement; seeded.
pub(crate) fn bootstrap(differences: &[f64]) -> (f64, f64) {
    if differences.is_empty() {
        return (0.0, 0.0);
    }
    let mut rng = Rng::new(&[1]);
    let count = differences.len();
    let mut mean = || {
        let drawn = (0..count).map(|_| differences[rng.below(count)]);
        drawn.sum::<f64>() / count as f64
    };
    let mut means: Vec<f64> = (0..SAMPLES).map(|_| mean()).collect();
    means.sort_unstable_by(f64::total_cmp);
    (means[SAMPLES / 40], means[SAMPLES - 1 - SAMPLES / 40])
}
