//! Organizations, recipients of awards and programs, each with what belongs to it.

use serde_json::{Value, json};
use snapshot::text::fold;

use super::lists::Lists;
use super::rng::Rng;
use super::{Options, day_after};

/// Deadlines that many cycles share; those of the others are at most so many days off.
const SHARED_DEADLINES: [i32; 8] = [-325, -66, 9, 24, 40, 71, 130, 221];
const DEADLINE_SPREAD: i32 = 548;

/// Tables and their rows.
pub(super) type Rows = Vec<(&'static str, Value)>;

/// What a record is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Organization,
    Recipient,
    Program,
}

/// A record while its rows are made. All is drawn from the random numbers of the seed, its kind and its number, and the
/// first of them are its id, so that nothing written needs to be remembered.
pub(super) struct Record<'l> {
    pub(super) lists: &'l Lists,
    options: Options,
    index: usize,
    pub(super) rng: Rng,
    pub(super) id: String,
    /// The language of its texts, and the other one.
    locales: [&'static str; 2],
    created: String,
    pub(super) updated: String,
    pub(super) rows: Rows,
}

/// How many records there are.
pub(super) fn count(options: &Options, kind: Kind) -> usize {
    [(options.programs / 20).max(1), (options.programs * 2 / 5).max(1), options.programs][kind as usize]
}

fn rng_of(options: Options, kind: Kind, index: usize) -> Rng {
    Rng::new(&[options.seed, kind as u64, index as u64])
}

impl<'l> Record<'l> {
    /// The rows of one record.
    pub(super) fn rows(lists: &'l Lists, options: Options, kind: Kind, index: usize) -> Rows {
        let mut rng = rng_of(options, kind, index);
        let id = rng.uuid();
        let is_spanish = matches!(kind, Kind::Program) && rng.percent(3);
        let locales = if is_spanish { ["es", "en"] } else { ["en", "es"] };
        let created = rng.between(-3_600, -2);
        let changed = rng.between(created, -2);
        let updated = instant(&mut rng, changed);
        let created = format!("{}T00:00:00Z", day_after(created));
        let mut record = Self { lists, options, index, rng, id, locales, created, updated, rows: Vec::new() };
        match kind {
            Kind::Organization => record.organization(),
            Kind::Recipient => record.recipient(),
            Kind::Program => record.program(),
        }
        record.rows
    }

    fn organization(&mut self) {
        let (name, slug) = self.name((2, 5));
        let website = format!("https://{slug}.example.org/");
        let row = json!({
            "id": self.id, "slug": slug, "name": name, "countryCode": self.maybe(90, |it| it.one("countries")),
            "websiteUrl": self.rng.percent(85).then_some(&website), "description": self.text(60, (20, 80)),
            "aliases": self.rng.percent(40).then(|| acronym(&name)).as_slice(),
            "createdAt": self.created, "updatedAt": self.updated
        });
        self.rows.push(("organizations", row));
        self.alias(30, "organization", &slug);
        self.translate(30, "organization", &self.id.clone(), &[("name", (2, 5))]);
        self.source("organization", &self.id.clone(), "directory_page", &website);
        self.several("leaders", &[30, 40, 20, 10], |it, _| {
            let started = it.rng.between(-4_200, -200);
            let left = it.maybe(30, |_| day_after(started + 190));
            json!({"name": it.text(100, (2, 3)), "role": "Director", "startedOn": day_after(started), "endedOn": left})
        });
        self.several("channels", &[20, 40, 25, 15], |it, n| {
            let kind = it.rng.pick(&["website", "newsletter", "rss", "contact_page", "mastodon"]);
            json!({"kind": kind, "url": format!("{website}{kind}/{n}"), "label": it.text(50, (2, 4))})
        });
        self.several("posts", &[60, 25, 10, 5], |it, n| {
            let published = day_after(it.rng.between(-1_200, -2));
            let (title, summary) = (it.text(100, (4, 10)), it.text(80, (10, 30)));
            json!({"title": title, "url": format!("{website}posts/{n}"), "summary": summary, "publishedOn": published})
        });
    }

