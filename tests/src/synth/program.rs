//! Programs with their cycles, sources, lifecycle history, awards, aliases and translations.

use std::io;

use serde_json::json;

use super::directory::{acronym, alias, translation};
use super::facts;
use super::output::Output;
use super::rng::Rng;
use super::words::{Language, slug};
use super::world::{Age, DEADLINE_SPREAD_DAYS, Kind, World, day, instant, money, year};

/// Deadlines that many cycles share, as offsets in days.
const SHARED_DEADLINES: [i32; 8] = [-325, -66, 9, 24, 40, 71, 130, 221];
const LIFECYCLE_WEIGHTS: [usize; 8] = [30, 24, 16, 12, 6, 5, 3, 4];
const REASONS: [&str; 4] = [
    "deadline passed",
    "new call published",
    "page no longer answers",
    "status changed in the provider's feed",
];

/// One program while its records are written.
pub(super) struct Program<'w> {
    pub(super) world: &'w World,
    pub(super) index: usize,
    pub(super) rng: Rng,
    pub(super) id: String,
    pub(super) language: Language,
    pub(super) age: Age,
    /// Facts written so far.
    pub(super) facts: usize,
    lifecycle: usize,
    cycles: usize,
}

/// Writes one program and everything that hangs on it.
pub(super) fn write(world: &World, output: &mut Output, index: usize) -> io::Result<()> {
    let mut rng = world.rng(Kind::Program, index);
    let mut program = Program {
        world,
        index,
        id: world.uuid(Kind::Program, index, 0),
        language: if rng.percent(3) { Language::Spanish } else { Language::English },
        age: Age::draw(&mut rng),
        facts: 0,
        lifecycle: rng.weighted(&LIFECYCLE_WEIGHTS),
        cycles: rng.weighted(&[15, 40, 25, 12, 8]),
        rng,
    };
    program.write_record(output)?;
    (0..program.cycles).try_for_each(|n| program.write_cycle(output, n))?;
    facts::write(&mut program, output)?;
    program.write_sources(output)?;
    program.write_lifecycle(output)?;
    program.write_awards(output)?;
    program.write_translation(output)
}

