//! Takes the room away that the file of SQLite needs to grow: on a small disk that is filled, where one is allowed; and by
//! `max_page_count`, which a server obeys that was told a mark, everywhere.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::disk::{self, SmallDisk};

#[derive(Debug)]
pub(super) struct Room {
    disk: Option<SmallDisk>,
    /// The file may not grow while it exists.
    mark: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    Disk,
    Pages,
}

impl Lack {
    pub(super) fn name(self) -> &'static str {
        match self {
            Lack::Disk => "small disk",
            Lack::Pages => "max_page_count",
        }
    }
}

impl Room {
    /// `data` is where the file will be.
    pub(super) fn prepare(data: &Path, mark: PathBuf, group: i32) -> Result<Room> {
        let disk = match disk::forbidden() {
            None => Some(SmallDisk::mount(data, group)?),
            Some(_) => None,
        };
        Ok(Room { disk, mark })
    }

    pub(super) fn disk(&self) -> Option<&SmallDisk> {
        self.disk.as_ref()
    }

    /// What a server must be told.
    pub(super) fn args(&self) -> Result<[String; 2]> {
        let mark = self.mark.to_str().context("the folder's name is not UTF-8; choose another")?;
        Ok(["--lab-full-while".to_owned(), mark.to_owned()])
    }

    /// Takes it away: by turns, where there are two ways.
    pub(super) fn take_away(&self, strength: u32) -> Result<Lack> {
        match &self.disk {
            Some(disk) if strength.is_multiple_of(2) => {
                disk.fill()?;
                Ok(Lack::Disk)
            }
            Some(_) | None => {
                std::fs::write(&self.mark, "").context("cannot make the mark")?;
                Ok(Lack::Pages)
            }
        }
    }

    pub(super) fn give_back(&self) -> Result<()> {
        self.disk.iter().try_for_each(SmallDisk::empty)?;
        match std::fs::remove_file(&self.mark) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error).context("cannot remove the mark"),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
