//! Golden files of Burn's records, and a check of files that another program wrote: see ../README.md.

#[cfg(feature = "since_19")]
mod burnpack;
mod job;
mod modules;
mod plain;
mod recorders;
mod records;
mod rich;
mod tensors;
mod training;
mod tree;
mod values;
mod walk;

/// Does a job with every record, then with every burnpack file.
macro_rules! run {
    ($job:expr) => {{
        records::run($job);
        #[cfg(feature = "since_19")]
        burnpack::run($job);
    }};
}

fn main() -> std::process::ExitCode {
    job::command(|make| run!(make), |check| run!(check))
}
