//! Damaged indexes are refused or do no harm.

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, TestRunner};
use tests::checks::index::{Damage, Edit, Files, ask};

/// How many damages are tried; a long run sets `CORRUPTION_CASES`.
fn cases() -> u32 {
    std::env::var("CORRUPTION_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(500)
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<u8>().prop_map(Damage::Flip),
        any::<u8>().prop_map(Damage::Byte),
        prop_oneof![Just(0), Just(u32::MAX), Just(1 << 31), Just(0x7fff_ffff)].prop_map(Damage::Number),
        (-2..3i32).prop_map(Damage::Off),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    (any::<u8>(), any::<u8>(), any::<u16>(), damage()).prop_map(|(file, section, at, damage)| Edit {
        file,
        section,
        at,
        damage,
    })
}

#[test]
fn a_damaged_index_never_panics() {
    let good = Files::tiny();
    ask(&good.open().unwrap());
    let mut runner =
        TestRunner::new(Config { cases: cases(), failure_persistence: None, ..Config::default() });
    let test = |edit| {
        let mut files = good.clone();
        files.edit(edit);
        files.holds();
        Ok(())
    };
    runner.run(&edit(), test).unwrap_or_else(|fault| panic!("{fault}"));
}
