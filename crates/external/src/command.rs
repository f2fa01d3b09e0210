//! A program by its command line, where a pipeline is named.

use std::path::Path;

use crate::error::{Error, Result};

/// Whether a name is a command line: a file that is none of a pipeline, or several words.
pub fn is_command(name: &str) -> bool {
    let path = Path::new(name);
    let is_pipeline = path.extension().is_some_and(|extension| extension == "toml");
    !is_pipeline && (path.is_file() || name.trim().contains(' '))
}

/// The pipeline file that stands for a command line: it asks the program before each call of the
/// model and where the prompt is refused. It is named after the program's file.
pub fn pipeline(line: &str) -> Result<String> {
    let words = shlex::split(line).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| {
        Error::invalid(format!("`{line}`"), "the command line has an open quote, or no word")
    })?;
    // Not the interpreter, which may be a path too.
    let file = words[1..].iter().find(|word| Path::new(word).is_file()).unwrap_or(&words[0]);
    // JSON strings are strings of TOML.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let command: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    Ok(format!(
        "name = {name}\nabout = {about}\nsource = {source}\nfidelity = \"baseline\"\n\n[[stage]]\n\
         strategy.external = {{ command = [{command}] }}\n\
         on = {{ before-call = \"always\", overflow = \"always\" }}\n",
        name = quoted(&name_of(file)),
        about = quoted(&format!("The program `{line}`.")),
        source = quoted(line),
        command = command.join(", "),
    ))
}

fn name_of(file: &str) -> String {
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
    let fits = |c: char| if c.is_ascii_lowercase() || c.is_ascii_digit() { c } else { '-' };
    let name: String = stem.unwrap_or_default().chars().map(fits).collect();
    match name.trim_matches('-') {
        "" => "program".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_a_pipeline_named_after_its_file() {
        for (line, name) in
            [("python3 my_own.py", "python3"), ("./a/B-c.sh x", "b-c"), ("'…' --flag", "program")]
        {
            let text = pipeline(line).expect("it has words");
            assert!(text.starts_with(&format!("name = \"{name}\"\n")), "{text}");
        }
        assert!(pipeline("python3 'open").is_err());
        assert!(is_command("python3 mine.py") && !is_command("forge-adr"));
    }
}
