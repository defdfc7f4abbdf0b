//! Rows without ids, slugs, references by id and timestamps: what is derived for them.

use uuid::Uuid;

use super::*;

const START: &[(&str, &str)] =
    &[("organizations.csv", "name,key\nAcme Foundation,A1\nBeta,\n"), ("programs.csv", PROGRAM)];
const PROGRAM: &str = "name,organization,programType,officialUrl\nOcean Fellows,acme-foundation,fellowship,https://a.example/\n";

/// Tables of files, of which later ones take the place of earlier ones.
fn tables(files: &[(&str, &str)], more: &str) -> (Tables, Diagnostics) {
    let dataset = DATASET.replace('}', more) + "}";
    let mut all: BTreeMap<&str, &str> = START.iter().chain(files).copied().collect();
    all.insert("dataset.json", &dataset);
    read_all(&all.iter().map(|(path, text)| (*path, text.as_bytes())).collect::<Vec<_>>())
}

/// The program, of an organization that is called so.
fn of(organization: &str) -> String {
    PROGRAM.replace("acme-foundation", organization)
}

fn problems<'a>(report: &'a Diagnostics, code: &str) -> Vec<&'a Diagnostic> {
    report.sorted().into_iter().filter(|problem| problem.code.id() == code).collect()
}

#[test]
fn three_small_files_make_a_dataset() {
    let schema = r#","$schema":"https://opdir.example/schemas/dataset/dataset.schema.json""#;
    let (tables, report) = tables(&[], schema);
    assert_eq!(found(&report), [""; 0]);
    let program = &tables.programs[0].record;
    assert_eq!(program.slug, "ocean-fellows");
    assert_eq!(program.lifecycle.as_str(), "unclear");
    assert_eq!(program.created_at.to_string(), "2026-06-01T00:00:00Z");
    let owner = tables.organizations.iter().find(|row| row.record.id == program.organization_id);
    assert_eq!(owner.unwrap().record.slug, "acme-foundation");
    let notes = [
        "ids derived from slugs and keys: organizations 2, programs 1",
        "slugs made from names: organizations 2, programs 1",
        "no `lifecycle`, published as `unclear`: programs 1",
        "no timestamps (`opdir stamp` writes them): organizations 2, programs 1",
    ];
    assert_eq!(report.notes, notes);
    assert!(link(tables, &mut Diagnostics::new()).is_some());
}

#[test]
fn an_id_follows_from_namespace_kind_and_slug_and_a_key_survives_a_rename() {
    let id = |files: &[(&str, &str)], more: &str| {
        tables(files, more).0.organizations.iter().map(|row| row.record.id).collect::<Vec<_>>()
    };
    let space = r#","idNamespace":"6ba7b810-9dad-11d1-80b4-00c04fd430c8""#;
    let plain = id(&[], space);
    // By hand: version 5 of the name's text in the namespace of DNS.
    let beta = Uuid::new_v5(&Uuid::NAMESPACE_DNS, b"organization\nbeta");
    assert!(plain.contains(&beta), "{plain:?}");
    assert_eq!(plain, id(&[], space));
    assert_ne!(plain, id(&[], ""));
    let renamed =
        [("organizations.csv", "name,key\nAcme Trust,A1\nBeta Trust,\n"), ("programs.csv", "name\n")];
    let renamed = id(&renamed, space);
    assert!(renamed.contains(&plain[0]) != renamed.contains(&plain[1]), "{plain:?} {renamed:?}");
    assert!(!renamed.contains(&beta));
}

#[test]
fn references_lead_by_slug_alias_key_and_unique_name() {
    let aliases = ("aliases.csv", "entityType,entity,slug\norganization,acme-foundation,old-acme\n");
    for called in ["acme-foundation", "old-acme", "A1", "ACME foundation"] {
        let (tables, report) = tables(&[("programs.csv", &of(called)), aliases], "");
        assert_eq!(report.error_count(), 0, "{called} {:?}", report.sorted());
        let id = tables.programs[0].record.organization_id;
        let owner = tables.organizations.iter().find(|row| row.record.id == id).unwrap();
        assert_eq!(owner.record.slug, "acme-foundation", "{called}");
    }
}

/// The only error, which has this code: its message and help.
#[track_caller]
fn problem(files: &[(&str, &str)], code: &str) -> (String, String) {
    let (_, report) = tables(files, "");
    let [problem] = problems(&report, code)[..] else { panic!("{:?}", report.sorted()) };
    assert_eq!(report.error_count(), 1, "{:?}", report.sorted());
    (problem.message.clone(), problem.help.clone().unwrap_or_default())
}

