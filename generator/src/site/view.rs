//! What templates are given about a record: texts with their language, dates and amounts in words,
//! labels with links. Nothing here decides how it looks.

use std::cmp::Reverse;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use minijinja::{Value, context};
use snapshot::facet::{FACETS, Facet, Spec, listed, named_values};
use snapshot::page::hole::Rule;
use snapshot::page::html::{arg, grouped};
use snapshot::page::money::Speech;
use snapshot::page::plain::checked;
use snapshot::record::{EntityRef, Fact, Locale, Number, Polarity, Program, Strength};

use super::{Pages, here};
use crate::read::Table;

/// Values of a facet that a record's page shows before the rest is folded away.
const VALUES: usize = 12;
/// Awards on the page of a program or an organization; the API has all.
const AWARDS: usize = 12;
/// Awards on the page of a recipient.
const AWARDS_RECEIVED: usize = 40;
/// Programs on the page of an organization; search has all.
const PROGRAMS: usize = 60;
/// Characters of a description on a page; the Markdown twin has all.
const ABOUT: usize = 4000;
/// Entries of the lists of organizations and recipients.
const LISTED: usize = 250;
/// Characters of the title of a project that was funded.
const PROJECT: usize = 100;
/// Characters of a summary in a row.
const SUMMARY: usize = 220;

/// Address of a search for one value.
pub(super) fn question(locale: Locale, parameter: &str, value: &str) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair(parameter, value);
    format!("{}?{}", here("/programs", locale), query.finish())
}

/// A link to another site, if it is one that a browser may follow.
pub(super) fn outside(address: Option<&str>) -> Option<Value> {
    let address = address?;
    let url = url::Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let host = url.host_str()?.trim_start_matches("www.").to_owned();
    Some(context! { href => address, host })
}

/// UTC day of an instant.
pub(super) fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

