//! Queries to the lists: organizations, cycles, awards and recipients.

use super::value::{Complaints, Paging, clamp, is_junk, is_slug, pairs, parse_flag, parse_year, set};
use super::{LIMIT_DEFAULT, LIMIT_RANGE, LIST_TEXT_MAX, OFFSET_RANGE, PAGE_RANGE, Page};
use crate::distinct::distinct;
use crate::record::{RecipientKind, words};

/// Repeatable parameter of the lists whose rows are of programs.
const ORGANIZATION: &str = "organization";

/// A query to one of the lists. Fields that a list does not know stay at their default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Which rows.
    pub page: Page,
    /// Cycles: what is over, too.
    pub past: bool,
    /// Recipients: part of the display name.
    pub text: Option<String>,
    /// Recipients: received an award in that year; with a program, of that program in that year.
    pub year: Option<i32>,
    /// Recipients: received an award of that program; with a year, in that year.
    pub program: Option<String>,
    /// Recipients: of that kind.
    pub kind: Option<RecipientKind>,
    /// Cycles and awards: slugs of organizations, of whose programs they are; sorted, each once.
    pub organizations: Vec<String>,
}

words! {
    /// Which list a query goes to.
    List {
        /// `/organizations`
        Organizations = "organizations",
        /// `/cycles`
        Cycles = "cycles",
        /// `/awards`
        Awards = "awards",
        /// `/recipients`
        Recipients = "recipients",
    }
}

impl List {
    /// Its parameters, in the contract's order.
    pub(crate) const fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Organizations => &["page", "limit", "offset"],
            Self::Awards => &["page", "limit", "offset", ORGANIZATION],
            Self::Cycles => &["page", "limit", "offset", "upcoming", ORGANIZATION],
            Self::Recipients => &["page", "limit", "offset", "q", "year", "program", "kind"],
        }
    }
}

/// Reads a query to a list. `organization` finds the slug of an organization by that or a former one.
pub fn parse_list<'s>(
    list: List,
    query: &str,
    organization: impl Fn(&str) -> Option<&'s str>,
) -> (ListQuery, Vec<String>) {
    let mut parsed = ListQuery::default();
    let mut complaints = Complaints::default();
    let parameters = list.parameters();
    let mut seen = vec![None; parameters.len()];
    let mut paging = Paging::default();
    for (name, value) in pairs(query) {
        let Some(rank) = parameters.iter().position(|parameter| *parameter == name) else {
            if !is_junk(&name) {
                complaints.add(parameters.len(), &name, &value);
            }
            continue;
        };
        if parameters[rank] == ORGANIZATION && !value.is_empty() {
            match organization(&value) {
                Some(slug) => parsed.organizations.push(slug.to_owned()),
                None => complaints.add(rank, &name, &value),
            }
            continue;
        }
        let repeats = seen[rank].get_or_insert_with(|| value.clone()) != &value;
        if !value.is_empty() && (repeats || !parsed.take(parameters[rank], &value, &mut paging)) {
            complaints.add(rank, &name, &value);
        }
    }
    parsed.page = paging.page();
    parsed.organizations = distinct(parsed.organizations);
    (parsed, complaints.finish())
}

impl ListQuery {
    fn take(&mut self, name: &str, value: &str, paging: &mut Paging) -> bool {
        match name {
            "page" => clamp(value, PAGE_RANGE, &mut paging.number),
            "limit" => clamp(value, LIMIT_RANGE, &mut paging.limit),
            "offset" => clamp(value, OFFSET_RANGE, &mut paging.offset),
            "upcoming" => parse_flag(value).map(|on| self.past = !on).is_some(),
            "q" => set(&mut self.text, Some(value.to_owned()).filter(|q| q.chars().count() <= LIST_TEXT_MAX)),
            "year" => set(&mut self.year, parse_year(value)),
            "program" => set(&mut self.program, Some(value.to_owned()).filter(|slug| is_slug(slug))),
            "kind" => set(&mut self.kind, RecipientKind::parse(value)),
            _ => false,
        }
    }

    /// The query as a query string that parses to itself; defaults left out.
    pub fn canonical(&self) -> String {
        let pairs = [
            ("limit", (self.page.limit != LIMIT_DEFAULT).then(|| self.page.limit.to_string())),
            ("offset", (self.page.offset != 0).then(|| self.page.offset.to_string())),
            ("upcoming", self.past.then(|| "false".to_owned())),
            ("q", self.text.clone()),
            ("year", self.year.map(|year| year.to_string())),
            ("program", self.program.clone()),
            ("kind", self.kind.map(|kind| kind.as_str().to_owned())),
        ];
        let organizations = self.organizations.iter().map(|slug| (ORGANIZATION, Some(slug.clone())));
        let stated = pairs.into_iter().chain(organizations).filter_map(|(name, value)| Some((name, value?)));
        form_urlencoded::Serializer::new(String::new()).extend_pairs(stated).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_takes_the_page_as_a_search_does() {
        for list in List::ALL.iter().copied() {
            let page = |query: &str| {
                let (parsed, invalid) = parse_list(list, query, |_| None);
                ((parsed.page.offset, parsed.page.limit), invalid)
            };
            assert_eq!(page("page=3&limit=50"), ((100, 50), vec![]));
            assert_eq!(page("limit=50&page=2"), ((50, 50), vec![]));
            assert_eq!(page("page=3&offset=7"), ((7, 20), vec![]));
            assert_eq!(page("page=0"), ((0, 20), vec!["page=0".to_owned()]));
            assert_eq!(page("page=two"), ((0, 20), vec!["page=two".to_owned()]));
            assert_eq!(page("page=2&page=3"), ((20, 20), vec!["page=3".to_owned()]));
        }
    }
}
