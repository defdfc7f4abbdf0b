//! Themes: which files replace the program's own, and which faults are reported with line and suggestion.

use dataset::Table;
use snapshot::facet::FACETS;
use snapshot::query::PARAMETERS;

use std::collections::BTreeSet;

use super::*;

/// Those of the other language, of facets, of parameters and of tables, and those that the source names.
#[test]
fn every_word_of_the_program_is_in_both_languages() {
    let words =
        WORDS.map(|(file, text)| (file, serde_json::from_str::<BTreeMap<String, String>>(text).unwrap()));
    let facets = FACETS.iter().map(|spec| format!("facet_{}", spec.name));
    let is_facet = |name: &str| FACETS.iter().any(|spec| spec.parameter == name);
    let parameters = PARAMETERS.iter().filter(|it| !is_facet(it.name)).map(|it| format!("param_{}", it.name));
    let tables = Table::ALL.iter().map(|table| format!("table_{}", table.name()));
    let known = words.iter().flat_map(|(_, words)| words.keys().cloned());
    let named = named_in_source(&words[0].1);
    assert!(named.len() > 50, "{named:?}");
    for key in facets.chain(parameters).chain(tables).chain(named).chain(known) {
        for (file, words) in &words {
            assert!(words.contains_key(&key), "{file} has no `{key}`");
        }
    }
}

/// String literals of the views that begin as a known key does.
fn named_in_source(words: &BTreeMap<String, String>) -> Vec<String> {
    let beginnings: BTreeSet<&str> = words.keys().filter_map(|key| key.split('_').next()).collect();
    let is_key = |literal: &&str| {
        let plain = literal.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let beginning = literal.split_once('_').map(|(beginning, _)| beginning);
        let is_variable = literal.ends_with("_js") || check::GIVEN.contains(literal);
        plain && !is_variable && beginning.is_some_and(|it| beginnings.contains(it))
    };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshot/html/src");
    let files = walkdir::WalkDir::new(source).into_iter().map(Result::unwrap);
    let texts =
        files.filter(|it| it.file_type().is_file()).map(|it| std::fs::read_to_string(it.path()).unwrap());
    let literals = |text: String| -> Vec<String> {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.flat_map(|line| line.split('"').skip(1).step_by(2)).filter(is_key).map(str::to_owned).collect()
    };
    texts.flat_map(literals).collect()
}

#[test]
fn style_and_script_fit_into_four_kilobytes() {
    let theme = Theme::load(None).unwrap();
    for (name, ThemeFile { bytes, .. }) in theme.assets {
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::best());
        let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
        let length = compressor.gzip_compress(&bytes, &mut out).unwrap();
        assert!(length <= 4 * 1024, "{name}: {length}");
    }
}

