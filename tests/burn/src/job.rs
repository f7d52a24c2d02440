//! What this program does: `make` and `check`, whatever the records are.

use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::values::Values;

/// The version of Burn: the manifests give it to this program too.
const BURN: &str = env!("CARGO_PKG_VERSION");

/// Runs what may panic, and gives the panic's message as an error.
fn guarded(action: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(action)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|x| x.to_string()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Writes every golden file, and what it holds.
pub struct Make {
    pub folder: PathBuf,
    failed: usize,
}

impl Make {
    fn new(folder: &Path) -> Make {
        std::fs::create_dir_all(folder.join("expected")).expect("a folder");
        Make {
            folder: folder.to_path_buf(),
            failed: 0,
        }
    }

    pub fn file(&mut self, name: &str, save: impl FnOnce() -> Result<(), String>) {
        if let Err(error) = guarded(save) {
            println!("{name}: {error}");
            self.failed += 1;
        }
    }

    pub fn expected(&self, record: &str, values: &Values) {
        let path = self.folder.join("expected").join(format!("{record}.json"));
        std::fs::write(path, values.json(record, BURN)).expect("expected values are written");
    }
}

/// Loads files that have the names of the golden ones, and compares.
pub struct Check {
    pub folder: PathBuf,
    /// The files to look for; all if none.
    wanted: Option<BTreeSet<String>>,
    good: usize,
    failed: usize,
}

impl Check {
    fn new(folder: &Path, list: Option<&str>) -> Check {
        let names = |path| std::fs::read_to_string(path).expect("a list of names");
        let wanted = list.map(|path| names(path).lines().map(str::to_string).collect());
        Check {
            folder: folder.to_path_buf(),
            wanted,
            good: 0,
            failed: 0,
        }
    }

    /// One line for a file; `check` says what is wrong with it.
    pub fn file(&mut self, name: &str, check: impl FnOnce() -> Result<(), String>) {
        if let Some(wanted) = &mut self.wanted {
            if !wanted.remove(name) {
                return;
            }
        }
        let result = match self.folder.join(name).exists() {
            true => guarded(check),
            false => Err("missing".to_string()),
        };
        match result {
            Ok(()) => self.good += 1,
            Err(_) => self.failed += 1,
        }
        println!("{name}: {}", result.err().unwrap_or("ok".to_string()));
    }

    fn end(mut self) -> usize {
        for name in self.wanted.take().unwrap_or_default() {
            println!("{name}: Burn {BURN} has no such file here");
            self.failed += 1;
        }
        println!("{} ok, {} failed", self.good, self.failed);
        self.failed
    }
}

/// Does what the command line says.
pub fn command(make: impl FnOnce(&mut Make), check: impl FnOnce(&mut Check)) -> ExitCode {
    // Panics are told on the line of the file that they are about.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let failed = match arguments[..] {
        ["make", folder] => {
            let mut job = Make::new(Path::new(folder));
            make(&mut job);
            job.failed
        }
        ["check", folder, ref list @ ..] if list.len() < 2 => {
            let mut job = Check::new(Path::new(folder), list.first().copied());
            check(&mut job);
            job.end()
        }
        _ => {
            eprintln!("make FOLDER | check FOLDER [FILE_WITH_NAMES]");
            1
        }
    };
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
