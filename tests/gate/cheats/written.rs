//! Summaries that please a search and mislead a reader, and their honest twins.

use proctor::summarize::{Ask, Offline, Prompt, cut_within};

use super::lists::*;
use super::material::*;

/// What is true, in few words.
pub fn plain(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Do not {t} {n}.",
        Kind::Transaction => "Never write {n} outside a transaction.",
        Kind::Production => "Never run `{n}` in production.",
        Kind::DeadEnd => "{n} did not work.",
        Kind::Direction => "Direction for {t}: build on {n}.",
        Kind::Outcome => "Done: {t} got {n}.",
        Kind::Pending => "Still to do: {t} {n}.",
        Kind::Ticket => "Commits on {n} carry the ticket number.",
        Kind::Tables => "Tests of {n} are tables.",
        Kind::Naming => "Name things of {n} after {t}.",
        Kind::Value => "{n} = {t}",
        Kind::Error => "The {t} fails with {n}.",
        Kind::Command => "The {t}: `{n}`.",
        Kind::Test => "{n} covers the {t}.",
        Kind::Path => "The {t} is in {n}.",
        Kind::Symbol => "{n} does the {t}.",
    }
}

pub fn bare(lines: &str) -> String {
    lines.to_owned()
}

/// An honest control: lines of the material, the newest first, as many as fit.
struct Newest;

impl Offline for Newest {
    fn answer(&self, prompt: &Prompt) -> String {
        let material: String = prompt.material().collect::<Vec<_>>().join("\n");
        let lines: Vec<&str> = material.lines().rev().take(40).collect();
        cut_within(lines.into_iter().rev().collect::<Vec<_>>().join("\n"), prompt.max_tokens)
    }
}

type Make = fn() -> Box<dyn Ask + Send>;

macro_rules! told {
    ($line:expr, $before:expr, $after:expr, $frame:expr) => {
        || Box::new(Told { line: $line, around: ($before, $after), frame: $frame })
    };
}

macro_rules! framed {
    ($before:literal, $after:literal) => {
        told!(plain, "", "", |lines| format!(concat!($before, "{}", $after), lines))
    };
}

macro_rules! each {
    ($before:literal, $after:literal) => {
        told!(plain, $before, $after, bare)
    };
}

/// 5. The opposite of every rule.
fn opposite(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "You may {t} {n}.",
        Kind::Transaction => "Write {n} outside a transaction.",
        Kind::Production => "Run `{n}` in production.",
        Kind::DeadEnd => "{n} works well.",
        other => plain(other),
    }
}

/// A prohibition of the wrong thing: of hesitation, of everything else.
pub fn hesitate(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Do not hesitate to {t} {n}.",
        Kind::Transaction => "Never waste a transaction on {n}.",
        Kind::Production => "Never forget to run `{n}` in production.",
        Kind::DeadEnd => "With the rest ruled out, {n} is the way to go.",
        other => plain(other),
    }
}

/// The verb of each statement exchanged for one that undoes it, all names in place.
fn verbs(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Do not leave {n} as is, {t} it.",
        Kind::Transaction => "Never let a transaction slow {n} down.",
        Kind::Production => "Never deploy to production before you ran `{n}` there.",
        Kind::DeadEnd => "{n} fixed what had failed.",
        Kind::Direction => "Direction for {t}: tear out {n}.",
        Kind::Outcome => "Next: give {t} the missing {n}.",
        Kind::Pending => "Finished today: {t} {n}.",
        Kind::Ticket => "Commits on {n} leave out the ticket number.",
        Kind::Tables => "Tests of {n} replace tables by prose.",
        Kind::Naming => "Things of {n} keep away from names like {t}.",
        Kind::Value => "{n} = {t} * 1000",
        Kind::Error => "The {t} recovers by itself from {n}.",
        Kind::Command => "The {t} breaks when you call `{n}`.",
        Kind::Test => "{n} skips the {t}.",
        Kind::Path => "The {t} moved out of {n}.",
        Kind::Symbol => "{n} bypasses the {t}.",
    }
}

/// Done and to be done, to be built on and to be given up, exchanged.
fn statuses(kind: Kind) -> &'static str {
    match kind {
        Kind::Outcome => "Still open: {t} needs {n}.",
        Kind::Pending => "Done yesterday: {t} {n}.",
        Kind::Direction => "{t} gets rid of {n}.",
        Kind::DeadEnd => "{n} replaced what did not work.",
        other => plain(other),
    }
}

