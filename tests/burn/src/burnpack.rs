//! burnpack files of Burn 0.19 to 0.21: of modules, in the types that these have.

use std::path::Path;

use burn::backend::NdArray;
use burn::module::Module;
use burn::nn::{DropoutConfig, Linear, LinearConfig};
use burn_store::{BurnpackStore, ModuleSnapshot};

use crate::job::{Check, Make};
use crate::modules::filled;
use crate::rich::Rich;
use crate::values::{Numbers, Precision, Values};
use crate::walk::{values_of, Walk};

/// What users have.
type B = NdArray<f32>;

/// Something that is done with every burnpack file.
pub trait Job {
    /// `set_up` gives the store for a path, to save `new()` and to load it; `expected` is what is in the file.
    fn burnpack<M: Module<B>>(
        &mut self,
        name: &str,
        expected: Values,
        new: impl Fn() -> M,
        set_up: impl Fn(&Path) -> BurnpackStore,
    ) where
        M::Record: Walk<B>;
}

fn module<J: Job, M: Module<B>>(
    job: &mut J,
    name: &str,
    new: impl Fn() -> M,
    set_up: impl Fn(&Path) -> BurnpackStore,
    is_half: impl Fn(&str) -> bool,
) where
    M::Record: Walk<B>,
{
    let mut expected = filled(new()).1;
    // Nothing in the file tells of what is none.
    expected.scalars.clear();
    for (path, tensor) in &mut expected.tensors {
        if let Numbers::Float(numbers) = &mut tensor.numbers {
            let (dtype, precision) = if is_half(path) {
                ("F16", Precision::Half)
            } else {
                ("F32", Precision::Full)
            };
            tensor.dtype = dtype;
            numbers.iter_mut().for_each(|x| *x = precision.round(*x));
        }
    }
    job.burnpack(name, expected, new, set_up);
}

pub fn run<J: Job>(job: &mut J) {
    let device = Default::default();
    let rich = || Rich::<B>::new(&device);
    let linear = || -> Linear<B> { LinearConfig::new(2, 2).init(&device) };
    let full = |_: &str| false;
    let file = |path: &Path| BurnpackStore::from_file(path).overwrite(true);
    module(job, "rich", rich, file, full);
    module(
        job,
        "metadata",
        linear,
        |path| file(path).metadata("", "an empty key").metadata("größe", "5 \u{1F980}"),
        full,
    );
    module(job, "no_metadata", linear, |path| file(path).clear_metadata(), full);
    module(job, "no_tensors", || DropoutConfig::new(0.5).init(), file, full);
    #[cfg(feature = "since_21")]
    {
        use burn_store::HalfPrecisionAdapter;
        let half = |path: &Path| {
            let adapter = HalfPrecisionAdapter::new();
            file(path).with_to_adapter(adapter.clone()).with_from_adapter(adapter)
        };
        // The adapter leaves batch normalization and what is not Burn's own alone.
        let is_half = |path: &str| !path.starts_with("batch_norm.") && path != "nested.weight";
        module(job, "rich_half", rich, half, is_half);
    }
}

fn without_ids(mut values: Values) -> Values {
    values.tensors.values_mut().for_each(|tensor| tensor.id = None);
    values
}

/// Burn 0.19 leaves the indices of tuples out of a file's names.
fn in_file(mut values: Values) -> Values {
    if !cfg!(feature = "since_20") {
        let name = |path: String| path.replace("pair.0.", "pair.").replace("pair.1.", "pair.");
        values.tensors = values
            .tensors
            .into_iter()
            .map(|(path, tensor)| (name(path), tensor))
            .collect();
    }
    values
}

impl Job for Make {
    fn burnpack<M: Module<B>>(
        &mut self,
        name: &str,
        expected: Values,
        new: impl Fn() -> M,
        set_up: impl Fn(&Path) -> BurnpackStore,
    ) where
        M::Record: Walk<B>,
    {
        let file_name = format!("{name}.bpk");
        let path = self.folder.join(&file_name);
        self.file(&file_name, || {
            filled(new()).0.save_into(&mut set_up(&path)).map_err(|e| e.to_string())
        });
        self.expected(&file_name, &in_file(expected));
    }
}

impl Job for Check {
    fn burnpack<M: Module<B>>(
        &mut self,
        name: &str,
        expected: Values,
        new: impl Fn() -> M,
        set_up: impl Fn(&Path) -> BurnpackStore,
    ) where
        M::Record: Walk<B>,
    {
        let file_name = format!("{name}.bpk");
        let path = self.folder.join(&file_name);
        self.file(&file_name, || {
            let mut module = new();
            let result = module.load_from(&mut set_up(&path)).map_err(|e| e.to_string())?;
            if !result.unused.is_empty() {
                return Err(format!("the module has no use for {:?}", result.unused));
            }
            let mut found = values_of(module.into_record());
            found.scalars.clear();
            // A module keeps its own ids.
            without_ids(expected).compare(&without_ids(found))
        });
    }
}