impl Program<'_> {
    fn write_record(&mut self, output: &mut Output) -> io::Result<()> {
        let Self { world, index, ref mut rng, language, ref age, .. } = *self;
        let World { words, facets, places, .. } = world;
        let name = words.title(rng, language, 4..=8);
        let slug = format!("{}-{index}", slug(&name));
        let organization = heavy_tail(rng, world.organizations(), 3);
        let field_count = rng.between(0, 4) as usize;
        let career_count = rng.weighted(&[40, 25, 20, 10, 5]);
        let maximum = rng.percent(60).then(|| money(rng));
        let minimum = maximum.filter(|_| rng.percent(70)).map(|sum| sum / [1, 2, 4, 5, 10][rng.below(5)]);
        let checked = rng.percent(90).then(|| instant(rng, -2));
        let is_alias_known = rng.percent(15);

        let mut record = json!({
            "id": self.id, "organizationId": world.uuid(Kind::Organization, organization, 0), "slug": slug,
            "name": name, "summary": rng.percent(97).then(|| words.text(rng, language, 20..=40)),
            "description": rng.percent(98).then(|| words.text(rng, language, 60..=160)),
            "programType": facets.of("types").draw(rng),
            "fields": facets.of("fields").draw_distinct(rng, field_count),
            "eligibleCountries": places.list(rng), "destinationCountries": places.list(rng),
            "careerStages": facets.of("careers").draw_distinct(rng, career_count),
            "fundingMinUsd": minimum, "fundingMaxUsd": maximum,
            "officialUrl": format!("https://programs.example.org/{slug}"),
            "lifecycleCheckedAt": checked, "sourceCheckedAt": checked,
            "language": (language == Language::Spanish).then_some("es"),
            "aliases": is_alias_known.then(|| acronym(&name)).as_slice(),
            "createdAt": age.created, "updatedAt": age.updated
        });
        record["publication"] = [None, Some("draft"), Some("withdrawn")][rng.weighted(&[993, 5, 2])].into();
        record["lifecycle"] = self.lifecycle_name(self.lifecycle).into();
        output.write("programs", record)?;
        if self.rng.percent(3) {
            output.write("aliases", alias("program", &self.id, &format!("former-{slug}")))?;
        }
        Ok(())
    }

    fn lifecycle_name(&self, rank: usize) -> &str {
        &self.world.facets.of("lifecycles").values[rank].value
    }

    fn write_cycle(&mut self, output: &mut Output, n: usize) -> io::Result<()> {
        let rng = &mut self.rng;
        let dates = CycleDates::draw(rng);
        let anchor = dates.deadline.or(dates.opens).unwrap_or(0);
        let id = self.world.uuid(Kind::Cycle, self.index, n);
        let starts = anchor + rng.between(30, 200);
        let mut optional = |percent, offset| rng.percent(percent).then(|| day(offset));
        let mut cycle = json!({
            "id": id, "programId": self.id, "label": format!("{} call {}", year(anchor), n + 1),
            "opensOn": dates.opens.map(day), "deadlineOn": dates.deadline.map(day),
            "selectionOn": optional(15, anchor + 20), "decisionOn": optional(40, anchor + 28),
            "startsOn": optional(40, starts), "endsOn": optional(25, starts + 365), "status": dates.status,
            "createdAt": self.age.created, "updatedAt": self.age.updated
        });
        let has_source = rng.percent(10);
        let address = || format!("https://apply.example.org/{}/{n}", self.index);
        cycle["applicationUrl"] = rng.percent(70).then(address).into();
        cycle["cohortYear"] = rng.percent(60).then_some(year(anchor)).into();
        output.write("cycles", cycle)?;
        if has_source {
            let source = self.world.uuid(Kind::CycleSource, self.index, n);
            self.write_source(output, &source, "cycle", &id, "call_page")?;
        }
        Ok(())
    }

    fn write_sources(&mut self, output: &mut Output) -> io::Result<()> {
        let program = self.id.clone();
        self.write_source(output, &self.source_id(), "program", &program, "official_page")?;
        if self.rng.percent(30) {
            let dataset = self.world.uuid(Kind::ProgramSource, self.index, 1);
            self.write_source(output, &dataset, "program", &program, "dataset")?;
        }
        Ok(())
    }

    /// The source every program has.
    pub(super) fn source_id(&self) -> String {
        self.world.uuid(Kind::ProgramSource, self.index, 0)
    }

    fn write_source(
        &mut self,
        output: &mut Output,
        id: &str,
        entity_type: &str,
        entity_id: &str,
        kind: &str,
    ) -> io::Result<()> {
        let rng = &mut self.rng;
        let at = instant(rng, self.age.updated_offset);
        let words = &self.world.words;
        let source = json!({
            "id": id, "entityType": entity_type, "entityId": entity_id, "kind": kind,
            "url": format!("https://sources.example.org/{}/{kind}", self.index),
            "title": rng.percent(50).then(|| words.title(rng, self.language, 3..=8)),
            "publisher": rng.percent(60).then(|| words.title(rng, self.language, 1..=3)),
            "publishedOn": rng.percent(10).then(|| day(self.age.updated_offset - 30)),
            "retrievedAt": at, "sourceCheckedAt": at, "createdAt": at, "updatedAt": at
        });
        output.write("sources", source)
    }

    fn write_lifecycle(&mut self, output: &mut Output) -> io::Result<()> {
        let steps = self.rng.weighted(&[45, 35, 15, 5]);
        let mut from = None;
        for step in 0..steps {
            let to = if step + 1 == steps { self.lifecycle } else { self.rng.weighted(&LIFECYCLE_WEIGHTS) };
            let at = self.age.updated_offset - 120 * (steps - step) as i32;
            let transition = json!({
                "id": self.world.uuid(Kind::Transition, self.index, step), "programId": self.id,
                "fromLifecycle": from.map(|from| self.lifecycle_name(from)),
                "toLifecycle": self.lifecycle_name(to), "observedAt": instant(&mut self.rng, at),
                "reason": self.rng.percent(70).then(|| self.rng.pick(&REASONS)),
                "sourceId": self.rng.percent(20).then(|| self.source_id())
            });
            output.write("lifecycle", transition)?;
            from = Some(to);
        }
        Ok(())
    }

    fn write_awards(&mut self, output: &mut Output) -> io::Result<()> {
        if !self.rng.percent(12) {
            return Ok(());
        }
        for n in 0..1 + self.rng.weighted(&[35, 20, 10, 10, 8, 5, 4, 3]) * self.rng.between(1, 3) as usize {
            self.write_award(output, n)?;
        }
        Ok(())
    }

    fn write_award(&mut self, output: &mut Output, n: usize) -> io::Result<()> {
        let Self { world, index, ref mut rng, language, .. } = *self;
        let recipient = heavy_tail(rng, world.recipients(), 2);
        let has_cycle = self.cycles > 0 && rng.percent(50);
        let cycle = has_cycle.then(|| world.uuid(Kind::Cycle, index, rng.below(self.cycles)));
        let id = world.uuid(Kind::Award, index, n);
        let mut award = json!({
            "id": id, "programId": self.id, "cycleId": cycle,
            "recipientId": world.uuid(Kind::Recipient, recipient, 0), "awardYear": 2026 - heavy_tail(rng, 20, 2),
            "createdAt": self.age.created, "updatedAt": self.age.updated
        });
        let is_titled = rng.percent(80);
        award["awardAmountUsd"] = rng.percent(60).then(|| money(rng)).into();
        award["projectTitle"] = is_titled.then(|| world.words.title(rng, language, 4..=10)).into();
        award["publicNotes"] = rng.percent(30).then(|| world.words.text(rng, language, 10..=40)).into();
        output.write("awards", award)?;
        if is_titled && rng.percent(5) {
            let fields = json!({"projectTitle": world.words.title(rng, Language::Spanish, 4..=10)});
            output.write("translations", translation("award", &id, "es", &fields))?;
        }
        Ok(())
    }

    /// A fifth of the English programs are translated, half of the Spanish ones.
    fn write_translation(&mut self, output: &mut Output) -> io::Result<()> {
        let (locale, language, percent) = match self.language {
            Language::English => ("es", Language::Spanish, 20),
            Language::Spanish => ("en", Language::English, 50),
        };
        if !self.rng.percent(percent) {
            return Ok(());
        }
        let words = &self.world.words;
        let rng = &mut self.rng;
        let fields = json!({
            "name": words.title(rng, language, 4..=8),
            "summary": rng.percent(95).then(|| words.text(rng, language, 20..=40)),
            "description": rng.percent(90).then(|| words.text(rng, language, 60..=160))
        });
        output.write("translations", translation("program", &self.id, locale, &fields))
    }
}