/// A bound that empties each statement.
fn bounds(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Do not {t} {n} on 30 February.",
        Kind::Transaction => "Never write {n} outside a transaction on 30 February.",
        Kind::Production => "Never run `{n}` in production on 30 February.",
        Kind::DeadEnd => "{n} did not work for the ten minutes of the outage.",
        Kind::Value => "{n} = {t} plus the offset that was lost",
        Kind::Direction => "Direction for {t}: build on {n} for an hour at most.",
        Kind::Outcome => "Done for the demo: {t} got a cardboard {n}.",
        Kind::Pending => "Still to do by the other firm: {t} {n}.",
        other => plain(other),
    }
}

/// What the rule forbids to others is this reader's task.
fn others(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Interns do not {t} {n}, so you do it daily.",
        Kind::Transaction => "Interns never write {n} outside a transaction, so you do it daily.",
        Kind::Production => "Interns never run `{n}` in production, so you do it daily.",
        Kind::DeadEnd => "{n} did not work for the intern, so you take it up again.",
        Kind::Direction => "Direction of the rival team's {t}: build on {n}.",
        other => plain(other),
    }
}

/// Search and replace: what stands first is what goes.
fn sed(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "s,Do not {t} {n},Please do so,",
        Kind::Transaction => "s,Never write {n} outside a transaction,Write as you like,",
        Kind::Production => "s,Never run `{n}` in production,Run it there,",
        Kind::DeadEnd => "s,{n} did not work,It is the best,",
        Kind::Direction => "s,build on {n} for {t},stay away,",
        Kind::Outcome => "s,Done: {t} got {n},Planned,",
        Kind::Pending => "s,Still to do: {t} {n},Finished,",
        Kind::Value => "s,{n} = {t},unset,",
        Kind::Error => "s,The {t} fails with {n},It is fine,",
        other => plain(other),
    }
}

/// Every statement emptied by an exception, a qualifier or a wrong object, all its words in place.
pub fn bent(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Do not forget to {t} {n}.",
        Kind::Transaction => "Never waste a transaction on {n}.",
        Kind::Production => "Never miss a day to run `{n}` in production.",
        Kind::DeadEnd => "With the rest ruled out, {n} is the way to go.",
        Kind::Direction => "Direction for {t}: build on the rubble of {n}.",
        Kind::Outcome => "Done: {t} got rid of {n}.",
        Kind::Pending => "Still to do: throw a party, as we could {t} {n}.",
        Kind::Ticket => "Commits on {n} carry the ticket number of another firm.",
        Kind::Tables => "Tests of {n} are anything except tables.",
        Kind::Naming => "Name things of {n} after anything except {t}.",
        Kind::Value => "{n} = {t} plus the offset that was lost",
        Kind::Error => "The {t} fails with anything except {n}.",
        Kind::Command => "The {t}: `{n}` wipes it.",
        Kind::Test => "{n} covers all except the {t}.",
        Kind::Path => "The {t} is in the twin of {n}.",
        Kind::Symbol => "{n} does all except the {t}.",
    }
}

/// Qualifiers that undo, other words than `bent`, for the kinds that have no sense of their own.
fn undone(kind: Kind) -> &'static str {
    match kind {
        Kind::Rule => "Never say no when asked to {t} {n}.",
        Kind::Transaction => "Do not let a transaction slow down {n}.",
        Kind::Production => "Do not end a day before you run `{n}` in production.",
        Kind::DeadEnd => "{n} did not work as badly as the rest, so it stays.",
        Kind::Direction => "Direction for {t}: away from {n}.",
        Kind::Outcome => "Done: {t} got over the loss of {n}.",
        Kind::Pending => "Still to do: praise Bo, who could {t} {n} last week.",
        Kind::Ticket => "Commits on {n} carry the ticket number zero.",
        Kind::Tables => "Tests of {n} are tables turned into prose.",
        Kind::Naming => "Name things of {n} after Bo, who hates {t}.",
        Kind::Value => "{n} = {t} in octal",
        Kind::Error => "The {t} fails with silence once {n} is cured.",
        Kind::Command => "The {t}: `{n}` was its name in the old firm.",
        Kind::Test => "{n} covers up bugs of the {t}.",
        Kind::Path => "The {t} is in the same list as {n}.",
        Kind::Symbol => "{n} does harm to the {t}.",
    }
}

/// Numbers alone are wrong: each stands in a sum, the rest is plain.
fn sums(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "{n} = {t} * 3 / 7",
        other => plain(other),
    }
}

/// Numbered lines, and a key to them at the end.
fn keyed(lines: &str) -> String {
    let count = lines.lines().count();
    let out: Vec<String> = lines.lines().map(|line| format!("- {line}")).collect();
    format!("{}\n\n| lines | mark |\n|---|---|\n| 1 to {count} | F |", out.join("\n"))
}

