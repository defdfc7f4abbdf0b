//! Template variables of an organization, and of the list of organizations.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use html::templates::here;
use html::{Rule, search_address};
use minijinja::{Value, context};
use snapshot::page::text::grouped;
use snapshot::record::{Locale, ORGANIZATION};
use snapshot::truncate::at_word;

use super::award::AWARDS;
use super::{ABOUT, SUMMARY, outside_address};
use crate::pages::Pages;
use dataset::Table;

/// Maximum number of entries in the list of organizations.
const LISTED: usize = 250;
/// Most hosts of official pages.
const HOSTS: usize = 3;

impl Pages<'_> {
    /// Everything about an organization.
    pub(in crate::pages) fn organization_view(&self, organization: usize, locale: Locale) -> Value {
        let it = &self.directory.organizations[organization];
        let links = &self.directory.organization_links[organization];
        let about = (it.entity(), self.default_language());
        let post = |post: &usize| {
            let it = &self.directory.posts[*post];
            let href = outside_address(Some(&it.url))?;
            let day = it.published_on.map(|date| self.date(date, locale));
            Some(context! { href, day, title => &it.title })
        };
        let channel = |channel: &usize| {
            let it = &self.directory.channels[*channel];
            let href = outside_address(Some(&it.url))?;
            Some(context! { href, text => it.label.as_deref().unwrap_or(&it.kind) })
        };
        let leader = |leader: &usize| {
            let it = &self.directory.leaders[*leader];
            context! { name => &it.name, role => it.role.as_deref() }
        };
        let description =
            self.directory.optional_text(it.entity(), locale, "description", it.description.as_deref());
        context! {
            name => self.text(about, locale, "name", &it.name),
            about => self.lines(about, locale, ("description", it.description.as_deref()), (None, ABOUT)),
            description => description.map(|text| at_word(text, SUMMARY)),
            country => self.country(it.country_code.as_deref(), locale),
            record => self.record(ORGANIZATION, it, about, locale),
            hosts => self.hosts(organization),
            programs => (!links.programs.is_empty()).then(|| self.programs_of(organization, locale)),
            programs_all => (links.programs.len() > 1).then(|| {
                let count = grouped(links.programs.len() as u64, locale);
                context! {
                    href => search_address(locale, "", &[("organization", &it.slug)]),
                    text => self.phrase(locale, "org_programs_all", &[("n", &count)]),
                }
            }),
            posts => links.posts.iter().take(10).filter_map(post).collect::<Vec<_>>(),
            channels => links.channels.iter().filter_map(channel).collect::<Vec<_>>(),
            leaders => links.leaders.iter().map(leader).collect::<Vec<_>>(),
            awards => self.awards(&links.awards, AWARDS, locale),
            awards_shown => self.shown(&links.awards, AWARDS, locale),
            json => format!("/api/v1/organizations/{}", it.slug),
            json_ld => self.organization_json_ld(organization, locale),
        }
    }

    /// Hosts of the official pages of its programs, the most frequent first.
    fn hosts(&self, organization: usize) -> Vec<String> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for program in &self.directory.organization_links[organization].programs {
            let url = url::Url::parse(&self.directory.programs[*program].official_url).ok();
            if let Some(host) = url.as_ref().and_then(|url| url.host_str()) {
                *counts.entry(host.trim_start_matches("www.").to_owned()).or_default() += 1;
            }
        }
        let mut hosts: Vec<(String, usize)> = counts.into_iter().collect();
        hosts.sort_by_key(|(_, count)| Reverse(*count));
        hosts.into_iter().take(HOSTS).map(|(host, _)| host).collect()
    }

    /// Programs by state and deadline: a hole.
    fn programs_of(&self, organization: usize, locale: Locale) -> Value {
        let slug = &self.directory.organizations[organization].slug;
        let found = self.html.and_then(|_| self.site.index.organizations.named(slug));
        let mark = found.map(|number| Rule::Organization.mark(number as usize, locale));
        Value::from_safe_string(mark.unwrap_or_default())
    }

    /// The organizations with the most opportunities, by name.
    pub(in crate::pages) fn organizations_view(&self, locale: Locale) -> Value {
        let all = &self.directory.organizations;
        let count = |at: usize| self.directory.organization_links[at].programs.len();
        let name = |at: usize| self.directory.text(all[at].entity(), locale, "name", &all[at].name);
        let mut most: Vec<usize> = (0..all.len()).collect();
        most.sort_by_key(|at| (Reverse(count(*at)), all[*at].id));
        most.truncate(LISTED);
        most.sort_by_cached_key(|at| (name(*at).to_lowercase(), all[*at].id));
        let item = |at: &usize| {
            context! {
                href => here(&format!("/organizations/{}", all[*at].slug), locale),
                name => self.text((all[*at].entity(), self.default_language()), locale, "name", &all[*at].name),
                count => grouped(count(*at) as u64, locale),
            }
        };
        let items: Vec<Value> = most.iter().map(item).collect();
        let (n, m) = (grouped(items.len() as u64, locale), grouped(all.len() as u64, locale));
        context! {
            intro => self.word(locale, "organizations_intro"),
            rest => (items.len() < all.len()).then(|| self.phrase(locale, "list_rest", &[("n", &n), ("m", &m)])),
            table => format!("/data/{}.csv", Table::Organizations.name()),
            items,
        }
    }
}
