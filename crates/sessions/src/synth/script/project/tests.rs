use super::*;
use crate::synth::BankName;

struct Play {
    world: World,
    project: Project,
    rng: ChaCha8Rng,
    now: Millis,
}

impl Play {
    fn new(bank: BankName) -> Play {
        let mut rng = Seed(5).rng();
        let world = World::draw(&Bank::named(bank).domain, &mut rng);
        let project = Project::new(&world, Some(Draw::fixed(400)), Seed(6));
        Play { world, project, rng, now: Millis(0) }
    }

    fn told(&mut self, command: &Command, told: &[&str]) -> (String, bool) {
        self.run(command, "part", None, told)
    }

    fn run(
        &mut self,
        command: &Command,
        target: &str,
        edit: Option<(&str, &str)>,
        told: &[&str],
    ) -> (String, bool) {
        let told =
            told.iter().map(|line| Told { line: (*line).to_owned(), fails: true, of: Some(0) });
        let told: Vec<Told> = told.collect();
        let component = &self.world.components[0];
        let subject = Subject { world: &self.world, component, target, edit };
        let asked = Asked { subject, told: &told, tokens: 400, now: self.now };
        self.project.run(command, &asked, &mut self.rng)
    }

    fn broken(&self) -> Option<(String, usize)> {
        self.project.shown_fault(&self.world.components[0])
    }
}

#[test]
fn a_test_fails_where_its_cause_stands_until_an_edit_takes_that_line_away() {
    for bank in BankName::ALL {
        let mut play = Play::new(bank);
        let (passed, failed) = play.told(&Command::Tests, &[]);
        assert!(!failed, "{passed}");
        let part = play.world.components[0].clone();
        play.project.break_some(&play.world, &part, &mut Seed(7).rng());
        assert_eq!(play.broken(), None);
        let (said, failed) = play.told(&Command::Tests, &[]);
        let (file, at) = play.broken().expect("a line that is wrong");
        assert!(failed && said.contains(&format!("{file}:{}: ", at + 1)), "{said}");
        let line = play.project.tree.text(&file).lines().nth(at).expect("the line").to_owned();
        assert!(said.contains(line.trim()), "{said}");
        // An edit of another line of the file moves it and mends nothing.
        let other = play.project.tree.text(&file).lines().next().expect("a line").to_owned();
        if other != line {
            let edit = Command::Edit { breaks: false };
            let new = format!("{other}\n{other}");
            let (said, failed) = play.run(&edit, &file, Some((&other, &new)), &[]);
            assert!(!failed && said.contains(&format!("+{other}")), "{said}");
            let (said, failed) = play.told(&Command::Tests, &[]);
            assert!(failed && said.contains(&format!("{file}:{}: ", at + 2)), "{said}");
        }
        let (mended, failed) =
            play.run(&Command::Edit { breaks: false }, &file, Some((&line, "mended")), &[]);
        assert!(!failed && mended.contains("+mended"), "{mended}");
        let (passed, failed) = play.told(&Command::Tests, &[]);
        assert!(!failed && play.broken().is_none(), "{passed}");
        let gone = play.run(&Command::Edit { breaks: false }, &file, Some((&line, "x")), &[]);
        assert!(gone.1, "{}", gone.0);
    }
}

#[test]
fn a_run_has_the_same_tests_each_time_and_what_it_told_until_the_part_is_edited() {
    let mut play = Play::new(BankName::A);
    let names = |text: &str| {
        let tests = text.lines().filter(|line| line.contains("... ok") || line.contains("PASSED"));
        let bare = tests.map(|line| line.split(" PASSED").next().unwrap_or(line).to_owned());
        bare.collect::<Vec<String>>()
    };
    let first = play.told(&Command::Tests, &[]);
    let (second, failed) = play.told(&Command::Tests, &["FAILED odd_one"]);
    assert!(failed && second.contains("FAILED odd_one"), "{second}");
    assert_eq!(names(&first.0), names(&second));
    assert!(play.told(&Command::Tests, &[]).1);
    let file = play.project.files[0][0].clone();
    let line = play.project.tree.text(&file).lines().next().expect("a line").to_owned();
    play.run(&Command::Edit { breaks: false }, &file, Some((&line, "new line")), &[]);
    assert!(!play.told(&Command::Tests, &[]).1);
}

