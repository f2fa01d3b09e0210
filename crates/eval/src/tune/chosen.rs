//! The ranges that are searched: the usual ones, and those that are asked for.

use super::range::Range;
use super::settings::Setting;
use crate::ident::did_you_mean;
use crate::prelude::*;
use crate::strategy::Rule;

/// The ranges that are searched: those that are declared as `KEY=MIN..MAX`, the usual ones of what
/// decides eligibility and pressure, and of these only what is named, where something is.
pub fn chosen(all: &[Setting], vary: &[String], only: &[String]) -> Result<Vec<Range>> {
    let mut ranges: BTreeMap<&str, Range> = BTreeMap::new();
    let usual = all.iter().filter(|setting| setting.rule != Rule::Request);
    ranges.extend(usual.filter_map(|setting| Some((&*setting.key, Range::usual(setting)?))));
    for declared in vary {
        let place = || format!("--vary {declared}");
        let Some((key, range)) = declared.split_once('=') else {
            let hint = "as in `--vary codex.user-tokens=2000..40000`";
            return Err(Error::refused(place(), "expected KEY=MIN..MAX", hint));
        };
        let setting = named(all, key, "--vary")?;
        let range = Range::declared(setting, range);
        ranges.insert(
            &setting.key,
            range.map_err(|(rule, hint)| Error::refused(place(), rule, hint))?,
        );
    }
    if !only.is_empty() {
        let wanted = only.iter().map(|key| named(all, key, "--only"));
        let wanted: Vec<&Setting> = wanted.collect::<Result<_>>()?;
        if let Some(open) = wanted.iter().find(|one| !ranges.contains_key(&*one.key)) {
            let rule = format!("`{}` has no range of its own", open.key);
            let hint = format!("declare one: `--vary {}=MIN..MAX`", open.key);
            return Err(Error::refused(format!("--only {}", open.key), rule, hint));
        }
        ranges.retain(|key, _| wanted.iter().any(|one| one.key == *key));
    }
    // As the file has them.
    Ok(all.iter().filter_map(|setting| ranges.remove(&*setting.key)).collect())
}

/// The setting of this key, or the only one that has these parts in this order and ends alike.
fn named<'a>(all: &'a [Setting], key: &str, option: &str) -> Result<&'a Setting> {
    if let Some(found) = all.iter().find(|setting| setting.key == key) {
        return Ok(found);
    }
    let near: Vec<&Setting> =
        all.iter().filter(|setting| is_short_for(key, &setting.key)).collect();
    let place = || format!("{option} {key}");
    match near.as_slice() {
        [one] => Ok(one),
        [] => {
            let names = || all.iter().map(|setting| setting.key.as_str());
            let hint = did_you_mean(key, names());
            let hint =
                hint.unwrap_or_else(|| "`proctor tune PIPELINE --list` names all".to_owned());
            Err(Error::refused(place(), "the pipeline has no number of this name", hint))
        }
        several => {
            let keys: Vec<String> = several.iter().map(|one| format!("`{}`", one.key)).collect();
            let rule = format!("it could be {}", keys.join(" or "));
            Err(Error::refused(place(), rule, "write the whole key"))
        }
    }
}

fn is_short_for(short: &str, key: &str) -> bool {
    let mut parts = key.split('.').rev();
    let mut wanted = short.split('.').rev();
    let ends_alike = parts.next() == wanted.next();
    ends_alike && wanted.all(|part| parts.any(|own| own == part))
}
