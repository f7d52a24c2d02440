//! Golden files of Burn 0.22, which knows burnpack only and has no backend in its types any more.

mod job;
// Of what records hold, burnpack files have only a part.
#[allow(dead_code)]
mod values;

use std::path::Path;

use burn::lr_scheduler::composed::ComposedLrSchedulerConfig;
use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::lr_scheduler::module_lr_scheduler::ModuleLrScheduler;
use burn::lr_scheduler::noam::NoamLrSchedulerConfig;
use burn::lr_scheduler::step::StepLrSchedulerConfig;
use burn::lr_scheduler::LrSchedulerRecord;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId, RunningState};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{
    BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Embedding, EmbeddingConfig, GroupNorm, GroupNormConfig,
    LayerNorm, LayerNormConfig, Linear, LinearConfig, PRelu, PReluConfig, RmsNorm, RmsNormConfig,
};
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer, OptimizerRecord, SgdConfig};
use burn::store::{BurnpackStore, HalfPrecisionAdapter, ModuleRecord, ModuleSnapshot};
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};

use job::{Check, Make};
use values::{Numbers, Precision, Scalar, ScalarValue, TensorValues, Values};

// ---- the module ----

#[derive(Module, Debug)]
struct Nested {
    weight: Param<Tensor<3>>,
    inner: Linear,
}

#[derive(Module, Debug)]
enum Choice {
    #[allow(dead_code)]
    Linear(Linear),
    Norm(LayerNorm),
}

#[derive(Module, Debug)]
struct Rich {
    linear: Linear,
    linear_no_bias: Linear,
    conv: Conv2d,
    batch_norm: BatchNorm,
    layer_norm: LayerNorm,
    group_norm: GroupNorm,
    rms_norm: RmsNorm,
    embedding: Embedding,
    prelu: PRelu,
    some: Option<Linear>,
    none: Option<Linear>,
    layers: Vec<Linear>,
    pair: (Linear, LayerNorm),
    choice: Choice,
    ints: Param<Tensor<2, Int>>,
    bools: Param<Tensor<1, Bool>>,
    nested: Nested,
    dropout: Dropout,
}

impl Rich {
    fn new(device: &Device) -> Self {
        let linear = |d_input, d_output| LinearConfig::new(d_input, d_output).init(device);
        let norm = |d_model| LayerNormConfig::new(d_model).init(device);
        let id = ParamId::from(0);
        // A mapper cannot set these two ids: they are what it would make them.
        let mut batch_norm = BatchNormConfig::new(2).init(device);
        batch_norm.running_mean = RunningState::with_id(param_id(8), Tensor::zeros([2], device));
        batch_norm.running_var = RunningState::with_id(param_id(9), Tensor::ones([2], device));
        Rich {
            linear: linear(3, 2),
            linear_no_bias: LinearConfig::new(2, 2).with_bias(false).init(device),
            conv: Conv2dConfig::new([1, 2], [2, 3]).init(device),
            batch_norm,
            layer_norm: norm(3),
            group_norm: GroupNormConfig::new(1, 2).init(device),
            rms_norm: RmsNormConfig::new(3).init(device),
            embedding: EmbeddingConfig::new(4, 2).init(device),
            prelu: PReluConfig::new().init(device),
            some: Some(linear(1, 2)),
            none: None,
            layers: vec![linear(2, 1), linear(1, 1)],
            pair: (linear(2, 2), norm(2)),
            choice: Choice::Norm(norm(2)),
            ints: Param::initialized(id, Tensor::from_data(TensorData::new(vec![0i64; 6], [2, 3]), device)),
            bools: Param::initialized(id, Tensor::from_data(TensorData::new(vec![false; 4], [4]), device)),
            nested: Nested {
                weight: Param::initialized(id, Tensor::from_data(TensorData::new(vec![0f32; 4], [2, 1, 2]), device)),
                inner: linear(1, 1),
            },
            dropout: DropoutConfig::new(0.5).init(),
        }
    }
}

// ---- values ----