#[test]
fn a_build_names_lines_that_are_there_and_warns_of_the_same_ones_again() {
    for bank in BankName::ALL {
        let mut play = Play::new(bank);
        let (first, failed) = play.told(&Command::Build, &[]);
        assert!(!failed);
        let file = play.project.files[0].iter().find(|file| first.contains(*file));
        assert!(file.is_some(), "{first}");
        let lines = |text: &str| text.lines().take(6).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(&play.told(&Command::Build, &[]).0), lines(&first));
        let dir = play.world.components[0].dir.clone();
        let (said, failed) = play.told(&Command::Build, &[&format!("{dir}/odd:900: warning: odd")]);
        let place = said.lines().find(|line| line.ends_with(": warning: odd")).expect("the line");
        let mut parts = place.split(':');
        let (file, line) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        let length = play.project.tree.length(file);
        assert!(failed && (1..=length).contains(&line.parse().expect("a number")), "{place}");
    }
}

#[test]
fn version_control_shows_what_was_edited_and_what_was_committed() {
    let mut play = Play::new(BankName::A);
    assert_eq!(play.told(&Command::Status, &[]).0, "nothing to commit");
    play.told(&Command::List, &[]);
    let file = play.project.files[0][0].clone();
    let before = play.project.tree.text(&file);
    let line = before.lines().next().expect("a line");
    play.run(&Command::Edit { breaks: false }, &file, Some((line, "first\nsecond")), &[]);
    assert_eq!(play.told(&Command::Status, &[]).0, format!(" M {file}"));
    let diff = play.told(&Command::Diff, &[]).0;
    let head = format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1,");
    assert!(diff.starts_with(&head) && diff.contains("\n+first\n+second\n"), "{diff}");
    let said = play.told(&Command::Commit("Do it".to_owned()), &[]).0;
    assert!(said.ends_with("Do it\n 1 files changed, 2 insertions(+), 1 deletions(-)"), "{said}");
    let name = play.project.history.revision().to_owned();
    assert!(play.told(&Command::History(3), &[]).0.starts_with(&format!("{name} Do it\n")));
    assert!(play.told(&Command::Show, &[]).0.ends_with(&diff));
    assert_eq!(play.told(&Command::Diff, &[]).0, "");
    assert!(play.told(&Command::Health, &[]).0.contains(&name));
}

#[test]
fn a_log_goes_on_with_the_clock_and_says_what_is_wrong() {
    let mut play = Play::new(BankName::Operations);
    let first = play.told(&Command::Tail(20), &["odd thing"]).0;
    assert!(first.lines().count() == 20 && first.contains("odd thing"), "{first}");
    play.now = Millis(30_000);
    let later = play.told(&Command::Tail(20), &[]).0;
    let kept: Vec<&str> = first.lines().skip(10).collect();
    assert_eq!(later.lines().take(10).collect::<Vec<_>>(), kept);
    let part = play.world.components[0].clone();
    play.project.break_some(&play.world, &part, &mut Seed(7).rng());
    let said = play.told(&Command::Tail(20), &[]).0;
    assert!(said.contains("failed at ") && said.contains(&format!("{}/", part.dir)), "{said}");
    assert!(play.told(&Command::Health, &[]).0.contains("\"ok\":false"));
}

#[test]
fn a_search_finds_what_is_there_and_a_listing_the_sizes_of_files() {
    let mut play = Play::new(BankName::A);
    let dir = play.world.components[0].dir.clone();
    let (found, _) =
        play.run(&Command::Search, "odd_name", None, &[&format!("{dir}/main:3:  odd_name()")]);
    let (again, _) = play.run(&Command::Search, "odd_name", None, &[]);
    assert_eq!(found, again);
    let mut parts = found.split(':');
    let (file, line) = (parts.next().unwrap_or("").to_owned(), parts.next().unwrap_or(""));
    let at: usize = line.parse().expect("a number");
    let text = play.project.tree.text(&file);
    assert_eq!(text.lines().nth(at - 1), Some("  odd_name()"));
    let listed = play.told(&Command::List, &[]).0;
    let name = file.rsplit('/').next().unwrap_or("");
    let entry = listed.lines().find(|line| line.ends_with(name)).expect("the file");
    assert!(entry.contains(&format!(" {} ", text.len())), "{entry}");
    let first = play.run(&Command::Fetch, "a request", None, &[]);
    assert_eq!(play.run(&Command::Fetch, "a request", None, &[]), first);
}