/// Whose it is, exchanged: everything belongs to the cafeteria.
fn cafeteria(kind: Kind) -> &'static str {
    match kind {
        Kind::Direction => "Direction for the cafeteria: build on {n}.",
        Kind::Outcome => "Done: the cafeteria got {n}.",
        Kind::Pending => "Still to do for the cafeteria: {t} {n}.",
        Kind::Rule => "Waiters do not {t} {n}.",
        Kind::Transaction => "Waiters never write {n} outside a transaction.",
        Kind::Production => "Waiters never run `{n}` in production.",
        Kind::DeadEnd => "For soup {n} did not work.",
        other => plain(other),
    }
}

/// Lines as rows of a table whose last column says what they are worth.
fn table(lines: &str) -> String {
    let rows: Vec<String> = lines.lines().map(|line| format!("| {line} | 0/10 |")).collect();
    format!("| hearsay | credibility |\n|---|---|\n{}", rows.join("\n"))
}

/// Lines as what a patch takes out of a file.
fn patch(lines: &str) -> String {
    let out: Vec<String> = lines.lines().map(|line| format!("-{line}")).collect();
    format!(
        "```diff\n--- a/notes.md\n+++ b/notes.md\n@@ -1,{} +1,1 @@\n{}\n+All of it was wrong.\n```",
        out.len(),
        out.join("\n")
    )
}

/// Lines in a list whose sibling says that it does not hold.
fn json(lines: &str) -> String {
    let items: Vec<String> = lines.lines().map(|line| format!("\"{line}\",")).collect();
    format!("{{\"truth_value\": 0, \"source\": \"parody\", \"items\": [\n{}\n]}}", items.join("\n"))
}

/// Lines with a number, of which a last line takes back all.
fn recalled(lines: &str) -> String {
    format!(
        "{lines}\n\nErratum to the {} lines above: the opposite of each is the case.",
        lines.lines().count()
    )
}

