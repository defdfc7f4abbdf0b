//! Templates of an operator at the edge: a page that fails costs its request only.

use dataset::Input;
use tests::in_process;
use tests::snapshots::{self, open};

use crate::server::{build, load, options};

#[test]
fn a_template_that_fails_for_some_queries_costs_those_requests_only() {
    let folder = snapshots::folder();
    let theme = folder.path().join("theme");
    std::fs::create_dir(&theme).unwrap();
    let text = "{% if text == \"fail\" %}{{ count.nothing.at_all }}{% else %}{{ t.search_title }}{% endif %}";
    std::fs::write(theme.join("search.html"), text).unwrap();
    let (directory, source) = load(&Input::Embedded(dataset::sample::FILES));
    let root = folder.path().join("root");
    build(&directory, source, &site::BuildOptions { templates: Some(theme), ..options(&root) });
    let live = open(&root, 1 << 20);
    for _ in 0..2 {
        let failed = in_process::get(&live, "/programs?q=fail");
        assert_eq!(failed.status, 500);
        let page = String::from_utf8(failed.body.to_vec()).unwrap();
        assert!(page.contains("<h1>Not available at the moment</h1>"), "{page}");
        let shown = in_process::get(&live, "/programs?q=grant");
        assert_eq!((shown.status.as_u16(), shown.body.as_ref()), (200, &b"Search opportunities"[..]));
    }
    assert_eq!(live.metrics.panics.get(), 0);
}
