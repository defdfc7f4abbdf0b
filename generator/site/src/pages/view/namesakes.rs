//! What tells programs of one name apart: the year of the latest round, the call in the address of the official page, the
//! name of the round, the beginning of the summary, the day of the round, or the slug.

use std::collections::{BTreeSet, HashMap};

use jiff::civil::Date;
use snapshot::record::{Cycle, Directory};
use snapshot::text::fold;
use snapshot::truncate::at_word;

/// Longest mark, in characters.
const MARK: usize = 60;

/// A mark of each program that shares its name with another, by the program's number. The marks of a name differ.
pub(in crate::pages) fn namesakes(directory: &Directory) -> HashMap<usize, String> {
    let mut named: HashMap<String, Vec<usize>> = HashMap::new();
    for (number, program) in directory.programs.iter().enumerate() {
        named.entry(fold(program.name.trim())).or_default().push(number);
    }
    let shared = named.into_values().filter(|programs| programs.len() > 1);
    shared.flat_map(|programs| programs.clone().into_iter().zip(marks(directory, &programs))).collect()
}

/// The first kind of mark that all programs have and no two share. Slugs always differ.
fn marks(directory: &Directory, programs: &[usize]) -> Vec<String> {
    let differ = |mark: &dyn Fn(usize) -> Option<String>| {
        let marks: Vec<String> = programs.iter().map(|program| mark(*program)).collect::<Option<_>>()?;
        (BTreeSet::from_iter(&marks).len() == programs.len()).then_some(marks)
    };
    let year = |program| Some(date(latest_round(directory, program)?)?.year().to_string());
    let call = |program: usize| call(&directory.programs[program].official_url);
    let round = |program| Some(at_word(&latest_round(directory, program)?.label, MARK).into_owned());
    let summary =
        |program: usize| Some(at_word(directory.programs[program].summary.as_deref()?, MARK).into_owned());
    let day = |program| Some(date(latest_round(directory, program)?)?.to_string());
    let slug = |program: usize| Some(directory.programs[program].slug.to_string());
    let kinds: [&dyn Fn(usize) -> Option<String>; 6] = [&year, &call, &round, &summary, &day, &slug];
    kinds.into_iter().find_map(differ).unwrap_or_default()
}

/// The last value of the address's query, else the last part of its path.
fn call(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let value = url.query_pairs().map(|(_, value)| value.into_owned()).last();
    let part = || url.path_segments()?.rfind(|part| !part.is_empty()).map(str::to_owned);
    value.or_else(part).filter(|it| !it.is_empty() && it.chars().count() <= MARK)
}

fn latest_round(directory: &Directory, program: usize) -> Option<&Cycle> {
    let cycles = directory.program_links[program].cycles.iter().map(|cycle| &directory.cycles[*cycle]);
    cycles.max_by_key(|cycle| (date(cycle), cycle.id))
}

fn date(cycle: &Cycle) -> Option<Date> {
    cycle.deadline_on.or(cycle.opens_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_call_in_its_query_or_at_its_end() {
        for (address, expected) in [
            ("https://a.example/calls/CALL-2026-01", Some("CALL-2026-01")),
            ("https://a.example/calls/CALL-2026-01/", Some("CALL-2026-01")),
            ("https://a.example/list.aspx?SID=10-23", Some("10-23")),
            ("https://a.example/", None),
            ("https://a.example/list?q=", None),
            ("no address", None),
        ] {
            assert_eq!(call(address).as_deref(), expected, "{address}");
        }
    }
}
