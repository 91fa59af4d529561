//! How much memory may be used here: what the machine has left, and what the groups of this process are allowed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

const GROUPS: &str = "/sys/fs/cgroup";

pub(super) fn free_bytes() -> Result<u64> {
    let memory = std::fs::read_to_string("/proc/meminfo").context("cannot read /proc/meminfo")?;
    let line = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:")).context("no MemAvailable")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().context("MemAvailable is no number")?;
    // A kernel without groups has no such file.
    let membership = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let allowed = allowed_bytes(Path::new(GROUPS), &membership).unwrap_or(u64::MAX);
    Ok((kib * 1_024).min(allowed))
}

/// By the strictest of the groups that this process is in, one within the other; `None` where there is no limit. Lines
/// such as `0::/a/b`, and in the first version `4:memory:/a/b`.
fn allowed_bytes(root: &Path, membership: &str) -> Option<u64> {
    let allowed = membership.lines().filter_map(|line| {
        let mut words = line.splitn(3, ':').skip(1);
        let (controllers, group) = (words.next()?, words.next()?.trim_start_matches('/'));
        let (root, names) = match controllers {
            "" => (root.to_owned(), ["memory.max", "memory.current", "inactive_file"]),
            "memory" => {
                (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"])
            }
            _ => return None,
        };
        // Within a container its own group is the root, whatever it is called outside.
        let groups: Vec<PathBuf> = Path::new(group).ancestors().map(|group| root.join(group)).collect();
        groups.iter().filter_map(|group| left_bytes(group, names)).min()
    });
    allowed.min()
}

fn left_bytes(group: &Path, [limit, usage, reclaimable]: [&str; 3]) -> Option<u64> {
    let number = |name: &str| std::fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    // `max` is no number.
    let (limit, usage) = (number(limit)?, number(usage)?);
    let stat = std::fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    // Files that nobody has used for long give way.
    let named = |line: &str| line.strip_prefix(reclaimable)?.strip_prefix(' ')?.trim().parse::<u64>().ok();
    let reclaimable = stat.lines().find_map(named).unwrap_or(0);
    Some(limit.saturating_sub(usage.saturating_sub(reclaimable)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_group_decides() {
        let check = |files: &[(&str, &str)], membership: &str, expected: Option<u64>| {
            let root = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = root.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            assert_eq!(allowed_bytes(root.path(), membership), expected, "{files:?} {membership}");
        };
        check(&[], "", None);
        check(&[], "0::/", None);
        let container = [("memory.max", "1000\n"), ("memory.current", "900\n"), ("memory.stat", "inactive_file 300\n")];
        check(&container, "0::/", Some(400));
        check(&container, "0::/not/seen/from/inside", Some(400));
        check(&[("memory.max", "max\n"), ("memory.current", "900\n")], "0::/", None);
        let nested = [("a/memory.max", "500"), ("a/memory.current", "100"), ("a/b/memory.max", "max")];
        check(&nested, "0::/a/b", Some(400));
        let first = [("memory/a/memory.limit_in_bytes", "700"), ("memory/a/memory.usage_in_bytes", "200")];
        check(&first, "1:cpu:/\n4:memory:/a\n0::/", Some(500));
        check(&[("memory.max", "5"), ("memory.current", "900")], "0::/", Some(0));
    }
}
