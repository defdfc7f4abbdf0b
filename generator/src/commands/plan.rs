//! `plan`: what a build would change.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli;
use crate::exit_codes::{Failure, print_line, unreadable};
use crate::load::load_for;
use crate::plan::{self, Plan};
use crate::plan_report;

pub(crate) fn plan(options: &cli::Plan) -> Result<(), Failure> {
    let loaded = load_for(Some(&options.data), &options.messages)?;
    let live = plan::live(&options.out).map_err(unreadable)?;
    let (mut plan, unread) = Plan::compare(&loaded.directory, live.as_ref());
    unread.map_or(Ok(()), |error| Err(unreadable(error)))?;
    add_origins(&mut plan, &options.data);
    // Without stamps, the moment of a dataset is what its maintainer writes, once.
    plan.same_moment &= options.data.join(dataset::Stamps::FILE).exists();
    let mut violations = options.guards.violations(&plan);
    violations.extend(plan::other_dataset(&loaded.directory, live.as_ref()));
    print_line(plan_report::report(&plan, &violations, options.format).trim_end());
    let has_changes = plan.against.is_none() || !plan.is_empty();
    if options.exit_code && has_changes { Err(Failure::Changes) } else { Ok(()) }
}

/// Adds the rows of sheets that changed records are imported from.
fn add_origins(plan: &mut Plan, data: &Path) {
    let is_imported = plan.changed().next().is_some() && data.join("import.toml").exists();
    let places = if is_imported { import::origins(data) } else { BTreeMap::new() };
    if places.is_empty() {
        return;
    }
    let identities = dataset::identities(&dataset::Input::Folder(data.to_owned())).unwrap_or_default();
    let ids: BTreeMap<String, &String> =
        identities.iter().filter_map(|(place, (id, _))| Some((id.to_string(), places.get(place)?))).collect();
    for changed in plan.changed() {
        changed.from = ids.get(&changed.id).map(|from| (*from).clone());
    }
}