    /// Rows of a table that belong to an organization.
    fn several(&mut self, table: &'static str, weights: &[usize], make: impl Fn(&mut Self, usize) -> Value) {
        for n in 0..self.rng.weighted(weights) {
            let mut row = make(self, n);
            row["id"] = self.rng.uuid().into();
            row["organizationId"] = self.id.as_str().into();
            self.rows.push((table, row));
        }
    }

    /// Mostly a person, else an organization or a team.
    fn recipient(&mut self) {
        let (name, slug) = self.name((2, 4));
        let biography = self.text(20, (15, 50));
        let kind = ["person", "organization", "team"][self.rng.weighted(&[70, 22, 8])];
        let percent = if biography.is_some() { 20 } else { 0 };
        let row = json!({
            "id": self.id, "slug": slug, "displayName": name, "kind": kind,
            "countryCode": self.maybe(70, |it| it.one("countries")),
            "websiteUrl": self.maybe(10, |_| format!("https://{slug}.example.com/")), "biography": biography,
            "createdAt": self.created, "updatedAt": self.updated
        });
        self.rows.push(("recipients", row));
        self.alias(1, "recipient", &slug);
        self.translate(percent, "recipient", &self.id.clone(), &[("biography", (15, 50))]);
    }

    fn program(&mut self) {
        let (id, lists, lifecycle) = (self.id.clone(), self.lists, self.one("lifecycles"));
        let (name, slug) = self.name((4, 8));
        let organization = self.other(Kind::Organization, 3);
        let maximum = self.maybe(60, |it| money(&mut it.rng));
        let minimum =
            maximum.filter(|_| self.rng.percent(70)).map(|sum| sum / self.rng.pick(&[1, 2, 4, 5, 10]));
        let checked = self.maybe(90, |it| instant(&mut it.rng, -2));
        let publication = [None, Some("draft"), Some("withdrawn")][self.rng.weighted(&[993, 5, 2])];
        let (fields, careers) = (self.rng.below(5), self.rng.weighted(&[40, 25, 20, 10, 5]));
        let row = json!({
            "id": id, "organizationId": organization, "slug": slug, "name": name,
            "summary": self.text(97, (20, 40)), "description": self.text(98, (60, 160)),
            "programType": self.one("types"), "fields": lists.of("fields").draw_distinct(&mut self.rng, fields),
            "eligibleCountries": self.countries(), "destinationCountries": self.countries(),
            "careerStages": lists.of("careers").draw_distinct(&mut self.rng, careers),
            "fundingMinUsd": minimum, "fundingMaxUsd": maximum,
            "officialUrl": format!("https://programs.example.org/{slug}"),
            "lifecycleCheckedAt": checked, "sourceCheckedAt": checked,
            "language": (self.locales[0] == "es").then_some("es"),
            "aliases": self.maybe(15, |_| acronym(&name)).as_slice(),
            "lifecycle": lifecycle, "publication": publication,
            "createdAt": self.created, "updatedAt": self.updated
        });
        self.rows.push(("programs", row));
        self.alias(3, "program", &slug);
        let address = format!("https://sources.example.org/{}/", self.index);
        let source = self.source("program", &id, "official_page", &address);
        self.maybe(30, |it| it.source("program", &id, "dataset", &address));
        let cycles: Vec<String> =
            (0..self.rng.weighted(&[15, 40, 25, 12, 8])).map(|n| self.cycle(n)).collect();
        self.facts(&source);
        self.transitions(lifecycle, &source);
        if self.rng.percent(12) {
            let more = self.rng.weighted(&[35, 20, 10, 10, 8, 5, 4, 3]) as i32 * self.rng.between(1, 3);
            (0..=more).for_each(|_| self.award(&cycles));
        }
        // A fifth of the English programs are translated, half of the Spanish ones.
        let percent = if self.locales[0] == "en" { 20 } else { 50 };
        let texts = [("name", (4, 8)), ("summary", (20, 40)), ("description", (60, 160))];
        self.translate(percent, "program", &id, &texts);
    }

