//! Organizations with their leaders, channels, posts and aliases; award recipients.

use std::io;

use serde_json::{Value, json};

use super::output::Output;
use super::rng::Rng;
use super::words::{Language, slug};
use super::world::{Age, Kind, World, day, instant};

const ORGANIZATION_FORMS: [&str; 8] =
    ["Foundation", "Agency", "Institute", "Fundación", "Council", "Ministerio", "Trust", "Society"];
const ROLES: [&str; 5] = ["Director", "Chair", "Program officer", "Treasurer", "Presidenta"];
const CHANNELS: [&str; 5] = ["website", "newsletter", "rss", "contact_page", "mastodon"];

/// Writes one organization and what belongs to it.
pub(super) fn write_organization(world: &World, output: &mut Output, index: usize) -> io::Result<()> {
    let mut rng = world.rng(Kind::Organization, index);
    let rng = &mut rng;
    let id = world.uuid(Kind::Organization, index, 0);
    let form = rng.pick(&ORGANIZATION_FORMS);
    let name = format!("{} {form}", world.words.title(rng, Language::English, 1..=4));
    let slug = format!("{}-{index}", slug(&name));
    let website = format!("https://{slug}.example.org/");
    let acronym = acronym(&name);
    let age = Age::draw(rng);
    let organization = json!({
        "id": id, "slug": slug, "name": name,
        "countryCode": rng.percent(90).then(|| world.places.country(rng)),
        "websiteUrl": rng.percent(85).then_some(&website),
        "description": rng.percent(60).then(|| world.words.text(rng, Language::English, 20..=80)),
        "aliases": rng.percent(40).then_some(&acronym).as_slice(),
        "createdAt": age.created, "updatedAt": age.updated
    });
    output.write("organizations", organization)?;
    if rng.percent(30) {
        let slug = format!("{}-{index}", acronym.to_lowercase());
        output.write("aliases", alias("organization", &id, &slug))?;
    }
    if rng.percent(30) {
        let fields = json!({"name": world.words.title(rng, Language::Spanish, 2..=5)});
        output.write("translations", translation("organization", &id, "es", &fields))?;
    }
    write_source(world, rng, output, index, &website)?;
    write_people(world, rng, output, index)?;
    write_channels(world, rng, output, index, &website)
}

fn write_source(
    world: &World,
    rng: &mut Rng,
    output: &mut Output,
    index: usize,
    website: &str,
) -> io::Result<()> {
    let retrieved = -2 - rng.below(400) as i32;
    let at = instant(rng, retrieved);
    let source = json!({
        "id": world.uuid(Kind::OrganizationSource, index, 0), "entityType": "organization",
        "entityId": world.uuid(Kind::Organization, index, 0), "kind": "directory_page", "url": website,
        "title": rng.percent(70).then(|| world.words.title(rng, Language::English, 2..=6)),
        "retrievedAt": at, "sourceCheckedAt": at, "createdAt": at, "updatedAt": at
    });
    output.write("sources", source)
}

fn write_people(world: &World, rng: &mut Rng, output: &mut Output, index: usize) -> io::Result<()> {
    for n in 0..rng.weighted(&[30, 40, 20, 10]) {
        let started = -200 - rng.below(4_000) as i32;
        let left = rng.percent(30).then(|| day(started + rng.below(190) as i32));
        let leader = json!({
            "id": world.uuid(Kind::Leader, index, n), "organizationId": world.uuid(Kind::Organization, index, 0),
            "name": world.words.person(rng), "role": rng.pick(&ROLES),
            "startedOn": rng.percent(80).then(|| day(started)), "endedOn": left
        });
        output.write("leaders", leader)?;
    }
    Ok(())
}

fn write_channels(
    world: &World,
    rng: &mut Rng,
    output: &mut Output,
    index: usize,
    website: &str,
) -> io::Result<()> {
    let organization = world.uuid(Kind::Organization, index, 0);
    for n in 0..rng.weighted(&[20, 40, 25, 15]) {
        let kind = rng.pick(&CHANNELS);
        let channel = json!({
            "id": world.uuid(Kind::Channel, index, n), "organizationId": organization, "kind": kind,
            "url": format!("{website}{kind}/{n}"),
            "label": rng.percent(50).then(|| world.words.title(rng, Language::English, 2..=4))
        });
        output.write("channels", channel)?;
    }
    for n in 0..rng.weighted(&[60, 25, 10, 5]) {
        let post = json!({
            "id": world.uuid(Kind::Post, index, n), "organizationId": organization,
            "title": world.words.title(rng, Language::English, 4..=10), "url": format!("{website}posts/{n}"),
            "summary": rng.percent(80).then(|| world.words.text(rng, Language::English, 10..=30)),
            "publishedOn": day(-2 - rng.below(1_200) as i32)
        });
        output.write("posts", post)?;
    }
    Ok(())
}

/// Writes one recipient: mostly persons, then organizations, then teams.
pub(super) fn write_recipient(world: &World, output: &mut Output, index: usize) -> io::Result<()> {
    let mut rng = world.rng(Kind::Recipient, index);
    let rng = &mut rng;
    let id = world.uuid(Kind::Recipient, index, 0);
    let (kind, name) = match rng.weighted(&[70, 22, 8]) {
        0 => ("person", world.words.person(rng)),
        1 => ("organization", world.words.title(rng, Language::English, 2..=5)),
        _ => ("team", format!("Team {}", world.words.title(rng, Language::English, 1..=2))),
    };
    let slug = format!("{}-{index}", slug(&name));
    let age = Age::draw(rng);
    let biography = rng.percent(20).then(|| world.words.text(rng, Language::English, 15..=50));
    let recipient = json!({
        "id": id, "slug": slug, "displayName": name, "kind": kind,
        "countryCode": rng.percent(70).then(|| world.places.country(rng)),
        "websiteUrl": rng.percent(10).then(|| format!("https://{slug}.example.com/")), "biography": biography,
        "createdAt": age.created, "updatedAt": age.updated
    });
    output.write("recipients", recipient)?;
    if rng.percent(1) {
        output.write("aliases", alias("recipient", &id, &format!("former-{slug}")))?;
    }
    if biography.is_some() && rng.percent(20) {
        let fields = json!({"biography": world.words.text(rng, Language::Spanish, 15..=50)});
        output.write("translations", translation("recipient", &id, "es", &fields))?;
    }
    Ok(())
}

/// An alias record.
pub(super) fn alias(entity_type: &str, id: &str, slug: &str) -> Value {
    json!({"entityType": entity_type, "entityId": id, "slug": slug})
}

/// A translation record.
pub(super) fn translation(entity_type: &str, id: &str, locale: &str, fields: &Value) -> Value {
    json!({"entityType": entity_type, "entityId": id, "locale": locale, "fields": fields})
}

/// The initials of a name, ASCII letters only.
pub(super) fn acronym(name: &str) -> String {
    slug(name)
        .split('-')
        .filter_map(|word| word.chars().next())
        .map(|letter| letter.to_ascii_uppercase())
        .collect()
}