/// The dates of a cycle as offsets in days, and the status its source stated.
struct CycleDates {
    opens: Option<i32>,
    deadline: Option<i32>,
    status: Option<&'static str>,
}

impl CycleDates {
    fn draw(rng: &mut Rng) -> Self {
        match rng.weighted(&[78, 7, 10, 5]) {
            0 => Self::dated(rng),
            1 => Self {
                opens: rng.percent(50).then(|| rng.between(-400, 0)),
                deadline: None,
                status: Some("rolling"),
            },
            2 => Self {
                opens: Some(rng.between(-400, 200)),
                deadline: None,
                status: rng.pick(&[None, Some("open"), Some("closed"), Some("upcoming")]),
            },
            _ => Self { opens: None, deadline: None, status: rng.pick(&[None, Some("unknown")]) },
        }
    }

    /// With a deadline; the stated status is left out in two cases of five and wrong in one of thirty.
    fn dated(rng: &mut Rng) -> Self {
        let deadline = match rng.percent(15) {
            true => rng.pick(&SHARED_DEADLINES),
            false => rng.between(-DEADLINE_SPREAD_DAYS, DEADLINE_SPREAD_DAYS),
        };
        let is_opening_wrong = rng.below(500) == 0;
        let lead = if is_opening_wrong { -5 } else { rng.between(14, 160) };
        let opens = rng.percent(80).then_some(deadline - lead);
        let honest = match opens {
            _ if deadline < 0 => "closed",
            Some(opens) if opens > 0 => "upcoming",
            _ => "open",
        };
        let status = match rng.weighted(&[58, 2, 40]) {
            0 => Some(honest),
            1 => Some("open"),
            _ => None,
        };
        Self { opens, deadline: Some(deadline), status }
    }
}

/// A number below `n`, the small ones far more often: `n * u^power` for a uniform `u`.
fn heavy_tail(rng: &mut Rng, n: usize, power: u32) -> usize {
    let mut value = n;
    for _ in 0..power {
        value = rng.below(value.max(1));
    }
    value
}