#[test]
fn unknown_and_ambiguous_names_are_reported_with_candidates() {
    let two = ("organizations.csv", "slug,name\na,Acme\nb,ACME\n");
    let lost = "`organization` is `Acme Foundatoin`, which is no organization";
    let both = "`organization` is `Acme`, which is the name of 2 organizations";
    let each = "write the slug or the `key` of one: `a` (organizations.csv:2), `b` (organizations.csv:3)";
    for (organization, files, code, message, help) in [
        ("Acme Foundatoin", &[][..], "E0401", lost, "did you mean `acme foundation`?"),
        ("Acme", &[two], "E0401", both, each),
        ("", &[], "E0107", "`organization` is missing or empty", "write the slug, name or `key` of one"),
    ] {
        let programs = of(organization);
        let found = problem(&[files, &[("programs.csv", &programs)]].concat(), code);
        assert_eq!(found, (message.to_owned(), help.to_owned()));
    }
    let id = "6f000000-0000-4000-8000-000000000001";
    let both = format!(
        "name,organization,organizationId,programType,officialUrl\nOne,a,{id},grant,https://a.example/\n"
    );
    problem(&[("programs.csv", &both), two], "E0106");
    let programs = "name,organization,programType,officialUrl\nTravel,acme-foundation,grant,https://a.example/\nTRAVEL,Beta,grant,https://b.example/\n";
    let (_, help) = problem(&[("programs.csv", programs)], "E0502");
    assert_eq!(help, "write a `slug` into each: `travel` there, `travel-beta` here");
}

#[test]
fn ids_of_cycles_awards_and_facts_derive_from_their_fields() {
    let translation =
        r#"{"entityType":"program","entity":"ocean-fellows","locale":"es","fields":{"name":"Mar"}}"#;
    let files = [
        ("cycles.csv", "program,label,deadlineOn\nocean-fellows,2026,2026-09-01\nOcean Fellows,2027,\n"),
        ("recipients.csv", "displayName,kind\nAnn Lee,person\n"),
        ("awards.csv", "program,recipient,cycle,awardYear\nocean-fellows,ann-lee,2026,2026\n"),
        ("facts.csv", "program,kind,value\nocean-fellows,topic,sea\n"),
        ("leaders.csv", "organization,name\nA1,Bo\n"),
        (
            "sources.csv",
            "entityType,entity,kind,url,retrievedAt,key\nprogram,ocean-fellows,page,https://a.example/,2026-01-01T00:00:00Z,S1\n",
        ),
        (
            "lifecycle.csv",
            "program,toLifecycle,observedAt,source\nocean-fellows,unclear,2026-01-01T00:00:00Z,S1\n",
        ),
        ("translations.ndjson", translation),
    ];
    let (tables, report) = tables(&files, "");
    assert_eq!(report.error_count(), 0, "{:?}", report.sorted());
    assert_eq!(tables.awards[0].record.cycle_id, Some(tables.cycles[0].record.id));
    assert_eq!(tables.transitions[0].record.source_id, Some(tables.sources[0].record.id));
    assert!(link(tables, &mut Diagnostics::new()).is_some());
    let twice = ("facts.csv", "program,kind,value\nocean-fellows,topic,sea\nocean-fellows,topic,sea\n");
    let (message, help) = problem(&[twice], "E0501");
    assert_eq!(message, "the row is the same record as facts.csv:2");
    assert_eq!(help, "remove one of them, or give each a `key` of its own");
}

#[test]
fn unchanged_rows_keep_their_stamps() {
    let [first, second] = ["2026-06-01T00:00:00Z", "2026-07-01T00:00:00Z"].map(|at| at.parse().unwrap());
    let retitled = PROGRAM.replace("fellowship,", "grant,");
    let with = |stamps: &str| tables(&[("stamps.csv", stamps), ("programs.csv", &retitled)], "");
    let (before, _) = tables(&[], "");
    let (after, report) = with(&before.stamps.updated(&before.unstamped, first).0.text());
    assert!(report.notes.iter().all(|note| !note.contains("timestamps")), "{:?}", report.notes);
    let (third, _) = with(&after.stamps.updated(&after.unstamped, second).0.text());
    let program = &third.programs[0].record;
    assert_eq!((program.created_at, program.updated_at), (first, second));
    assert_eq!(third.organizations[0].record.updated_at, first);
}

#[test]
fn slugs_of_other_scripts_are_transliterated_or_made_of_the_key_and_equal_ones_differ_by_it() {
    let slugs = |order: [usize; 3]| {
        let rows = ["K1,C++ Fund", "K2,C# Fund", "K3,C Fund"];
        let rows: String = order.iter().map(|at| format!("{}\n", rows[*at])).collect();
        let (tables, report) = tables(&[("organizations.csv", &format!("key,name\n{rows}"))], "");
        let errors: Vec<_> = found(&report).into_iter().filter(|it| it.starts_with("E05")).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let slugs: BTreeMap<String, String> =
            tables.organizations.iter().map(|it| (it.record.name.clone(), it.record.slug.clone())).collect();
        slugs.into_values().collect::<Vec<_>>()
    };
    assert_eq!(slugs([0, 1, 2]), ["c-fund-k3", "c-fund-k2", "c-fund"]);
    assert_eq!(slugs([2, 0, 1]), slugs([0, 1, 2]), "the order of rows matters");
    let names = "key,name\nN7,\u{6d77}\u{6d0b}\u{57fa}\u{91d1}\n\u{6c34},\u{6c34}\u{57fa}\u{91d1}\n,\u{5c71}\n,\u{424}\u{43e}\u{43d}\u{434} \u{420}\u{435}\u{43a}\u{430}\n,\u{38a}\u{3b4}\u{3c1}\u{3c5}\u{3bc}\u{3b1} \u{39d}\u{3b5}\u{3c1}\u{3cc}\n";
    let (tables, _) = tables(&[("organizations.csv", names)], "");
    let slugs: Vec<&str> = tables.organizations.iter().map(|it| it.record.slug.as_str()).collect();
    assert_eq!((slugs[0], slugs[3], slugs[4]), ("n7", "fond-reka", "idryma-nero"));
    assert!(slugs[1].len() == 8 && slugs[2].starts_with("organization-"), "{slugs:?}");
}

