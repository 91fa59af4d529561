//! What `crates/lab/planted` says: the bugs, the edits that plant them, and where torture looks for them; and the edits that
//! register the sample module.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

pub(super) const FOLDER: &str = "crates/lab/planted";

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Catalogue {
    #[serde(rename = "bug")]
    pub(super) bugs: Vec<Bug>,
    /// Runs without a bug, in which nothing may be found.
    #[serde(rename = "control")]
    pub(super) controls: Vec<Trial>,
    /// Edits that belong to no bug.
    support: Vec<Support>,
    /// Of the sample module.
    #[serde(rename = "registration")]
    registrations: Vec<Edit>,
}

/// Whose registrations are, in messages.
const SAMPLE: &str = "the sample module";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bug {
    pub(super) name: String,
    what: String,
    pub(super) trial: Option<Trial>,
    /// Why torture cannot find it, and what does.
    pub(super) elsewhere: Option<String>,
    #[serde(rename = "edit")]
    edits: Vec<Edit>,
}

/// A run of torture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    pub(super) store: String,
    pub(super) minutes: f64,
    pub(super) faults: String,
    /// One of them has to find the bug: rules that say what is wrong, not any that notice that something is.
    #[serde(default)]
    pub(super) rules: Vec<String>,
    /// Of several searches for the bug, as `cargo xtask prove planted --searches N` printed it. Runs without a bug have none.
    pub(super) slowest_secs: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Support {
    what: String,
    #[serde(rename = "edit")]
    edits: Vec<Edit>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    file: PathBuf,
    /// Has to be in the file exactly once.
    find: String,
    before: Option<String>,
    after: Option<String>,
    replace: Option<String>,
}

impl Catalogue {
    pub(super) fn read(root: &Path) -> Result<Catalogue> {
        let folder = root.join(FOLDER);
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        let mut paths: Vec<PathBuf> =
            paths.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "toml")).collect();
        paths.sort();
        let mut whole = Catalogue::default();
        for path in paths {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let part: Catalogue =
                toml::from_str(&text).with_context(|| format!("cannot understand {}", path.display()))?;
            whole.bugs.extend(part.bugs);
            whole.controls.extend(part.controls);
            whole.support.extend(part.support);
            whole.registrations.extend(part.registrations);
        }
        whole.check()?;
        Ok(whole)
    }

    fn check(&self) -> Result<()> {
        let mut names = HashSet::new();
        for Bug { name, what, trial, elsewhere, edits } in &self.bugs {
            ensure!(names.insert(name), "two planted bugs are called `{name}`");
            ensure!(what.ends_with('.'), "`{name}` has no sentence that says what it is");
            match (trial, elsewhere) {
                (Some(trial), None) => {
                    ensure!(!trial.rules.is_empty(), "no rule has to find `{name}`");
                    ensure!(
                        trial.slowest_secs.is_some_and(|secs| secs > 0),
                        "it is not said how long the slowest search for `{name}` took"
                    );
                }
                (None, Some(_)) => {}
                (Some(_), Some(_)) | (None, None) => bail!("`{name}` needs either a trial or an elsewhere"),
            }
            ensure!(edits.iter().any(|edit| edit.mentions(name)), "no edit of `{name}` asks whether it is planted");
        }
        for Support { what, edits } in &self.support {
            ensure!(!edits.is_empty(), "without an edit: {what}");
        }
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.bugs.iter().any(|bug| bug.name == name)
    }

    fn edits(&self) -> impl Iterator<Item = (&str, &Edit)> {
        let bugs = self.bugs.iter().flat_map(|bug| bug.edits.iter().map(|edit| (bug.name.as_str(), edit)));
        let support = self.support.iter();
        let support = support.flat_map(|support| support.edits.iter().map(|edit| (support.what.as_str(), edit)));
        bugs.chain(support).chain(self.registrations())
    }

    fn registrations(&self) -> impl Iterator<Item = (&str, &Edit)> {
        self.registrations.iter().map(|edit| (SAMPLE, edit))
    }

    /// The files that differ in the copy. Fails if an edit does not fit.
    pub(super) fn edited(&self, root: &Path) -> Result<BTreeMap<PathBuf, String>> {
        apply_all(self.edits(), root)
    }

    /// The files that the sample module touches, as it leaves them.
    #[cfg(test)]
    pub(super) fn registered(&self, root: &Path) -> Result<BTreeMap<PathBuf, String>> {
        apply_all(self.registrations(), root)
    }
}

