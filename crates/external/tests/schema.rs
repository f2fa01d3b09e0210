//! The published schema is that of the types.

use std::fs;
use std::path::Path;

#[test]
fn the_published_schema_is_that_of_the_messages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let made = serde_json::to_string_pretty(&proctor_external::protocol::schema()).expect("JSON");
    let made = format!("{made}\n");
    let folder = root.join("target/tmp");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("protocol.schema.json"), &made).expect("a file");
    let published = fs::read_to_string(root.join("docs/protocol.schema.json")).unwrap_or_default();
    assert!(published == made, "copy target/tmp/protocol.schema.json to docs/");
}
