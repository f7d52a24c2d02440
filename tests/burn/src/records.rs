//! The records of all kinds, and what is done with them.

use std::path::Path;

use burn::backend::NdArray;
use burn::record::Record;
use burn::tensor::backend::Backend;

use crate::job::{Check, Make};
use crate::recorders::{File, Format};
use crate::values::{Precision, Values};
use crate::{modules, plain, tensors, training};

/// Of f64, so that each precision rounds for itself.
pub type B = NdArray<f64>;
pub type Autodiff = burn::backend::Autodiff<B>;

/// In which files a record is kept.
#[derive(Clone, Copy)]
pub struct Plan {
    formats: &'static [Format],
    precisions: &'static [Precision],
    /// The record is a map of the first two ids, in whatever order Burn's hash gives them.
    two_ids: bool,
}

impl Plan {
    const THREE_FORMATS: [Format; 3] = [Format::Mpk, Format::Bin, Format::Json];
    pub const EVERYTHING: Plan = Plan {
        formats: &Format::ALL,
        precisions: &Precision::ALL,
        two_ids: false,
    };
    pub const PRECISIONS: Plan = Plan {
        formats: &Self::THREE_FORMATS,
        ..Self::EVERYTHING
    };
    pub const FULL: Plan = Plan {
        precisions: &[Precision::Full],
        ..Self::PRECISIONS
    };
    pub const DOUBLE: Plan = Plan {
        precisions: &[Precision::Double],
        ..Self::PRECISIONS
    };
    pub const TWO_IDS: Plan = Plan {
        two_ids: true,
        ..Self::FULL
    };

    fn files(self, name: &str) -> impl Iterator<Item = File> + '_ {
        let precisions = self.precisions.iter();
        precisions.flat_map(move |&precision| {
            let file = move |&format| File {
                name: name.to_string(),
                precision,
                format,
            };
            self.formats.iter().map(file)
        })
    }
}

/// Something that is done with every record.
pub trait Job {
    /// `make` gives the record, `reload` takes one through what it belongs to (a module, an optimizer)
    /// and says what it holds.
    fn record<T: Backend, R: Record<T>>(
        &mut self,
        name: &str,
        plan: Plan,
        expected: Values,
        make: impl Fn() -> R,
        reload: impl Fn(R) -> Values,
    );
}

pub fn run(job: &mut impl Job) {
    modules::run(job);
    plain::run(job);
    training::run(job);
}

/// Burn dies of some of its own files: with the reason, or none where it reads what it wrote.
fn unreadable(file: &File) -> Option<&'static str> {
    let empty = cfg!(all(feature = "since_14", not(feature = "since_17"))) && file.name == "empty_tensors";
    let nan = cfg!(not(feature = "since_14")) && file.name == "tensors" && file.precision != Precision::Half;
    match () {
        () if file.is_json() && (file.name == "odd_floats" || nan) => Some("NaN and infinity are null in JSON"),
        () if file.name == "units" && file.format != Format::Bin => Some("Some(()) is null, as None is"),
        () if empty => Some("this version panics on empty tensors"),
        () => None,
    }
}

/// Values with floats of 15 digits.
#[cfg(not(feature = "since_17"))]
fn coarse(mut values: Values) -> Values {
    use crate::values::{Numbers, ScalarValue};
    let coarse = |x: &mut f64| *x = format!("{x:.14e}").parse().expect("a float");
    for tensor in values.tensors.values_mut() {
        if let Numbers::Float(numbers) = &mut tensor.numbers {
            numbers.iter_mut().for_each(coarse);
        }
    }
    for scalar in values.scalars.values_mut() {
        if let ScalarValue::Float(x) = &mut scalar.value {
            coarse(x);
        }
    }
    values
}

/// Whether the file has the first id before the second one.
fn in_order(path: &Path) -> Result<bool, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let place = |n| {
        let id = tensors::id_text(&tensors::param_id(n));
        bytes.windows(id.len()).position(|window| window == id.as_bytes())
    };
    Ok(place(1) < place(2))
}

impl Job for Make {
    fn record<T: Backend, R: Record<T>>(
        &mut self,
        name: &str,
        plan: Plan,
        expected: Values,
        make: impl Fn() -> R,
        _reload: impl Fn(R) -> Values,
    ) {
        for file in plan.files(name) {
            let folder = self.folder.clone();
            self.file(&file.file_name(), || {
                // Where the order is random, this many tries find ours; where it is not, it stays.
                for _ in 0..64 {
                    file.save(make(), &folder)?;
                    if !plan.two_ids || in_order(&folder.join(file.file_name()))? {
                        break;
                    }
                }
                Ok(())
            });
        }
        self.expected(name, &expected);
    }
}

impl Job for Check {
    fn record<T: Backend, R: Record<T>>(
        &mut self,
        name: &str,
        plan: Plan,
        expected: Values,
        _make: impl Fn() -> R,
        reload: impl Fn(R) -> Values,
    ) {
        for file in plan.files(name) {
            if let Some(reason) = unreadable(&file) {
                println!("{}: not tried: {reason}", file.file_name());
                continue;
            }
            let folder = self.folder.clone();
            self.file(&file.file_name(), || {
                let found = reload(file.load::<T, R>(&folder)?);
                let expected = expected.rounded(file.precision);
                // What reads JSON there may miss an f64 by its last bit.
                #[cfg(not(feature = "since_17"))]
                if file.is_json() {
                    return coarse(expected).compare(&coarse(found));
                }
                expected.compare(&found)
            });
        }
    }
}
