//! What is taken for a secret and what is not. Every value here is made up.

use super::*;

const HEX: &str = "9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d";

#[test]
fn well_known_shapes_are_found() {
    let random = "x7Qm2Lp9Zr4Tk8Vw3Ns6Yb1Hd5Gf0Jc";
    let base64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    // Kept in two halves, so that no scanner takes this file for a leak.
    for (kind, halves) in [
        ("AWS access key id", &["key AK", "IAQ3EGRIHTSV5XW2ZK."][..]),
        ("GitHub token", &["gh", "p_", random, "A1b2C3d4"]),
        ("GitHub token", &["github_", "pat_", random, random, "0aA"]),
        ("GitLab token", &["glp", "at-", "Zx9_kQ27mN4pLr8sT1vW"]),
        ("private key", &["-----BEGIN RSA PRIVATE", " KEY-----\n", base64, "\n"]),
        ("private key", &["\"-----BEGIN PRIVATE", " KEY-----\\n", base64, "\\n\""]),
        ("signed web token", &["eyJ", "hbGciOiJIUzI1NiJ9.eyJ", "zdWIiOiIxMjM0NSJ9.", random]),
        ("Slack token", &["xo", "xb-2718281828-", random]),
        ("Slack token", &["https://hooks.slack.com/", "services/T0A1B2C3D/B0A1B2C3D/", random]),
        ("Stripe key", &["sk_", "live_", random]),
        ("Anthropic key", &["sk-", "ant-api03-", random]),
        ("OpenAI-style key", &["OPENAI: sk-", "proj-", random]),
        ("OpenAI-style key", &["sk-", random, "a1B2"]),
        ("Google key", &["AI", "za", random, "aB3d"]),
        ("registry token", &["np", "m_", random, "aB3d5"]),
        ("password", &["password=tr0ub4dor"]),
        ("password", &["PASSWORD: 'correcthorse'"]),
        ("password", &[r#"{"db_password":"horse"#, r#"-battery"}"#]),
        ("password", &[r#"{\"password\":\"hunter2hunter\"}"#]),
        ("password", &["postgres://proctor:s3cr3tword@db.internal/x"]),
        ("assigned secret", &["client_secret = \"", random, "\""]),
        ("assigned secret", &["AWS_SECRET_ACCESS_KEY=wJ4lrXUtn", "FEMI/K7MDENG/bPxRfiCY9q2Lz8Ab"]),
        ("assigned secret", &["Authorization: Bearer ", random]),
        ("assigned key", &["\\\"api_key\\\": \\\"", random, "\\\""]),
        ("assigned key", &["api_key: 9b1d", "eb4d3b7d4bad9bdd2b0d7b3dcb6d"]),
        ("GitLab token", &["glp", "at-ZxK_kQwPmNbpLrCsTlvW"]),
        ("Google token", &["GOC", "SPX-x7Qm2Lp9Zr4Tk8Vw3Ns6Yb1Hd5Gf"]),
        ("Google token", &["ya", "29.a0Af_", random]),
        ("registry token", &["py", "pi-AgEIcHlwaS5vcmc", random, random]),
        ("registry token", &["ci", "o", random, "4"]),
        ("registry token", &["dckr_", "pat_", random]),
        ("mail service key", &["S", "G.x7Qm2Lp9Zr4Tk8Vw3Ns6Yb.", random, "aB3dE5fG7hIj"]),
        ("mail service key", &["ke", "y-9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d"]),
        ("cloud service token", &["Account", "Key=", base64, "AAAAAAAAAAAAAAAAAAAAA4==;Endpoint"]),
        ("cloud service token", &["dop_", "v1_", HEX, HEX]),
        ("cloud service token", &["da", "pi", HEX]),
        ("cloud service token", &["hv", "s.", random]),
        ("model service key", &["gs", "k_", random, random]),
        ("model service key", &["xa", "i-", random, random]),
        ("bot token", &["110201543:A", "AHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"]),
        (
            "private key",
            &[
                "AGE-SECRET",
                "-KEY-1",
                "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
                "QPZRY9X8GF2TVDW0S3JN54KHCE",
            ],
        ),
        ("private key", &["client-key-", "data: ", base64]),
        ("cookie", &["Cookie: session=", random]),
        ("password", &["https://x7Qm2Lp9Zr4Tk8Vw3Ns6@", "git.example/x.git"]),
    ] {
        let text = halves.concat();
        let found: Vec<&str> = find(&text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(found, [kind], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_secret_is_passed_over() {
    for text in include_str!("no-secrets.txt").lines().chain([""]) {
        assert_eq!(find(text), [], "{text}");
    }
}

#[test]
fn what_is_found_is_the_value_and_stands_in_the_text() {
    let text = "ä password = \"tr0ub4dor&3\" ä";
    let found = find(text);
    assert_eq!(found.len(), 1);
    assert!(text[found[0].1.clone()].contains("tr0ub4dor"), "{found:?}");
}

proptest::proptest! {
    /// forall texts: a scan ends, and its ranges are in order and on characters.
    #[test]
    fn any_text_can_be_scanned(text in "(password|token|sk-|eyJ|://|[a-zä\"'=:@ ]){0,40}") {
        let mut end = 0;
        for (_, range) in find(&text) {
            proptest::prop_assert!(range.start >= end && text.get(range.clone()).is_some());
            end = range.end;
        }
    }
}

#[test]
fn an_e_mail_address_is_found_and_the_user_of_a_repository_is_none() {
    for (text, expected) in [
        ("write to ada@harbour.example today", &["ada@harbour.example"][..]),
        ("a.b+c@x-y.co.uk, d_e@z.org", &["a.b+c@x-y.co.uk", "d_e@z.org"]),
        ("git@code.example:harbour/tides.git", &[]),
        ("@decorator and a @ b", &[]),
    ] {
        let found: Vec<&str> = addresses(text).map(|(_, at)| &text[at]).collect();
        assert_eq!(found, expected, "{text}");
    }
}