    fn cycle(&mut self, n: usize) -> String {
        let (opens, deadline, status) = season(&mut self.rng);
        let anchor = deadline.or(opens).unwrap_or(0);
        let starts = anchor + self.rng.between(30, 200);
        let (id, year) = (self.rng.uuid(), day_after(anchor).year());
        let row = json!({
            "id": id, "programId": self.id, "label": format!("{year} call {}", n + 1),
            "opensOn": opens.map(day_after), "deadlineOn": deadline.map(day_after),
            "selectionOn": self.maybe(15, |_| day_after(anchor + 20)),
            "decisionOn": self.maybe(40, |_| day_after(anchor + 28)),
            "startsOn": self.maybe(40, |_| day_after(starts)), "endsOn": self.maybe(25, |_| day_after(starts + 365)),
            "applicationUrl": self.maybe(70, |it| format!("https://apply.example.org/{}/{n}", it.index)),
            "cohortYear": self.maybe(60, |_| year), "status": status,
            "createdAt": self.created, "updatedAt": self.updated
        });
        self.rows.push(("cycles", row));
        let address = format!("https://sources.example.org/{}/{n}/", self.index);
        self.maybe(10, |it| it.source("cycle", &id, "call_page", &address));
        id
    }

    fn transitions(&mut self, last: &str, source: &str) {
        let mut from = None;
        for left in (0..self.rng.weighted(&[45, 35, 15, 5]) as i32).rev() {
            let to = if left == 0 { last } else { self.one("lifecycles") };
            let row = json!({
                "id": self.rng.uuid(), "programId": self.id, "fromLifecycle": from, "toLifecycle": to,
                "observedAt": instant(&mut self.rng, -120 * (left + 1)),
                "reason": self.rng.percent(70).then_some("a new call was published"),
                "sourceId": self.rng.percent(20).then_some(source)
            });
            self.rows.push(("lifecycle", row));
            from = Some(to);
        }
    }

    fn award(&mut self, cycles: &[String]) {
        let id = self.rng.uuid();
        let row = json!({
            "id": id, "programId": self.id, "recipientId": self.other(Kind::Recipient, 2),
            "cycleId": cycles.get(self.rng.below(2 * cycles.len())), "awardYear": 2026 - heavy_tail(&mut self.rng, 20, 2),
            "awardAmountUsd": self.maybe(60, |it| money(&mut it.rng)), "projectTitle": self.text(100, (3, 8)),
            "publicNotes": self.text(30, (10, 40)), "createdAt": self.created, "updatedAt": self.updated
        });
        self.rows.push(("awards", row));
        self.translate(4, "award", &id, &[("projectTitle", (4, 10))]);
    }

    fn source(&mut self, entity: &str, id: &str, kind: &str, url: &str) -> String {
        let (source, at) = (self.rng.uuid(), &self.updated.clone());
        let row = json!({
            "id": source, "entityType": entity, "entityId": id, "kind": kind, "url": format!("{url}{kind}"),
            "title": self.text(50, (3, 8)), "publisher": self.text(60, (1, 3)), "publishedOn": self.maybe(10, |_| "2019-03-01"),
            "retrievedAt": at, "sourceCheckedAt": at, "createdAt": at, "updatedAt": at
        });
        self.rows.push(("sources", row));
        source
    }

    fn alias(&mut self, percent: usize, entity: &str, slug: &str) {
        let row = json!({"entityType": entity, "entityId": self.id, "slug": format!("former-{slug}")});
        self.maybe(percent, |it| it.rows.push(("aliases", row)));
    }