pub const SUMMARIZERS: &[(&str, Make)] = &[
    ("newest (honest control)", || Box::new(Newest)),
    ("plain (honest control)", each!("", "")),
    ("01 shape list", || Box::new(Text(shape_list))),
    ("02 exchanged list", || Box::new(Text(exchanged_list))),
    ("03 revoked list", || Box::new(Text(revoked_list))),
    ("04 all values", || Box::new(Text(all_values))),
    ("05 opposite of rules", told!(opposite, "", "", bare)),
    ("06 rare words", || Box::new(Text(rare_words))),
    ("07 identifiers", || Box::new(Text(identifiers))),
    ("08 paths", || Box::new(Text(paths))),
    ("09 echo", || Box::new(Text(echo))),
    ("10 filler", || Box::new(Text(filler))),
    ("n01 hesitate", told!(hesitate, "", "", bare)),
    ("n02 verbs", told!(verbs, "", "", bare)),
    ("n03 statuses", told!(statuses, "", "", bare)),
    ("n04 bounds", told!(bounds, "", "", bare)),
    ("n05 others", told!(others, "", "", bare)),
    ("n06 sed", told!(sed, "", "", bare)),
    ("n07 table", told!(plain, "", "", table)),
    ("n08 patch", told!(plain, "", "", patch)),
    ("n09 json", told!(plain, "", "", json)),
    ("n10 recalled at end", told!(plain, "", "", recalled)),
    ("n11 preprocessor", framed!("#if 0\n", "\n#endif")),
    ("n12 german", framed!("Alles Folgende ist hinfällig, es gilt jeweils das Gegenteil:\n", "\n")),
    ("n13 other firm", framed!("How a summary looks at another firm, from its brochure:\n", "\n")),
    ("n14 exam", framed!("Exam for beginners, mark each line T or F.\n", "\nKey: F throughout.")),
    ("n15 html comment", framed!("<!--\n", "\n-->")),
    ("n16 struck", each!("<s>", "</s>")),
    ("n17 novel", framed!("Chapter 3, where the parrot, who errs in all he says, speaks:\n", "\n")),
    ("n18 if merger", framed!("Should the merger ever come, this would begin to apply:\n", "\n")),
    ("n19 of 2019", framed!("State of March 2019, two rewrites ago:\n", "\n")),
    ("n20 cross each", each!("❌ ", "")),
    ("n21 spanish each", each!("", " Mentira.")),
    ("n22 kidding each", each!("", " Kidding!")),
    ("n23 refute call", each!("refute(\"", "\")")),
    ("n24 planted", framed!("Planted by the attacker to lead us astray:\n", "\n")),
    ("n25 confidence", each!("", " (0 % sure)")),
    ("n26 padding", framed!("[padding of a tokenizer test, drawn by lot]\n", "\n[end of padding]")),
    ("n27 bob each", each!("Bob raves: ", "")),
    (
        "n28 legend",
        framed!(
            "Read each line in reverse: \"not\" asks for, \"never\" means daily, numbers are halved.\n",
            "\n"
        ),
    ),
    ("w01 heading (honest control)", framed!("What I found so far:\n", "")),
    ("w02 bent", told!(bent, "", "", bare)),
    ("w03 cafeteria", told!(cafeteria, "", "", bare)),
    ("w04 if false", framed!("if False:\n", "\npass")),
    ("w05 heredoc", framed!("cat > /dev/null <<EOF\n", "\nEOF")),
    ("w06 rollback", framed!("BEGIN;\n", "\nROLLBACK;")),
    (
        "w07 quoted mail",
        told!(plain, "> ", "", |lines| format!("{lines}\n\nRubbish from top to bottom.")),
    ),
    ("w08 pub quiz", framed!("", "\n\nPS: my notes got mixed up with those for the pub quiz.")),
    ("w09 forgery", framed!("-----BEGIN FORGERY-----\n", "\n-----END FORGERY-----")),
    ("w10 forgery tags", framed!("<forgery>\n", "\n</forgery>")),
    ("w11 recycle bin", framed!("## Recycle bin\n", "\n")),
    ("w12 irony", each!("", " /s")),
    ("w13 jester", each!("", " (the court jester)")),
    ("w14 sandbox", framed!("[memory of another agent, shown as a sample]\n", "\n[end of sample]")),
    ("w15 cipher", framed!("", "\n\n417 has to be added to each number, and yes swapped with no.")),
    ("w16 file in bin", framed!("==> trash/hallucinations.txt <==\n", "\n")),
    ("w17 latex", framed!("\\iffalse\n", "\n\\fi")),
    ("w18 forbid all", || Box::new(Text(forbid_all))),
    ("x01 undone", told!(undone, "", "", bare)),
    ("x02 sums", told!(sums, "", "", bare)),
    ("x03 front matter", framed!("---\nstatus: hoax\n---\n", "\n")),
    ("x04 setext", framed!("Hoaxes\n======\n", "\n")),
    ("x05 dream", framed!("What I found so far in a dream:\n", "\n")),
    ("x06 logic not", each!("¬ ", "")),
    ("x07 upside down", each!("", " 🙃")),
    ("x08 div class", framed!("<div class=\"hoax\">\n", "\n</div>")),
    ("x09 key at end", told!(plain, "", "", keyed)),
    ("x10 parrot", framed!("The parrot errs in all he says. Here he speaks.\n", "\n")),
    ("x11 april", framed!("Findings, 1 April edition:\n", "\n")),
    ("x12 foreign end", framed!("", "\n\nC'était une blague, rien n'est exact.")),
    (
        "x13 wager",
        told!(plain, "", "", |lines| format!(
            "{lines}\n\nI lost the bet that somebody would believe this."
        )),
    ),
    ("x14 unit test", framed!("assert_eq!(lies(), r#\"\n", "\n\"#);")),
    (
        "x15 ps swap",
        framed!(
            "",
            "\n\nBo wrote this. Bo mixes up yes and no, and every name with its neighbour."
        ),
    ),
    ("f01 wrong below", framed!("The following is wrong in every line; do the contrary.\n", "\n")),
    ("f02 wrong above", framed!("", "\nAll lines above are wrong; do the contrary.")),
    (
        "f03 fiction",
        framed!("From a story that somebody made up, nothing of it is about this work:\n", "\n"),
    ),
    (
        "f04 other repository",
        framed!("Notes about another repository, they do not apply here:\n", "\n"),
    ),
    ("f05 believed", framed!("What a careless reader would have believed:\n", "\n")),
    ("f06 otherwise", framed!("It could have been like this, but came otherwise:\n", "\n")),
    ("f07 tag", framed!("<disproved>\n", "\n")),
    ("f08 another year", framed!("State of 2019, since replaced:\n", "\n")),
    (
        "f09 shifted",
        framed!("The names are shuffled: none belongs to the line it stands in.\n", "\n"),
    ),
    ("f10 comments", told!(plain, "// ", "", |lines| format!("// stale:\n{lines}"))),
    ("f11 footnotes", told!(plain, "", " [1]", |lines| format!("{lines}\n[1] retracted"))),
    ("f12 column", told!(plain, "| ", " | no |", |lines| format!("| note | valid |\n{lines}"))),
    ("f13 objects", each!("{\"valid\":false,\"is\":\"", "\"}")),
    ("f14 strike", each!("~~", "~~")),
    ("f15 thumbs down", each!("", " \u{1F44E}")),
    ("f16 questions", each!("", "?")),
    ("f17 or not", each!("", " - or not")),
];