#[test]
fn names_that_differ_by_signs_or_accents_only_are_different_and_one_of_signs_alone_has_an_address() {
    let names =
        ["R Fund", "R+ Fund", "R# Fund", "Cana Fund", "Ca\u{f1}a Fund", "\u{2605}\u{2605}", "\u{263a}"];
    let rows: String = names.iter().enumerate().map(|(at, name)| format!("{name},,K{at}\n")).collect();
    let programs: String =
        names.iter().map(|it| format!("Of {it},{it},grant,https://a.example/,{it}\n")).collect();
    let organizations = format!("name,slug,key\n{rows}");
    let programs = format!("name,organization,programType,officialUrl,key\n{programs}");
    let (tables, report) = tables(&[("organizations.csv", &organizations), ("programs.csv", &programs)], "");
    let errors: Vec<_> = report.sorted().into_iter().filter(|it| it.code.id().starts_with('E')).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let owner = |id| &tables.organizations.iter().find(|it| it.record.id == id).unwrap().record;
    for program in &tables.programs {
        assert_eq!(format!("Of {}", owner(program.record.organization_id).name), program.record.name);
    }
    let slugs: BTreeSet<&str> = tables.organizations.iter().map(|it| it.record.slug.as_str()).collect();
    assert_eq!(slugs.len(), names.len());
    assert!(slugs.contains("k5"), "{slugs:?}");
}

#[test]
fn a_row_whose_id_lacks_a_part_names_it_and_a_guarded_cell_is_its_text() {
    let cycles = "program,label,deadlineOn\nocean-fellows,,2026-09-01\n";
    let names = "name,key\nAcme Foundation,A1\n'-8 Club,A2\n''=x,A3\n's-Hof,A4\n";
    let (tables, report) = tables(&[("cycles.csv", cycles), ("organizations.csv", names)], "");
    let problem = problems(&report, "E0107")[0];
    assert_eq!(problem.message, "`label` is missing or empty, and the row's id is made of it");
    let names: Vec<&str> = tables.organizations.iter().map(|it| it.record.name.as_str()).collect();
    assert_eq!(names, ["Acme Foundation", "-8 Club", "'=x", "'s-Hof"]);
}

#[test]
fn a_row_that_is_lost_has_its_other_faults_in_the_same_run() {
    let programs = "name,organization,programType,officialUrl,lifecycle,eligibleCountries\n\
                    Kelp,acmee,grant,htp:/x,endde,Spain\n";
    let cycles = "program,label,deadlineOn\nkelp,2027,31/12/2027\n";
    let all = |files: &[(&str, &str)]| {
        let (tables, mut report) = tables(files, "");
        assert!(link(tables, &mut report).is_none());
        found(&report)
    };
    let expected = [
        "E0108 cycles.csv:2",
        "E0201 programs.csv:2",
        "E0203 programs.csv:2",
        "E0401 programs.csv:2",
        "E0601 programs.csv:2",
    ];
    assert_eq!(all(&[("programs.csv", programs), ("cycles.csv", cycles)]), expected);
    // A row whose record is complete but for its reference, and one without any value but a wrong one.
    let fine = programs.replace("htp:/x,endde,Spain", "https://a.example/,ended,ES");
    assert_eq!(all(&[("programs.csv", &fine)]), ["E0401 programs.csv:2"]);
    let bare = "name,organization,programType,officialUrl,lifecycle\n,,,,endde\n";
    assert_eq!(all(&[("programs.csv", bare)]), ["E0107 programs.csv:2", "E0201 programs.csv:2"]);
    let unknown = "name,organization,programType,officialUrl,remarks\nKelp,acmee,grant,htp:/x,later\n";
    let expected = ["E0105 programs.csv:1", "E0401 programs.csv:2", "E0601 programs.csv:2"];
    assert_eq!(all(&[("programs.csv", unknown)]), expected);
    let stamp = "table,id,hash,createdAt,updatedAt\nprograms,x,y,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z\n";
    assert_eq!(all(&[("stamps.csv", stamp)]), ["E0108 stamps.csv:2"]);
}