    fn translate(&mut self, percent: usize, entity: &str, id: &str, texts: &[(&str, (i32, i32))]) {
        if self.rng.percent(percent) {
            let locale = self.locales[1];
            let text = |(name, words): &(&str, _)| {
                ((*name).to_owned(), self.lists.text(&mut self.rng, locale, *words).into())
            };
            let fields: serde_json::Map<_, _> = texts.iter().map(text).collect();
            let row = json!({"entityType": entity, "entityId": id, "locale": locale, "fields": fields});
            self.rows.push(("translations", row));
        }
    }

    pub(super) fn maybe<T>(&mut self, percent: usize, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.rng.percent(percent).then(|| make(self))
    }

    /// One item of a list.
    pub(super) fn one(&mut self, list: &str) -> &'l str {
        self.lists.of(list).draw(&mut self.rng)
    }

    /// A text of so many words, in so many of a hundred cases.
    pub(super) fn text(&mut self, percent: usize, words: (i32, i32)) -> Option<String> {
        self.maybe(percent, |it| it.lists.text(&mut it.rng, it.locales[0], words))
    }

    /// A name and the slug made of it.
    fn name(&mut self, words: (i32, i32)) -> (String, String) {
        let name = self.lists.text(&mut self.rng, self.locales[0], words);
        let slug = format!("{}-{}", fold(&name).replace(' ', "-"), self.index);
        (name, slug)
    }

    /// The id of another record, of which few are named often.
    fn other(&mut self, kind: Kind, power: usize) -> String {
        let index = heavy_tail(&mut self.rng, count(&self.options, kind), power);
        rng_of(self.options, kind, index).uuid()
    }
}

/// The initials of a name.
fn acronym(name: &str) -> String {
    name.split(' ').filter_map(|word| word.chars().next()).flat_map(char::to_uppercase).collect()
}

/// Some time of a day.
fn instant(rng: &mut Rng, days: i32) -> String {
    format!("{}T{:02}:{:02}:{:02}Z", day_after(days), rng.below(24), rng.below(60), rng.below(60))
}

/// A sum of money, from hundreds to millions.
pub(super) fn money(rng: &mut Rng) -> u64 {
    let digits = rng.pick(&[10, 15, 20, 25, 30, 40, 50, 60, 75, 90]);
    digits * [10, 100, 1_000, 10_000, 100_000][rng.weighted(&[10, 30, 35, 20, 5])]
}

/// A number below `n`, the small ones far more often: `n * u^power` for a uniform `u`.
fn heavy_tail(rng: &mut Rng, n: usize, power: usize) -> usize {
    (0..power).fold(n, |most, _| rng.below(most.max(1)))
}

/// When a cycle opens and ends, in days from today, and the status that its source states: of those with a deadline it is
/// left out in two cases of five and wrong in one of thirty. One of 500 opens too late.
fn season(rng: &mut Rng) -> (Option<i32>, Option<i32>, Option<&'static str>) {
    let is_shared = rng.percent(15);
    let spread = rng.between(-DEADLINE_SPREAD, DEADLINE_SPREAD);
    let deadline = if is_shared { rng.pick(&SHARED_DEADLINES) } else { spread };
    let opening = deadline - if rng.below(500) == 0 { -5 } else { rng.between(14, 160) };
    let opens = rng.percent(80).then_some(opening);
    let honest = match deadline {
        ..0 => "closed",
        _ if opening > 0 => "upcoming",
        _ => "open",
    };
    let any = rng.pick(&[None, Some("open"), Some("closed"), Some("upcoming")]);
    match rng.weighted(&[45, 2, 31, 7, 10, 5]) {
        0 => (opens, Some(deadline), Some(honest)),
        1 => (opens, Some(deadline), Some("open")),
        2 => (opens, Some(deadline), None),
        3 => (opens.filter(|day| *day < 0), None, Some("rolling")),
        4 => (Some(opening), None, any),
        _ => (None, None, any.and(Some("unknown"))),
    }
}
