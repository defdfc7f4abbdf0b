//! Damaged indexes. Who may write the files may also write a fitting checksum: a change anywhere
//! must be refused or do no harm, and nothing may panic.

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};
use snapshot::page::list::Numbers;
use snapshot::page::{Site, facet, list, mcp_row, row, search};
use snapshot::query::{FacetQuery, List, Page, parse_list, parse_search};
use snapshot::record::{Directory, EntityType, Locale};
use snapshot::search::build;
use snapshot::search::values::Values;
use snapshot::store::sections::{SectionError, SectionWriter, Sections};
use snapshot::time::Day;
use tests::synth::TODAY;
use xxhash_rust::xxh3::xxh3_64;

use crate::harness::{World, day_after};

/// How many damages are tried; a long run sets `CORRUPTION_CASES`.
fn cases() -> u32 {
    std::env::var("CORRUPTION_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(1_000)
}

/// The three files of an index.
fn files(directory: &Directory) -> [Vec<u8>; 3] {
    let order = build::document_order(directory, Day::new(TODAY));
    let numbers = Numbers::new(directory, &order);
    let mut writer = SectionWriter::default();
    build::write(directory, &order, &mut writer).unwrap();
    let index = writer.finish();
    let values = Values::open(&index, order.len()).unwrap();
    let mut writer = SectionWriter::default();
    row::write(directory, &order, &values, &mut writer);
    mcp_row::write(directory, &order, &mut writer);
    let rows = writer.finish();
    let mut program_of_cycle = vec![0; directory.cycles.len()];
    for (program, links) in directory.program_links.iter().enumerate() {
        links.cycles.iter().for_each(|cycle| program_of_cycle[*cycle] = program);
    }
    let mut writer = SectionWriter::default();
    list::write(directory, &numbers, &program_of_cycle, &mut writer);
    [index, rows, writer.finish()].map(|file| file.bytes().to_vec())
}

/// What happens to four bytes.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Flip(u8),
    Byte(u8),
    Number(u32),
    Off(i32),
}

impl Damage {
    /// Damages the bytes at a position; the header before the table is covered by its own tests.
    fn strike(self, file: &mut [u8], at: Index) {
        const CHECKED_FROM: usize = 16;
        let at = CHECKED_FROM + at.index(file.len() - CHECKED_FROM);
        let word = at.min(file.len() - 4) / 4 * 4;
        let number = u32::from_le_bytes(file[word..word + 4].try_into().unwrap());
        match self {
            Self::Flip(bit) => file[at] ^= 1 << (bit % 8),
            Self::Byte(byte) => file[at] = byte,
            Self::Number(number) => file[word..word + 4].copy_from_slice(&number.to_le_bytes()),
            Self::Off(by) => {
                file[word..word + 4].copy_from_slice(&number.wrapping_add_signed(by).to_le_bytes());
            }
        }
        let checksum = xxh3_64(&file[CHECKED_FROM..]);
        file[8..CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<u8>().prop_map(Damage::Flip),
        any::<u8>().prop_map(Damage::Byte),
        prop_oneof![Just(0), Just(u32::MAX), Just(1 << 31), Just(0x7fff_ffff)].prop_map(Damage::Number),
        (-2..3i32).prop_map(Damage::Off),
    ]
}

fn open(files: &[Vec<u8>; 3]) -> Result<Site, SectionError> {
    let [index, rows, lists] = files;
    Site::open(&Sections::from_bytes(index)?, &Sections::from_bytes(rows)?, &Sections::from_bytes(lists)?)
}

/// Asks everything of a site, so that every section is read.
fn ask(site: &Site) {
    const QUESTIONS: [&str; 9] = [
        "",
        "q=\"soil health\"+nursing&sort=name&locale=es",
        "q=grnat+-labs+traini&sort=recent",
        "q=r%26d+national+science+foundation+becas",
        "citizenship=KE&citizenship=NG&country=US-CA&type=arts&limit=100",
        "openState=open&topic=health&field=energy",
        "open=true&rolling=true&funded=true&page=2",
        "ageMin=10&fundingMax=4000&durationMin=30",
        "deadlineFrom=2026-11-01&limit=3",
    ];
    for days in [0, 30] {
        let dated = site.dated(Day::new(day_after(days)));
        for question in QUESTIONS {
            let (query, invalid) =
                parse_search(question, |facet, value| site.index.values.find(facet, value));
            let _ = search::search(site, &dated, &query, &invalid);
        }
        for of in List::ALL {
            for question in ["", "q=a&year=2025&program=program-1&upcoming=false"] {
                let (query, invalid) = parse_list(of, question);
                let _ = list::list(site, &dated, of, &query, &invalid);
            }
        }
        for spec in &snapshot::facet::FACETS {
            let query = FacetQuery { text: "a".to_owned(), page: Page { offset: 0, limit: 100 } };
            let _ = facet::facet(site, &dated, spec.facet, &query);
            let _ = facet::options(site, &dated, spec.facet, "", Locale::Es);
        }
    }
    let _ = (site.index.find("program-1"), site.index.by_name(), site.index.by_slug());
    let _ = site.lists.canonical_slug(EntityType::Organization, "old-nandu-body");
}

#[test]
fn a_damaged_index_with_a_fitting_checksum_never_panics() {
    let seed = (0..).find(|seed| (5..20).contains(&World::tiny(*seed).directory.programs.len())).unwrap();
    let good = files(&World::tiny(seed).directory);
    ask(&open(&good).unwrap());
    let mut runner =
        TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() });
    let strikes = (0..good.len(), any::<Index>(), damage());
    let test = |(file, at, damage): (usize, Index, Damage)| {
        let mut files = good.clone();
        damage.strike(&mut files[file], at);
        if let Ok(site) = open(&files) {
            ask(&site);
        }
        Ok(())
    };
    runner.run(&strikes, test).unwrap_or_else(|fault| panic!("{fault}"));
}