impl Pages<'_> {
    /// A date in words.
    pub(super) fn date_words(&self, date: Date, locale: Locale) -> String {
        let month = self.word(locale, &format!("month_{}", date.month()));
        let (d, y) = (date.day().to_string(), date.year().to_string());
        self.phrase(locale, "date", &[("d", &d), ("month", month), ("y", &y)])
    }

    fn date(&self, date: Date, locale: Locale) -> Value {
        context! { iso => date.to_string(), text => self.date_words(date, locale) }
    }

    /// A text in the asked language, or in the original with that language's name.
    fn text(
        &self,
        (of, original_language): (EntityRef, &str),
        locale: Locale,
        field: &str,
        original: &str,
    ) -> Value {
        let text = self.directory.text(of, locale, field, original);
        context! { text, lang => self.foreign((of, original_language), locale, field) }
    }

    /// The language of a text that is not there in the asked one.
    fn foreign(&self, (of, original): (EntityRef, &str), locale: Locale, field: &str) -> Option<String> {
        let translated =
            self.directory.translations.get(&(of, locale)).is_some_and(|it| it.contains_key(field));
        (!translated && original != locale.as_str()).then(|| original.to_owned())
    }

    fn language<'p>(&'p self, program: &'p Program) -> &'p str {
        program.language.as_deref().unwrap_or(self.default_language())
    }

    fn default_language(&self) -> &'static str {
        self.directory.dataset.default_locale.as_str()
    }

    /// A long text, line by line: whole, and as much of it as a page shows.
    fn lines(
        &self,
        about: (EntityRef, &str),
        locale: Locale,
        field: &str,
        original: Option<&str>,
    ) -> Option<Value> {
        let text = self.directory.optional_text(about.0, locale, field, original)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        let (brief, cut) = beginning(&lines, ABOUT);
        let lines: Vec<Value> = lines.into_iter().map(Value::from).collect();
        Some(context! { lines, brief, cut, lang => self.foreign(about, locale, field) })
    }

    /// State and deadline of a program: a hole.
    pub(super) fn when(&self, program: usize, locale: Locale) -> Value {
        let doc = self.numbers.doc_of[program] as usize;
        Value::from_safe_string(Rule::When.mark(arg(doc, locale)))
    }

    pub(super) fn facts(&self, program: usize) -> Vec<&Fact> {
        self.directory.program_links[program].facts.iter().map(|fact| &self.directory.facts[*fact]).collect()
    }

    fn provider(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.organizations[self.directory.program_links[program].organization];
        context! {
            href => here(&format!("/organizations/{}", it.slug), locale),
            ..self.text((it.entity(), self.default_language()), locale, "name", &it.name)
        }
    }

    /// Who can apply, in a line.
    fn who(&self, program: usize, locale: Locale) -> Option<String> {
        const MOST: usize = 3;
        let record = &self.directory.programs[program];
        let facts = self.facts(program);
        let of =
            |facet: Facet| named_values(facet, record, &facts).into_iter().map(move |value| (facet, value));
        let people: Vec<_> = of(Facet::Applicants).chain(of(Facet::Careers)).collect();
        let places = [Facet::Citizenships, Facet::Residences, Facet::Countries]
            .into_iter()
            .map(|facet| of(facet).collect::<Vec<_>>())
            .find(|places| !places.is_empty())
            .unwrap_or_default();
        let listed = |values: Vec<(Facet, &str)>| -> Option<String> {
            let mut labels: Vec<String> =
                values.iter().take(MOST).map(|(facet, value)| self.label(*facet, value, locale)).collect();
            if values.len() > MOST {
                let more = (values.len() - MOST).to_string();
                labels.push(self.phrase(locale, "more", &[("n", &more)]));
            }
            (!labels.is_empty()).then(|| labels.join(", "))
        };
        let parts: Vec<String> = listed(people).into_iter().chain(listed(places)).collect();
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    /// An amount of US dollars.
    pub(super) fn money(&self, amount: Number, locale: Locale) -> String {
        let word = |key: &str| self.word(locale, key);
        Speech { locale, word: &word }.amount(amount.0, "USD")
    }

    /// What a program pays: the source's amounts first.
    fn funding(&self, program: usize, locale: Locale) -> Option<String> {
        let word = |key: &str| self.word(locale, key);
        let label = |fact: &Fact| {
            let text = fact.label.as_deref().or(fact.value.as_deref())?;
            Some(self.directory.text(fact.entity(), locale, "label", text).to_owned())
        };
        let record = &self.directory.programs[program];
        Speech { locale, word: &word }.funding(record, &self.facts(program), label)
    }

    /// The lifecycle that was observed with the day of that; how the dates differ today is a hole.
    fn lifecycle(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let doc = self.numbers.doc_of[program] as usize;
        let label = self.label(Facet::Lifecycles, it.lifecycle.as_str(), locale);
        let date = it.lifecycle_observed_at().map(|time| self.date_words(day(time), locale));
        let observed = checked(&label, date, |key| self.word(locale, key));
        context! { observed, differs => Value::from_safe_string(Rule::Differs.mark(arg(doc, locale))) }
    }

    /// A range of numbers in words.
    fn range(&self, min: Option<String>, max: Option<String>, locale: Locale) -> Option<String> {
        match (min, max) {
            (Some(min), Some(max)) if min == max => Some(min),
            (Some(min), Some(max)) => {
                Some(self.phrase(locale, "range_both", &[("min", &min), ("max", &max)]))
            }
            (Some(min), None) => Some(self.phrase(locale, "range_from", &[("min", &min)])),
            (None, Some(max)) => Some(self.phrase(locale, "range_up_to", &[("max", &max)])),
            (None, None) => None,
        }
    }

    /// What a search row and a record's page both say.
    fn common(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let about = (it.entity(), self.language(it));
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        context! {
            t => self.theme.words(locale),
            slug => &it.slug,
            name => self.text(about, locale, "name", &it.name),
            provider => self.provider(program, locale),
            kind => self.label(Facet::Types, &it.program_type, locale),
            summary => summary.map(|text| context! { text, lang => self.foreign(about, locale, "summary") }),
            who => self.who(program, locale),
            funding => self.funding(program, locale),
            checked => it.source_checked_at.map(|time| self.date(day(time), locale)),
        }
    }

    /// A search row, up to what depends on the day.
    pub(super) fn row(&self, program: usize, locale: Locale) -> Result<String, minijinja::Error> {
        let it = &self.directory.programs[program];
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        let language = self.foreign((it.entity(), self.language(it)), locale, "summary");
        let official = url::Url::parse(&it.official_url).ok();
        let host = official.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        let context = context! {
            href => here(&format!("/programs/{}", it.slug), locale),
            host => host.trim_start_matches("www."),
            summary => summary.map(|text| context! { text => shortened(text, SUMMARY), lang => language }),
            ..self.common(program, locale)
        };
        let row = self.theme.environment.get_template("row.html")?.render(context)?;
        Ok(row.trim().to_owned())
    }

    /// A link to a program with its provider.
    pub(super) fn line(&self, program: usize, locale: Locale) -> Result<String, minijinja::Error> {
        let it = &self.directory.programs[program];
        let context = context! {
            href => here(&format!("/programs/{}", it.slug), locale),
            name => self.text((it.entity(), self.language(it)), locale, "name", &it.name),
            provider => self.provider(program, locale),
        };
        Ok(self.theme.environment.get_template("line.html")?.render(context)?.trim().to_owned())
    }

    /// Everything about a program.
    pub(super) fn program_view(&self, program: usize, locale: Locale) -> Value {
        let it = &self.directory.programs[program];
        let links = &self.directory.program_links[program];
        let about = (it.entity(), self.language(it));
        let suffix = if locale == Locale::Es { "?locale=es" } else { "" };
        let doc = self.numbers.doc_of[program] as usize;
        let summary = self.directory.optional_text(it.entity(), locale, "summary", it.summary.as_deref());
        context! {
            description => summary.map(|text| shortened(text, SUMMARY)),
            when => self.when(program, locale),
            state => Value::from_safe_string(Rule::WhenText.mark(arg(doc, locale))),
            official => outside(Some(&it.official_url)),
            about => self.lines(about, locale, "description", it.description.as_deref()),
            lifecycle => self.lifecycle(program, locale),
            measures => self.measures(program, locale),
            groups => self.groups(program, locale),
            statements => self.statements(program, locale),
            seasons => self.seasons(program, locale),
            awards => self.awards(&links.awards, AWARDS, locale),
            awards_shown => self.shown(&links.awards, AWARDS, locale),
            history => self.history(program, locale),
            sources => self.sources(program, locale),
            updated => self.date(day(it.updated_at), locale),
            json => format!("/api/v1/programs/{}{suffix}", it.slug),
            json_ld => self.program_json_ld(program, locale),
            ..self.common(program, locale)
        }
    }

    /// Age and duration, where they are stated: each once, with all that is said of it.
    fn measures(&self, program: usize, locale: Locale) -> Vec<Value> {
        let facts = self.facts(program);
        let stated = facts.into_iter().filter(|fact| {
            matches!(fact.kind.as_str(), "age" | "duration") && fact.polarity == Polarity::Include
        });
        let of = |fact: &Fact| {
            let number = |it: Option<Number>| it.map(|it| it.to_string());
            let range = self.range(number(fact.min), number(fact.max), locale)?;
            let (name, unit) = if fact.kind == "age" {
                ("program_age", "age_unit".to_owned())
            } else {
                ("program_duration", format!("unit_{}", fact.unit.as_deref()?))
            };
            Some((self.word(locale, name), format!("{range} {}", self.word(locale, &unit))))
        };
        let mut named: Vec<(&str, Vec<String>)> = Vec::new();
        for (name, text) in stated.filter_map(of) {
            match named.iter_mut().find(|(known, _)| *known == name) {
                Some((_, texts)) if texts.contains(&text) => {}
                Some((_, texts)) => texts.push(text),
                None => named.push((name, vec![text])),
            }
        }
        named.into_iter().map(|(name, texts)| context! { name, texts }).collect()
    }

    fn groups(&self, program: usize, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let facts = self.facts(program);
        let group = |spec: &Spec| {
            let mut items: Vec<Value> = named_values(spec.facet, it, &facts)
                .into_iter()
                .map(|value| {
                    let href = question(locale, spec.parameter, value);
                    context! { href, text => self.label(spec.facet, value, locale) }
                })
                .collect();
            let more = items.split_off(items.len().min(VALUES));
            let count = more.len().to_string();
            (!items.is_empty()).then(|| {
                context! {
                    items, more,
                    more_text => self.phrase(locale, "more", &[("n", &count)]),
                    name => self.word(locale, &format!("facet_{}", spec.name)),
                }
            })
        };
        listed().filter_map(group).collect()
    }

    /// Statements that are more than a value: with words of the source, or that do not simply bind.
    fn statements(&self, program: usize, locale: Locale) -> Vec<Value> {
        let it = &self.directory.programs[program];
        let telling = self.facts(program).into_iter().filter(|fact| {
            fact.text.is_some()
                || fact.amount.is_some()
                || fact.polarity == Polarity::Exclude
                || fact.strength == Strength::Preferred
        });
        let view = |fact: &Fact| {
            let facet = FACETS.iter().find(|spec| spec.is_fed_by(&fact.kind));
            let label = match (facet, &fact.value) {
                (Some(spec), Some(value)) => Some(self.label(spec.facet, value, locale)),
                _ => fact.label.or(fact.value).map(|text| text.to_string()),
            };
            let mark = match (fact.polarity, fact.strength) {
                (Polarity::Exclude, _) => Some("program_excluded"),
                (_, Strength::Preferred) => Some("program_preferred"),
                _ => None,
            };
            context! {
                label,
                mark => mark.map(|key| self.word(locale, key)),
                amount => self.stated_amount(fact, locale),
                text => fact.text.as_deref().map(|text| self.text((fact.entity(), self.language(it)), locale, "text", text)),
            }
        };
        telling.map(view).collect()
    }

    /// The amount of a fact, in its currency where it has one.
    fn stated_amount(&self, fact: &Fact, locale: Locale) -> Option<String> {
        let amount = fact.amount?;
        let word = |key: &str| self.word(locale, key);
        Some(match fact.currency.as_deref() {
            Some(currency) => Speech { locale, word: &word }.amount(amount.0, currency),
            None => amount.to_string(),
        })
    }

    fn seasons(&self, program: usize, locale: Locale) -> Vec<Value> {
        let language = self.language(&self.directory.programs[program]);
        let view = |cycle: &usize| {
            let it = &self.directory.cycles[*cycle];
            let number = self.numbers.cycle[*cycle] as usize;
            let days: Vec<Option<Value>> = [it.opens_on, it.deadline_on, it.decision_on, it.starts_on]
                .map(|date| date.map(|date| self.date(date, locale)))
                .into();
            context! {
                label => self.text((it.entity(), language), locale, "label", &it.label),
                href => outside(it.application_url.as_deref()).and_then(|link| link.get_attr("href").ok()),
                status => Value::from_safe_string(Rule::Status.mark(arg(number, locale))),
                days,
            }
        };
        self.directory.program_links[program].cycles.iter().map(view).collect()
    }

    /// `The latest 12 of 34`, where not all are shown.
    fn shown(&self, all: &[usize], most: usize, locale: Locale) -> Option<String> {
        let (n, m) = (most.to_string(), grouped(all.len() as u64, locale));
        (all.len() > most).then(|| self.phrase(locale, "program_awards_shown", &[("n", &n), ("m", &m)]))
    }

    fn awards(&self, awards: &[usize], most: usize, locale: Locale) -> Vec<Value> {
        let view = |award: &usize| {
            let it = &self.directory.awards[*award];
            let links = self.directory.award_links[*award];
            let recipient = &self.directory.recipients[links.recipient];
            let program = &self.directory.programs[links.program];
            context! {
                year => it.award_year,
                href => here(&format!("/recipients/{}", recipient.slug), locale),
                name => self.directory.text(recipient.entity(), locale, "displayName", &recipient.display_name),
                program_href => here(&format!("/programs/{}", program.slug), locale),
                program => self.directory.text(program.entity(), locale, "name", &program.name),
                project => self.directory.optional_text(it.entity(), locale, "projectTitle", it.project_title.as_deref()).map(|text| shortened(text, PROJECT)),
                amount => it.award_amount_usd.map(|amount| self.money(amount, locale)),
            }
        };
        awards.iter().take(most).map(view).collect()
    }

    fn history(&self, program: usize, locale: Locale) -> Vec<Value> {
        let view = |transition: &usize| {
            let it = &self.directory.transitions[*transition];
            context! {
                day => self.date(day(it.observed_at), locale),
                text => self.label(Facet::Lifecycles, it.to_lifecycle.as_str(), locale),
                reason => it.reason.as_deref(),
            }
        };
        self.directory.program_links[program].transitions.iter().map(view).collect()
    }

    fn sources(&self, program: usize, locale: Locale) -> Vec<Value> {
        let view = |source: &usize| {
            let it = &self.directory.sources[*source];
            let title = it.title.as_deref().or(it.url.as_deref()).unwrap_or(&it.kind);
            context! {
                title,
                href => outside(it.url.as_deref()).and_then(|link| link.get_attr("href").ok()),
                publisher => it.publisher.as_deref(),
                day => self.date(day(it.source_checked_at.unwrap_or(it.retrieved_at)), locale),
            }
        };
        self.directory.program_links[program].sources.iter().map(view).collect()
    }

    fn country(&self, code: Option<&str>, locale: Locale) -> Option<&'static str> {
        code.and_then(snapshot::place::find).map(|place| place.name(locale))
    }

    /// Everything about an organization.
    pub(super) fn organization_view(&self, organization: usize, locale: Locale) -> Value {
        let it = &self.directory.organizations[organization];
        let links = &self.directory.organization_links[organization];
        let about = (it.entity(), self.default_language());
        let program = |program: &usize| {
            let record = &self.directory.programs[*program];
            context! {
                href => here(&format!("/programs/{}", record.slug), locale),
                name => self.text((record.entity(), self.language(record)), locale, "name", &record.name),
                kind => self.label(Facet::Types, &record.program_type, locale),
                when => self.when(*program, locale),
            }
        };
        let post = |post: &usize| {
            let it = &self.directory.posts[*post];
            let href = outside(Some(&it.url)).and_then(|link| link.get_attr("href").ok())?;
            let day = it.published_on.map(|date| self.date(date, locale));
            Some(context! { href, day, title => &it.title })
        };
        let channel = |channel: &usize| {
            let it = &self.directory.channels[*channel];
            let href = outside(Some(&it.url)).and_then(|link| link.get_attr("href").ok())?;
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
            about => self.lines(about, locale, "description", it.description.as_deref()),
            description => description.map(|text| shortened(text, SUMMARY)),
            country => self.country(it.country_code.as_deref(), locale),
            website => outside(it.website_url.as_deref()),
            programs => links.programs.iter().take(PROGRAMS).map(program).collect::<Vec<_>>(),
            programs_all => (links.programs.len() > PROGRAMS).then(|| {
                let count = grouped(links.programs.len() as u64, locale);
                context! {
                    href => question(locale, "q", &format!("\"{}\"", it.name.replace('"', " "))),
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

    /// The organizations with the most opportunities, by name.
    pub(super) fn organizations_view(&self, locale: Locale) -> Value {
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
        self.list(items, all.len(), ("organizations_intro", Table::Organizations), locale)
    }

    /// The recipients with the most awards.
    pub(super) fn recipients_view(&self, locale: Locale) -> Value {
        let all = &self.directory.recipients;
        let count = |at: usize| self.directory.recipient_awards[at].len();
        let mut most: Vec<usize> = (0..all.len()).collect();
        most.sort_by_key(|at| (Reverse(count(*at)), &all[*at].display_name, all[*at].id));
        most.truncate(LISTED);
        let item = |at: &usize| {
            let (it, about) = (&all[*at], (all[*at].entity(), self.default_language()));
            context! {
                href => here(&format!("/recipients/{}", it.slug), locale),
                name => self.text(about, locale, "displayName", &it.display_name),
                count => grouped(count(*at) as u64, locale),
            }
        };
        let items: Vec<Value> = most.iter().map(item).collect();
        self.list(items, all.len(), ("recipients_intro", Table::Recipients), locale)
    }

    /// A list of some of `all`; its table has the others.
    fn list(&self, items: Vec<Value>, all: usize, (key, table): (&str, Table), locale: Locale) -> Value {
        let (n, m) = (grouped(items.len() as u64, locale), grouped(all as u64, locale));
        let rest = items.len() < all;
        context! {
            intro => self.word(locale, key),
            rest => rest.then(|| self.phrase(locale, "list_rest", &[("n", &n), ("m", &m)])),
            table => format!("/data/{}.csv", table.name()),
            items,
        }
    }

    /// Everything about a recipient.
    pub(super) fn recipient_view(&self, recipient: usize, locale: Locale) -> Value {
        let it = &self.directory.recipients[recipient];
        let awards = &self.directory.recipient_awards[recipient];
        let about = (it.entity(), self.default_language());
        context! {
            name => self.text(about, locale, "displayName", &it.display_name),
            about => self.lines(about, locale, "biography", it.biography.as_deref()),
            kind => self.word(locale, &format!("recipient_kind_{}", it.kind.as_str())),
            country => self.country(it.country_code.as_deref(), locale),
            website => outside(it.website_url.as_deref()),
            awards => self.awards(awards, AWARDS_RECEIVED, locale),
            awards_shown => self.shown(awards, AWARDS_RECEIVED, locale),
            json => format!("/api/v1/recipients/{}", it.slug),
            json_ld => self.recipient_json_ld(recipient, locale),
        }
    }
}

/// The first lines of a text, the last one cut between words; and whether anything is missing.
fn beginning(lines: &[&str], most: usize) -> (Vec<String>, bool) {
    let (mut left, mut brief) = (most, Vec::new());
    for line in lines {
        let length = line.chars().count();
        if length > left {
            brief.extend((left > most / 10).then(|| shortened(line, left)));
            return (brief, true);
        }
        left -= length;
        brief.push((*line).to_owned());
    }
    (brief, false)
}

/// The first characters of a text, cut between words.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(most) else { return text.to_owned() };
    let cut = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    format!("{}…", text[..cut].trim_end_matches([',', ';', ':', ' ', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_become_links() {
        assert!(outside(Some("javascript:alert(1)")).is_none());
        assert!(outside(Some("data:text/html,x")).is_none());
        let link = outside(Some("https://www.example.org/a")).unwrap();
        assert_eq!(link.get_attr("host").unwrap().to_string(), "example.org");
    }

    #[test]
    fn the_beginning_of_a_text_ends_with_a_whole_word_or_line() {
        let told = |most| beginning(&["one two three", "four five"], most);
        assert_eq!(told(22), (vec!["one two three".to_owned(), "four five".to_owned()], false));
        assert_eq!(told(20), (vec!["one two three".to_owned(), "four…".to_owned()], true));
        assert_eq!(told(14), (vec!["one two three".to_owned()], true));
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        assert_eq!(shortened("one two, three", 10), "one two…");
        assert_eq!(shortened("éé", 2), "éé");
    }
}
