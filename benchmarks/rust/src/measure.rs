//! How one measurement is taken, as in ../../side_by_side/measure.hpp.
use memmap2::MmapMut;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

const PAGE: usize = 4096;

/// A line of /proc/self/status, such as `VmHWM:   1234 kB`, in bytes.
fn status(name: &str) -> usize {
    let text = fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1024
}

fn warm_memory(bytes: usize) {
    let mut memory = MmapMut::map_anon(bytes).unwrap();
    let _ = memory.advise(memmap2::Advice::HugePage);
    for index in (0..bytes).step_by(PAGE) {
        memory[index] = 1;
    }
    black_box(&memory);
}

/// Measures `run` once, with that much memory touched and freed before.
pub fn measure<T>(bytes: usize, run: impl FnOnce() -> T) {
    warm_memory(bytes);
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status("VmRSS:");
    let start = Instant::now();
    let result = run();
    let ns = start.elapsed().as_nanos();
    println!("{{\"ns\": {ns}, \"peak\": {}}}", status("VmHWM:").saturating_sub(before));
    black_box(result);
}

/// The median of 2000 runs, for what takes microseconds, with `prepare` before each.
pub fn measure_each(prepare: impl Fn(), mut run: impl FnMut()) {
    let mut times: Vec<u128> = (0..2000)
        .map(|_| {
            prepare();
            let start = Instant::now();
            run();
            start.elapsed().as_nanos()
        })
        .collect();
    times.sort_unstable();
    println!("{{\"ns\": {}, \"peak\": 0}}", times[1000]);
}