/// The id of the `n`th parameter, as in the other versions.
fn param_id(n: u64) -> ParamId {
    ParamId::from((n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Gives every parameter values and an id that depend on nothing but its place, as in the other versions.
#[derive(Default)]
struct Fill {
    path: Vec<String>,
    ids: u64,
    numbers: i64,
    values: Values,
}

impl Fill {
    fn id(&mut self) -> ParamId {
        self.ids += 1;
        param_id(self.ids)
    }

    fn numbers<T>(&mut self, shape: &[usize], value: impl Fn(i64) -> T) -> Vec<T> {
        let first = self.numbers;
        self.numbers += shape.iter().product::<usize>() as i64;
        (first..self.numbers).map(value).collect()
    }

    fn note(&mut self, id: ParamId, dtype: &'static str, shape: &[usize], numbers: Numbers) {
        let tensor = TensorValues {
            dtype,
            ..TensorValues::new(Some(id.to_string()), shape.to_vec(), numbers)
        };
        self.values.tensors.insert(self.path.join("."), tensor);
    }
}

impl ModuleMapper for Fill {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (_, old, mapper) = param.consume();
        let (id, shape) = (self.id(), old.dims());
        let numbers = self.numbers(&shape, |i| (((i * 37 + 11) % 101 - 50) as f64 / 80.0) as f32);
        self.note(
            id,
            "F32",
            &shape,
            Numbers::Float(numbers.iter().map(|x| f64::from(*x)).collect()),
        );
        let tensor = Tensor::from_data(TensorData::new(numbers, shape), &old.device());
        Param::from_mapped_value(id, tensor, mapper)
    }

    fn map_int<const D: usize>(&mut self, param: Param<Tensor<D, Int>>) -> Param<Tensor<D, Int>> {
        let (_, old, mapper) = param.consume();
        let (id, shape) = (self.id(), old.dims());
        let numbers = self.numbers(&shape, |i| (i * 2909) % 60001 - 30000);
        self.note(id, "I64", &shape, Numbers::Int(numbers.clone()));
        let tensor = Tensor::from_data(TensorData::new(numbers, shape), &old.device());
        Param::from_mapped_value(id, tensor, mapper)
    }

    fn map_bool<const D: usize>(&mut self, param: Param<Tensor<D, Bool>>) -> Param<Tensor<D, Bool>> {
        let (_, old, mapper) = param.consume();
        let (id, shape) = (self.id(), old.dims());
        let numbers = self.numbers(&shape, |i| i % 3 == 0);
        self.note(id, "Bool", &shape, Numbers::Bool(numbers.clone()));
        let tensor = Tensor::from_data(TensorData::new(numbers, shape), &old.device());
        Param::from_mapped_value(id, tensor, mapper)
    }
}

fn filled<M: Module>(module: M) -> (M, Values) {
    let mut fill = Fill::default();
    let module = module.map(&mut fill);
    (module, fill.values)
}

/// What a module holds.
#[derive(Default)]
struct Collect {
    path: Vec<String>,
    values: Values,
}

impl Collect {
    fn note(&mut self, id: ParamId, shape: &[usize], numbers: Numbers) {
        let tensor = TensorValues::new(Some(id.to_string()), shape.to_vec(), numbers);
        self.values.tensors.insert(self.path.join("."), tensor);
    }
}

impl ModuleVisitor for Collect {
    fn enter_module(&mut self, name: &str, _container_type: &str) {
        self.path.push(name.to_string());
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let tensor = param.val();
        self.note(
            param.id,
            &tensor.dims(),
            Numbers::Float(tensor.to_data().iter::<f64>().collect()),
        );
    }

    fn visit_int<const D: usize>(&mut self, param: &Param<Tensor<D, Int>>) {
        let tensor = param.val();
        self.note(
            param.id,
            &tensor.dims(),
            Numbers::Int(tensor.to_data().iter::<i64>().collect()),
        );
    }

    fn visit_bool<const D: usize>(&mut self, param: &Param<Tensor<D, Bool>>) {
        let tensor = param.val();
        self.note(
            param.id,
            &tensor.dims(),
            Numbers::Bool(tensor.to_data().iter::<bool>().collect()),
        );
    }
}

fn values_of<M: Module>(module: &M) -> Values {
    let mut collect = Collect::default();
    module.visit(&mut collect);
    collect.values
}

/// What a record holds that keeps it to itself, by way of its bytes.
fn packed_values(bytes: burn::tensor::Bytes) -> Values {
    let reader = burn::store::burn_pack::Reader::from_bytes(bytes).expect("burnpack");
    let mut values = Values::default();
    for (name, value) in reader.scalars() {
        use burn::store::burn_pack::Scalar as Packed;
        let (kind, value) = match *value {
            Packed::Int(x) => ("Int", ScalarValue::Signed(x)),
            Packed::UInt(x) => ("UInt", ScalarValue::Unsigned(x)),
            Packed::Float(x) => ("Float", ScalarValue::Float(x)),
            Packed::Bool(x) => ("Bool", ScalarValue::Bool(x)),
        };
        values.scalars.insert(name.clone(), Scalar { kind, value });
    }
    for tensor in reader.into_tensors().expect("tensors") {
        let (name, _, shape, id, bytes) = tensor.into_parts().expect("a tensor");
        let numbers = bytes
            .chunks_exact(4)
            .map(|x| f64::from(f32::from_le_bytes(x.try_into().expect("4 bytes"))));
        let id = id.map(|id| ParamId::from(id).to_string());
        values.tensors.insert(
            name,
            TensorValues::new(id, shape.to_vec(), Numbers::Float(numbers.collect())),
        );
    }
    values
}

// ---- jobs ----

/// `save` writes a file; `load` gives what it holds, for which `expected` is compared to.
trait Job {
    fn burnpack(
        &mut self,
        name: &str,
        expected: Values,
        save: impl Fn(&Path) -> Result<(), String>,
        load: impl Fn(&Path) -> Result<Values, String>,
    );
}

impl Job for Make {
    fn burnpack(
        &mut self,
        name: &str,
        expected: Values,
        save: impl Fn(&Path) -> Result<(), String>,
        _load: impl Fn(&Path) -> Result<Values, String>,
    ) {
        let file_name = format!("{name}.bpk");
        let path = self.folder.join(&file_name);
        self.file(&file_name, || save(&path));
        self.expected(&file_name, &expected);
    }
}

impl Job for Check {
    fn burnpack(
        &mut self,
        name: &str,
        expected: Values,
        _save: impl Fn(&Path) -> Result<(), String>,
        load: impl Fn(&Path) -> Result<Values, String>,
    ) {
        let file_name = format!("{name}.bpk");
        let path = self.folder.join(&file_name);
        self.file(&file_name, || expected.compare(&load(&path)?));
    }
}

/// A module's record, as `Module::save_file` writes it. A module that loads one takes its ids.
fn module<M: Module>(job: &mut impl Job, name: &str, new: impl Fn() -> M) {
    let save = |path: &Path| filled(new()).0.into_record().save(path).map_err(|e| e.to_string());
    let load = |path: &Path| {
        let record = ModuleRecord::load(path).map_err(|e| e.to_string())?;
        Ok(values_of(&new().load_record(record)))
    };
    job.burnpack(name, filled(new()).1, save, load);
}

/// A module in a store, which is another way to write burnpack. Ids stay the module's own.
fn stored<M: Module>(
    job: &mut impl Job,
    name: &str,
    expected: Values,
    new: impl Fn() -> M,
    set_up: impl Fn(BurnpackStore) -> BurnpackStore,
) {
    let store = |path: &Path| set_up(BurnpackStore::from_file(path).overwrite(true));
    let save = |path: &Path| filled(new()).0.save_into(&mut store(path)).map_err(|e| e.to_string());
    let load = |path: &Path| {
        let mut module = new();
        module.load_from(&mut store(path)).map_err(|e| e.to_string())?;
        let mut found = values_of(&module);
        for (path, tensor) in &filled(new()).1.tensors {
            found.tensors.get_mut(path).expect("the same module").id = tensor.id.clone();
        }
        Ok(found)
    };
    job.burnpack(name, expected, save, load);
}

fn modules(job: &mut impl Job) {
    let device = Device::default();
    let rich = || Rich::new(&device);
    let linear = || LinearConfig::new(2, 2).init(&device);
    module(job, "rich", rich);
    module(job, "no_tensors", || DropoutConfig::new(0.5).init());
    let expected = filled(linear()).1;
    stored(job, "metadata", expected, linear, |store| {
        store.metadata("", "an empty key").metadata("größe", "5 \u{1F980}")
    });
    let mut expected = filled(rich()).1;
    for (path, tensor) in &mut expected.tensors {
        // The adapter leaves batch normalization and what is not Burn's own alone.
        if let (Numbers::Float(numbers), false) = (
            &mut tensor.numbers,
            path.starts_with("batch_norm.") || path == "nested.weight",
        ) {
            tensor.dtype = "F16";
            numbers.iter_mut().for_each(|x| *x = Precision::Half.round(*x));
        }
    }
    stored(job, "rich_half", expected, rich, |store| {
        let adapter = HalfPrecisionAdapter::new();
        store.with_to_adapter(adapter.clone()).with_from_adapter(adapter)
    });
}

/// The gradient in a step of the parameter of so many elements.
fn gradient(step: usize, elements: usize) -> Vec<f32> {
    (0..elements)
        .map(|i| 0.3 * (i + 1) as f32 * (step + 1) as f32 - 0.7)
        .collect()
}

fn optimizer(job: &mut impl Job, name: &str, steps: usize, bias: bool, new: impl Fn() -> ModuleOptimizer) {
    let device = Device::default().autodiff();
    let make = || {
        let mut optimizer = new();
        let mut module = filled(LinearConfig::new(2, 2).with_bias(bias).init(&device)).0;
        for step in 0..steps {
            let mut gradients = GradientsParams::new();
            let inner = Device::default();
            let weight = TensorData::new(gradient(step, 4), [2, 2]);
            gradients.register::<2>(param_id(1), Tensor::from_data(weight, &inner));
            if bias {
                gradients.register::<1>(
                    param_id(2),
                    Tensor::from_data(TensorData::new(gradient(step, 2), [2]), &inner),
                );
            }
            module = optimizer.step(0.1, module, gradients);
        }
        optimizer
    };
    let values = |optimizer: ModuleOptimizer| packed_values(optimizer.into_bytes().expect("bytes"));
    let mut expected = values(make());
    expected.tensors.values_mut().for_each(|tensor| tensor.dtype = "F32");
    let save = |path: &Path| make().save(path).map_err(|e| e.to_string());
    let load = |path: &Path| {
        let record = OptimizerRecord::load(path).map_err(|e| e.to_string())?;
        Ok(values(new().load_record(record)))
    };
    job.burnpack(name, expected, save, load);
}

fn optimizers(job: &mut impl Job) {
    let adam = || AdamConfig::new().init();
    optimizer(job, "adam", 2, false, adam);
    optimizer(job, "adam_unstepped", 0, false, adam);
    optimizer(job, "adam_amsgrad", 2, false, || {
        AdamConfig::new().with_amsgrad(true).init()
    });
    optimizer(job, "sgd", 1, false, || SgdConfig::new().init());
    optimizer(job, "sgd_momentum", 2, false, || {
        let momentum = MomentumConfig {
            momentum: 0.9,
            dampening: 0.1,
            nesterov: false,
        };
        SgdConfig::new().with_momentum(Some(momentum)).init()
    });
}

fn scheduler(job: &mut impl Job, name: &str, steps: usize, new: impl Fn() -> Result<ModuleLrScheduler, String>) {
    let make = || {
        let mut scheduler = new().expect("a scheduler");
        for _ in 0..steps {
            scheduler.step();
        }
        scheduler.to_record()
    };
    let values = |record: LrSchedulerRecord| packed_values(record.into_bytes().expect("bytes"));
    let save = |path: &Path| make().save(path).map_err(|e| e.to_string());
    let load = |path: &Path| {
        let record = LrSchedulerRecord::load(path).map_err(|e| e.to_string())?;
        Ok(values(new()?.load_record(record).to_record()))
    };
    job.burnpack(name, values(make()), save, load);
}

fn schedulers(job: &mut impl Job) {
    let cosine = || CosineAnnealingLrSchedulerConfig::new(0.5, 8);
    let linear = || LinearLrSchedulerConfig::new(0.5, 0.1, 8);
    let exponential = || ExponentialLrSchedulerConfig::new(0.5, 0.9);
    let noam = || NoamLrSchedulerConfig::new(0.5);
    scheduler(job, "cosine", 3, || cosine().init());
    scheduler(job, "cosine_unstepped", 0, || cosine().init());
    scheduler(job, "linear", 3, || linear().init());
    scheduler(job, "exponential", 3, || exponential().init());
    scheduler(job, "noam", 3, || noam().init());
    scheduler(job, "step", 3, || StepLrSchedulerConfig::new(0.5, 2).init());
    scheduler(job, "step_unstepped", 0, || StepLrSchedulerConfig::new(0.5, 2).init());
    scheduler(job, "composed", 3, || {
        let composed = ComposedLrSchedulerConfig::new();
        composed
            .linear(linear())
            .cosine(cosine())
            .exponential(exponential())
            .noam(noam())
            .init()
    });
}

fn run(job: &mut impl Job) {
    modules(job);
    optimizers(job);
    schedulers(job);
}

fn main() -> std::process::ExitCode {
    job::command(run, run)
}