fn apply_all<'e>(edits: impl Iterator<Item = (&'e str, &'e Edit)>, root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut by_file: BTreeMap<&Path, Vec<(&str, &Edit)>> = BTreeMap::new();
    for (owner, edit) in edits {
        by_file.entry(&edit.file).or_default().push((owner, edit));
    }
    let mut edited = BTreeMap::new();
    for (file, edits) in by_file {
        let text = fs::read_to_string(root.join(file))
            .with_context(|| format!("`{}` edits {}, which cannot be read", edits[0].0, file.display()))?;
        let text = apply(&text, &edits).with_context(|| {
            format!("{} has changed; adapt the edit in {FOLDER}, so that its meaning stays the same", file.display())
        })?;
        edited.insert(file.to_owned(), text);
    }
    Ok(edited)
}

impl Edit {
    fn mentions(&self, name: &str) -> bool {
        let question = format!("planted!(\"{name}\")");
        [&self.before, &self.after, &self.replace].into_iter().flatten().any(|text| text.contains(&question))
    }

    fn place(&self, owner: &str, text: &str) -> Result<Range<usize>> {
        let mut found = text.match_indices(&self.find);
        match (found.next(), found.next()) {
            (Some((start, _)), None) => Ok(start..start + self.find.len()),
            (None, _) => bail!("an edit of `{owner}` does not find its text: {}", self.find),
            (Some(_), Some(_)) => bail!("an edit of `{owner}` finds its text more than once: {}", self.find),
        }
    }

    fn result(&self, owner: &str) -> Result<String> {
        let Edit { find, before, after, replace, .. } = self;
        match (before, after, replace) {
            (None, None, Some(replace)) => Ok(replace.clone()),
            (None, None, None) | (_, _, Some(_)) => {
                bail!("an edit of `{owner}` needs either `replace` or `before` and `after`: {find}")
            }
            (before, after, None) => {
                Ok([before.as_deref().unwrap_or_default(), find, after.as_deref().unwrap_or_default()].concat())
            }
        }
    }
}

/// All of them at once, so that their order does not matter and no edit finds the text of another.
fn apply(text: &str, edits: &[(&str, &Edit)]) -> Result<String> {
    let mut places = Vec::new();
    for (owner, edit) in edits {
        places.push((edit.place(owner, text)?, *owner, edit.result(owner)?));
    }
    places.sort_by_key(|(place, ..)| place.start);
    let (mut edited, mut done) = (String::with_capacity(text.len()), 0);
    for (place, owner, result) in places {
        ensure!(done <= place.start, "an edit of `{owner}` changes what another edit changes");
        edited.push_str(&text[done..place.start]);
        edited.push_str(&result);
        done = place.end;
    }
    edited.push_str(&text[done..]);
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_fits_exactly_once() {
        let check = |text: &str, edits: &str, expected: &str| {
            let catalogue: Catalogue = toml::from_str(edits).unwrap();
            let edits: Vec<_> = catalogue.edits().collect();
            let outcome = apply(text, &edits).unwrap_or_else(|error| format!("error: {error}"));
            assert_eq!(outcome, expected);
        };
        let edits = |words: &[&str]| {
            let edits: String = words.iter().map(|words| format!("[[support.edit]]\nfile = 'f'\n{words}\n")).collect();
            format!("[[support]]\nwhat = 'it'\n{edits}")
        };
        check("a b c", &edits(&["find = 'b'\nreplace = 'x'"]), "a x c");
        check("a b c", &edits(&["find = 'c'\nafter = '!'", "find = 'a'\nbefore = '('\nafter = ')'"]), "(a) b c!");
        check("a b", &edits(&["find = 'c'\nreplace = ''"]), "error: an edit of `it` does not find its text: c");
        check("a a", &edits(&["find = 'a'\nreplace = ''"]), "error: an edit of `it` finds its text more than once: a");
        check(
            "a b",
            &edits(&["find = 'a b'\nreplace = ''", "find = 'b'\nreplace = ''"]),
            "error: an edit of `it` changes what another edit changes",
        );
        check("a", &edits(&["find = 'a'"]), "error: an edit of `it` needs either `replace` or `before` and `after`: a");
    }
}
