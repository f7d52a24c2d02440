//! Burn's side of the comparison: `burn-peer ACTION FILE COUNT FLOATS` does one thing, once, and
//! prints `{"ns": ..., "peak": ...}`. The record is a module of COUNT parameters of FLOATS numbers.
#[allow(dead_code)] // What takes microseconds is measured for the other peer only.
#[path = "../../rust/src/measure.rs"]
mod measure;

use burn::backend::NdArray;
use burn::module::{Module, Param};
use burn::record::{
    BinFileRecorder, BinGzFileRecorder, FileRecorder, FullPrecisionSettings, JsonGzFileRecorder,
    NamedMpkFileRecorder, NamedMpkGzFileRecorder, PrettyJsonFileRecorder, Recorder,
};
use burn::tensor::{backend::Backend, Tensor, TensorData};
use burn_store::{BurnpackStore, ModuleSnapshot};
use std::path::{Path, PathBuf};

type B = NdArray<f32>;
type Full = FullPrecisionSettings;

#[derive(Module, Debug)]
struct Model<B: Backend> {
    layers: Vec<Param<Tensor<B, 1>>>,
}

/// Numbers that gzip cannot make much of; those of ../side_by_side/worker_burn.cpp and peers.py.
fn number(i: usize) -> f32 {
    (i as u32).wrapping_mul(2654435761).wrapping_shr(8) as f32 / 16777216.0 - 0.5
}

fn model(count: usize, floats: usize) -> Model<B> {
    let device = Default::default();
    let layers = (0..count)
        .map(|layer| {
            let numbers: Vec<f32> = (0..floats).map(|i| number(layer * floats + i)).collect();
            Param::from_data(TensorData::new(numbers, [floats]), &device)
        })
        .collect();
    Model { layers }
}

fn check(model: &Model<B>, count: usize, floats: usize) {
    let last = model.layers[count - 1].val().into_data();
    let numbers = last.as_slice::<f32>().unwrap();
    assert_eq!(numbers.len(), floats);
    assert_eq!(numbers[floats - 1], number(count * floats - 1));
}

fn run_recorder<R: FileRecorder<B> + Recorder<B>>(
    recorder: R,
    action: &str,
    path: PathBuf,
    size: (usize, usize),
) {
    let device = Default::default();
    let (count, floats) = size;
    // A recorder puts its extension in the place of what follows the last dot.
    let small = path.with_file_name("small");
    model(2, 8).save_file(small.clone(), &recorder).unwrap();
    model(2, 8)
        .load_file(small.clone(), &recorder, &device)
        .unwrap();
    std::fs::remove_file(small.with_extension(R::file_extension())).unwrap();
    match action {
        "save" => {
            let record = model(count, floats).into_record();
            measure::measure(80 * count * floats, || {
                recorder.record(record, path).unwrap()
            });
        }
        "load" => {
            let target = model(count, 1);
            let mut loaded = None;
            measure::measure(80 * count * floats, || {
                let record = recorder.load(path, &device).unwrap();
                loaded = Some(target.load_record(record));
            });
            check(&loaded.unwrap(), count, floats);
        }
        other => panic!("unknown action {other}"),
    }
}

fn run_burnpack(action: &str, path: &Path, (count, floats): (usize, usize)) {
    match action {
        "save" => {
            let model = model(count, floats);
            measure::measure(80 * count * floats, || {
                model
                    .save_into(&mut BurnpackStore::from_file(path).overwrite(true))
                    .unwrap();
            });
        }
        "load" => {
            // The numbers are replaced; their shapes have to be those of the file.
            let mut loaded = model(count, floats);
            measure::measure(80 * count * floats, || {
                loaded
                    .load_from(&mut BurnpackStore::from_file(path))
                    .unwrap();
            });
            check(&loaded, count, floats);
        }
        other => panic!("unknown action {other}"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, action, file, count, floats] = &arguments[..] else {
        panic!("usage: burn-peer ACTION_FORMAT FILE COUNT FLOATS");
    };
    let (action, format) = action.split_once('_').unwrap();
    let path = PathBuf::from(file);
    let size = (count.parse().unwrap(), floats.parse().unwrap());
    match format {
        "mpk" => run_recorder(NamedMpkFileRecorder::<Full>::new(), action, path, size),
        "mpk_gz" => run_recorder(NamedMpkGzFileRecorder::<Full>::new(), action, path, size),
        "bin" => run_recorder(BinFileRecorder::<Full>::new(), action, path, size),
        "bin_gz" => run_recorder(BinGzFileRecorder::<Full>::new(), action, path, size),
        "json" => run_recorder(PrettyJsonFileRecorder::<Full>::new(), action, path, size),
        "json_gz" => run_recorder(JsonGzFileRecorder::<Full>::new(), action, path, size),
        "bpk" => run_burnpack(action, &path.with_extension("bpk"), size),
        other => panic!("unknown format {other}"),
    }
}
