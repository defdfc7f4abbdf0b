//! `schema`: the schema of a table, of `dataset.json`, or of a mapping.

use dataset::Table;

use crate::exit_codes::{Failure, fail, print_line};

pub(crate) fn schema(name: &str) -> Result<(), Failure> {
    let text = match Table::parse(name) {
        Some(table) => table.json_schema().to_owned(),
        None if name == "dataset" => dataset::schema::DATASET.to_owned(),
        None if name == "import" => import::json_schema(),
        None => {
            let known = Table::ALL.map(Table::name).join(", ");
            let message = format_args!("there is no table {name}; there are dataset, import, {known}");
            return Err(fail(Failure::Usage, message));
        }
    };
    print_line(text.trim_end());
    Ok(())
}
