//! The Rust crate's side of the comparison: `safetensors-peer ACTION FILE COUNT FLOATS` does one
//! thing, once, and prints `{"ns": ..., "peak": ...}`; see ../side_by_side/measure.hpp.
mod measure;

use measure::{measure, measure_each};
use memmap2::Mmap;
use safetensors::slice::IndexOp;
use safetensors::tensor::{serialize, serialize_to_file, Dtype, SafeTensors, TensorView};
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;

const PAGE: usize = 4096;

fn views(bytes: &[u8], count: usize) -> Vec<(String, TensorView<'_>)> {
    let size = bytes.len() / count;
    (0..count)
        .map(|i| {
            let part = &bytes[i * size..(i + 1) * size];
            let view = TensorView::new(Dtype::F32, vec![size / 4], part).unwrap();
            (format!("layers.{i:06}.weight"), view)
        })
        .collect()
}

/// The first byte of every page of every tensor.
fn touch(tensors: &SafeTensors) -> usize {
    let bytes_of = |view: TensorView| -> usize {
        view.data().iter().step_by(PAGE).map(|&byte| usize::from(byte)).sum()
    };
    tensors.iter().map(|(_, view)| bytes_of(view)).sum()
}

fn map(path: &Path) -> Mmap {
    unsafe { Mmap::map(&File::open(path).unwrap()).unwrap() }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, action, file, count, floats] = &arguments[..] else {
        panic!("usage: safetensors-peer ACTION FILE COUNT FLOATS");
    };
    let path = Path::new(file);
    let count: usize = count.parse().unwrap();
    let size = 4 * count * floats.parse::<usize>().unwrap();

    // The code runs once on something small before it is measured.
    let small = path.with_extension("small");
    serialize_to_file(views(&[1; 64], 4), None, &small).unwrap();
    black_box(SafeTensors::deserialize(&fs::read(&small).unwrap()).unwrap().len());
    fs::remove_file(&small).unwrap();

    match action.as_str() {
        "save" => {
            let bytes = vec![1u8; size];
            let tensors = views(&bytes, count);
            measure(size, || serialize_to_file(tensors, None, path).unwrap());
        }
        "save_memory" => {
            let bytes = vec![1u8; size];
            let tensors = views(&bytes, count);
            measure(size, || serialize(tensors, None).unwrap());
        }
        "load_memory" => {
            let bytes = vec![1u8; size];
            let saved = serialize(views(&bytes, count), None).unwrap();
            measure(size, || {
                let tensors = SafeTensors::deserialize(&saved).unwrap();
                tensors.iter().map(|(_, view)| view.data().to_vec()).collect::<Vec<_>>()
            });
        }
        "load" => measure(size + size / 2, || {
            let bytes = fs::read(path).unwrap();
            let tensors = SafeTensors::deserialize(&bytes).unwrap();
            let first: usize = tensors.iter().map(|(_, view)| usize::from(view.data()[0])).sum();
            black_box(first);
            bytes
        }),
        "open" => measure(1 << 26, || {
            let mapping = map(path);
            black_box(SafeTensors::deserialize(&mapping).unwrap().len());
            mapping
        }),
        "touch" => {
            // Once before, so that the lines are in the processor's cache for all who are compared.
            black_box(touch(&SafeTensors::deserialize(&map(path)).unwrap()));
            let mut mapping = None;
            measure(1 << 20, || {
                let bytes: &Mmap = mapping.insert(map(path));
                touch(&SafeTensors::deserialize(bytes).unwrap())
            });
        }
        "slice" => measure(1 << 24, || {
            let mapping = map(path);
            let tensors = SafeTensors::deserialize(&mapping).unwrap();
            let view = tensors.tensor("weight").unwrap();
            let slices = view.slice((.., 1000..1100)).unwrap();
            slices.fold(Vec::with_capacity(1 << 23), |mut all, part| {
                all.extend_from_slice(part);
                all
            })
        }),
        // The shards of `worker W11 save`; the crate knows nothing of the index.
        "open_shards" => measure(1 << 28, || {
            let mappings: Vec<Mmap> = (1..=10)
                .map(|i| map(Path::new(&format!("{file}-{i:05}-of-00010.safetensors"))))
                .collect();
            let tensors: usize =
                mappings.iter().map(|bytes| SafeTensors::deserialize(bytes).unwrap().len()).sum();
            assert_eq!(tensors, count);
            mappings
        }),
        "save_tiny" => {
            let bytes = [1u8; 16];
            let prepare = || {
                let _ = fs::remove_file(path);
            };
            measure_each(prepare, || serialize_to_file(views(&bytes, 1), None, path).unwrap());
        }
        "load_tiny" => measure_each(
            || (),
            || {
                let bytes = fs::read(path).unwrap();
                black_box(SafeTensors::deserialize(&bytes).unwrap().len());
            },
        ),
        other => panic!("unknown action {other}"),
    }
}