#[test]
fn an_operators_words_and_styles_replace_the_programs() {
    let folder = folder(&[("en.json", r#"{"nav_search":"Find"}"#), ("site.css", "body{}")]);
    let theme = Theme::load(Some(folder.path())).unwrap();
    assert_eq!(theme.words[0]["nav_search"], "Find");
    assert_eq!(theme.words[1]["nav_search"], "Buscar");
    let style = &theme.assets[0].1.bytes;
    assert!(style.starts_with(b":root{") && style.ends_with(b"}\nbody{}"));
}

/// A folder with some files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// The error message of a folder with some files; empty for a valid theme.
fn load_error(files: &[(&str, &str)]) -> String {
    let theme = Theme::load(Some(folder(files).path()));
    theme.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_missing_folder_is_unreadable() {
    let error = Theme::load(Some(Path::new("there/is/none"))).err().unwrap();
    assert!(matches!(error, ThemeError::Unreadable { .. }), "{error}");
}

#[test]
fn a_link_that_leaves_the_theme_is_refused_and_one_within_it_is_followed() {
    let files = [("secret.svg", "<svg/>"), ("others/favicon.ico", "x"), ("theme/theme.css", "body{}")];
    let place = folder(&files);
    let theme = place.path().join("theme");
    std::fs::create_dir(theme.join("assets")).unwrap();
    std::os::unix::fs::symlink("../theme.css", theme.join("assets/style.ico")).unwrap();
    assert!(Theme::load(Some(&theme)).is_ok());
    let load = |target: &str, link: &str| {
        std::os::unix::fs::symlink(target, theme.join(link)).unwrap();
        let error = Theme::load(Some(&theme)).err().map(|error| error.to_string());
        std::fs::remove_file(theme.join(link)).unwrap();
        error.unwrap_or_default()
    };
    let links =
        [("../../secret.svg", "assets/logo.svg"), ("/etc/hostname", "en.json"), ("../others", "static")];
    for (target, link) in links {
        let error = load(target, link);
        assert!(error.contains("the link leaves the theme; copy the file into it"), "{link}: {error}");
    }
}

#[test]
fn faults_of_a_theme_are_reported_with_line_and_suggestion() {
    for (file, expected) in [
        (("hoem.html", ""), "hoem.html: is no file of a theme\n  help: did you mean `home.html`?"),
        (("assets/a.gif", ""), "assets/a.gif: is no picture that pages can show\n  help: "),
        (("static/robots.txt", ""), "static/robots.txt: is nothing that can be published under its own name"),
        (
            ("en.json", "{\n \"nav_serch\": \"Find\"}"),
            "en.json:2: there is no word `nav_serch`\n  help: did you mean `nav_search`?",
        ),
        (
            ("en.json", "{\n \"results_other\": \"{m} found\"}"),
            "en.json:2: nothing fills `{m}` in `results_other`",
        ),
        (("es.json", "{\n \"skip\": 1}"), "es.json:2: "),
        (("base.html", "{% block"), "base.html:1: "),
        (("base.html", "<p>Mine</p>"), "base.html: has no block `main`"),
        (
            ("base.html", "{% extends \"base.html\" %}"),
            "base.html:1: goes on from itself\n  help: the program's own is `@opdir/base.html`",
        ),
        (
            ("base.html", "\n{% extends \"@opdir/bsae.html\" %}"),
            "base.html:2: there is no template `@opdir/bsae.html`\n  help: did you mean `@opdir/base.html`?",
        ),
        (("theme.toml", "[brand]\nlogo = \"logo.svg\""), "theme.toml:2: there is no picture `logo.svg`"),
    ] {
        let message = load_error(&[file]);
        assert!(message.starts_with("1 fault in the theme ") || file.0.ends_with("base.html"), "{message}");
        assert!(message.contains(expected), "{file:?}\n{message}");
    }
    for (block, inside, expected) in [
        ("fotter", "", "2: `base.html` has no block `fotter`\n  help: did you mean `footer`?"),
        ("footer", "{{ t.licence }}", "3: `licence` is no word of en.json\n  help: did you mean `license`?"),
        (
            "footer",
            "{{ site_nmae }}",
            "3: `site_nmae` is given by nothing\n  help: did you mean `site_name`?",
        ),
    ] {
        let block = format!("{{% block {block} %}}\n{inside}\n{{% endblock %}}");
        let text = format!("{{% extends \"@opdir/base.html\" %}}\n{block}");
        let message = load_error(&[("base.html", &text)]);
        assert!(message.contains(&format!("base.html:{expected}")), "{text}\n{message}");
    }
    // Where nothing is near, all are listed.
    let far = load_error(&[("fonts/a.woff2", "")]);
    assert!(far.contains("known are ") && folder::names().all(|name| far.contains(name)), "{far}");
    let several = load_error(&[("a", ""), ("b.html", ""), ("en.json", "[]")]);
    assert!(several.starts_with("3 faults in the theme "), "{several}");
}

#[test]
fn a_theme_may_have_words_blocks_and_pictures_of_its_own() {
    let footer = "{% extends \"@opdir/base.html\" %}{% block footer %}{{ super() }}{{ t.imprint }}\
                  <img src=\"{{ asset(\"seal.png\") }}\" alt=\"\">{% block mine %}{% endblock %}{% endblock %}";
    let word = "{\"_\": \"a remark\", \"imprint\": \"Imprint\"}";
    let files = [
        ("base.html", footer),
        ("en.json", word),
        ("es.json", word),
        ("assets/seal.png", "png"),
        ("README.md", ""),
    ];
    assert_eq!(load_error(&files), "");
    // A picture that no page shows is a warning.
    let warnings = Theme::load(Some(folder(&[("assets/a.svg", "")]).path())).unwrap().warnings;
    assert_eq!(warnings.len(), 1);
    let expected = "assets/a.svg: is shown nowhere\n  help: name it in theme.toml";
    assert!(warnings[0].to_string().starts_with(expected));
    // A word has to be in both languages.
    assert!(load_error(&files[..2]).contains("`imprint` is no word of es.json"));
}

#[test]
fn the_files_of_a_new_theme_are_a_valid_theme() {
    let folder = tempfile::tempdir().unwrap();
    let lines = Theme::create(folder.path(), &[]).unwrap();
    assert_eq!(lines.len(), 7, "{lines:?}");
    let theme = Theme::load(Some(folder.path())).unwrap();
    assert!(theme.brand.iter().all(|picture| picture.as_deref().unwrap().starts_with("/assets/")));
    // An existing file is not overwritten.
    assert!(matches!(Theme::create(folder.path(), &[]), Err(ThemeError::Exists { .. })));
}

#[test]
fn a_copy_is_the_programs_own_file() {
    let folder = tempfile::tempdir().unwrap();
    Theme::create(folder.path(), &["about.html".to_owned(), "site.css".to_owned()]).unwrap();
    for (name, text) in TEMPLATES.iter().chain(ASSETS) {
        let copy = std::fs::read_to_string(folder.path().join(name)).ok();
        assert_eq!(copy.as_deref(), ["about.html", "site.css"].contains(name).then_some(*text));
    }
    // The style sheet that a theme adds is none of them.
    for (name, expected) in [("abuot.html", "; did you mean `about.html`?"), ("theme.css", "suggest.js")] {
        let error = Theme::create(folder.path(), &[name.to_owned()]).err().unwrap();
        assert!(error.to_string().ends_with(expected), "{error}");
    }
}
