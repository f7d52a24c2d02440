//! Records of optimizers and of schedulers of the learning rate.

use burn::lr_scheduler::cosine::CosineAnnealingLrSchedulerConfig;
use burn::lr_scheduler::exponential::ExponentialLrSchedulerConfig;
use burn::lr_scheduler::linear::LinearLrSchedulerConfig;
use burn::lr_scheduler::noam::NoamLrSchedulerConfig;
use burn::lr_scheduler::LrScheduler;
use burn::nn::{Linear, LinearConfig};
use burn::optim::momentum::MomentumConfig;
use burn::optim::{AdamConfig, GradientsParams, Optimizer, SgdConfig};
use burn::record::Record;

use crate::modules::filled;
use crate::records::{Autodiff, Job, Plan, B};
use crate::values::{Numbers, Scalar, ScalarValue, TensorValues, Values};
use crate::walk::{values_of, Walk};
use crate::{tensors, tree};

// ---- optimizers ----

/// The gradient in a step of the parameter of so many elements.
fn gradient(step: usize, elements: usize) -> Vec<f64> {
    (0..elements)
        .map(|i| 0.3 * (i + 1) as f64 * (step + 1) as f64 - 0.7)
        .collect()
}

/// The parameters of a Linear of 2 x 2, as an optimizer's record knows them: id, rank and shape.
fn parameters(bias: bool) -> Vec<(String, &'static str, Vec<usize>)> {
    let mut list = vec![(tensors::id_text(&tensors::param_id(1)), "Rank2", vec![2, 2])];
    if bias {
        list.push((tensors::id_text(&tensors::param_id(2)), "Rank1", vec![2]));
    }
    list
}

fn optimizer<J: Job, O: Optimizer<Linear<Autodiff>, Autodiff>>(
    job: &mut J,
    name: &str,
    (steps, bias): (usize, bool),
    expected: Values,
    new: impl Fn() -> O,
) {
    let device = Default::default();
    let make = || {
        let mut optimizer = new();
        let mut module = filled(LinearConfig::new(2, 2).with_bias(bias).init::<Autodiff>(&device)).0;
        for step in 0..steps {
            let mut gradients = GradientsParams::new();
            gradients.register::<B, 2>(
                tensors::param_id(1),
                tensors::float(&gradient(step, 4), &[2, 2], &device),
            );
            if bias {
                gradients.register::<B, 1>(tensors::param_id(2), tensors::float(&gradient(step, 2), &[2], &device));
            }
            module = optimizer.step(0.1, module, gradients);
        }
        optimizer.to_record()
    };
    let plan = if bias { Plan::TWO_IDS } else { Plan::FULL };
    let reload = |record| tree::values_of::<Autodiff, O::Record>(new().load_record(record).to_record());
    job.record::<Autodiff, O::Record>(name, plan, expected, make, reload);
}

fn float_tensor(values: &mut Values, path: String, shape: &[usize], numbers: Vec<f64>) {
    values
        .tensors
        .insert(path, TensorValues::new(None, shape.to_vec(), Numbers::Float(numbers)));
}

fn scalar(values: &mut Values, path: String, kind: &'static str, value: ScalarValue) {
    values.scalars.insert(path, Scalar { kind, value });
}

/// Adam's moments after some steps, by its formulas: the factors are computed in f32, as Burn does.
fn adam_state(steps: usize, bias: bool, amsgrad: bool) -> Values {
    let (beta_1, beta_2) = (0.9f32, 0.999f32);
    let average = |beta: f32, old: f64, new: f64| old * f64::from(beta) + new * f64::from(1.0 - beta);
    let mut values = Values::default();
    for (id, rank, shape) in parameters(bias) {
        let elements = shape.iter().product();
        let mut moments = [vec![0.0; elements], vec![0.0; elements], vec![0.0; elements]];
        for step in 0..steps {
            for (i, g) in gradient(step, elements).into_iter().enumerate() {
                moments[0][i] = average(beta_1, moments[0][i], g);
                moments[1][i] = average(beta_2, moments[1][i], g * g);
                moments[2][i] = moments[2][i].max(moments[1][i]);
            }
        }
        let path = format!("{id}.V1.{rank}.momentum");
        let [moment_1, moment_2, most] = moments;
        scalar(
            &mut values,
            format!("{path}.time"),
            "usize",
            ScalarValue::Unsigned(steps as u64),
        );
        float_tensor(&mut values, format!("{path}.moment_1"), &shape, moment_1);
        float_tensor(&mut values, format!("{path}.moment_2"), &shape, moment_2);
        if amsgrad {
            float_tensor(&mut values, format!("{path}.max_moment_2"), &shape, most);
        } else if cfg!(feature = "since_21") {
            scalar(&mut values, format!("{path}.max_moment_2"), "none", ScalarValue::Null);
        }
    }
    values
}

/// SGD's state after two steps, with momentum 0.9 and dampening 0.1.
fn momentum_state() -> Values {
    let mut values = Values::default();
    for (id, rank, shape) in parameters(false) {
        let steps = gradient(0, 4).into_iter().zip(gradient(1, 4));
        let velocity = steps
            .map(|(first, second)| second * (1.0 - 0.1) + first * 0.9)
            .collect();
        float_tensor(
            &mut values,
            format!("{id}.V1.{rank}.momentum.velocity"),
            &shape,
            velocity,
        );
    }
    values
}

fn no_momentum_state() -> Values {
    let mut values = Values::default();
    for (id, rank, _) in parameters(false) {
        scalar(
            &mut values,
            format!("{id}.V1.{rank}.momentum"),
            "none",
            ScalarValue::Null,
        );
    }
    values
}

fn optimizers<J: Job>(job: &mut J) {
    let adam = || AdamConfig::new().init::<Autodiff, Linear<Autodiff>>();
    optimizer(job, "adam", (2, false), adam_state(2, false, false), adam);
    optimizer(job, "adam_two", (1, true), adam_state(1, true, false), adam);
    optimizer(job, "adam_unstepped", (0, false), Values::default(), adam);
    #[cfg(feature = "since_21")]
    optimizer(job, "adam_amsgrad", (2, false), adam_state(2, false, true), || {
        AdamConfig::new()
            .with_amsgrad(true)
            .init::<Autodiff, Linear<Autodiff>>()
    });
    let sgd = || SgdConfig::new().init::<Autodiff, Linear<Autodiff>>();
    optimizer(job, "sgd", (1, false), no_momentum_state(), sgd);
    optimizer(job, "sgd_momentum", (2, false), momentum_state(), || {
        let momentum = MomentumConfig {
            momentum: 0.9,
            dampening: 0.1,
            nesterov: false,
        };
        SgdConfig::new()
            .with_momentum(Some(momentum))
            .init::<Autodiff, Linear<Autodiff>>()
    });
}

// ---- schedulers ----

/// Since 0.16 a scheduler is told its backend by each function, before by its trait.
trait Scheduler {
    type State: Record<B>;
    fn next(&mut self);
    fn state(&self) -> Self::State;
    fn restored(self, state: Self::State) -> Self;
}

#[cfg(not(feature = "since_17"))]
impl<S: LrScheduler<B>> Scheduler for S {
    type State = S::Record;
    fn next(&mut self) {
        self.step();
    }
    fn state(&self) -> Self::State {
        self.to_record()
    }
    fn restored(self, state: Self::State) -> Self {
        self.load_record(state)
    }
}

#[cfg(feature = "since_17")]
impl<S: LrScheduler> Scheduler for S {
    type State = S::Record<B>;
    fn next(&mut self) {
        self.step();
    }
    fn state(&self) -> Self::State {
        self.to_record::<B>()
    }
    fn restored(self, state: Self::State) -> Self {
        self.load_record::<B>(state)
    }
}

/// Since 0.17 a scheduler's configuration may be refused.
#[cfg(not(feature = "since_17"))]
macro_rules! init {
    ($config:expr) => {
        || $config.init()
    };
}
#[cfg(feature = "since_17")]
macro_rules! init {
    ($config:expr) => {
        || $config.init().expect("a scheduler")
    };
}

fn scheduler<J: Job, S: Scheduler>(job: &mut J, name: &str, steps: usize, new: impl Fn() -> S)
where
    S::State: Walk<B>,
{
    let make = || {
        let mut scheduler = new();
        (0..steps).for_each(|_| scheduler.next());
        scheduler.state()
    };
    let expected = values_of::<B, _>(make());
    job.record::<B, S::State>(name, Plan::FULL, expected, make, |state| {
        values_of::<B, _>(new().restored(state).state())
    });
}

fn schedulers<J: Job>(job: &mut J) {
    let cosine = init!(CosineAnnealingLrSchedulerConfig::new(0.5, 8));
    scheduler(job, "cosine", 3, cosine);
    scheduler(job, "cosine_unstepped", 0, cosine);
    scheduler(job, "linear", 3, init!(LinearLrSchedulerConfig::new(0.5, 0.1, 8)));
    scheduler(
        job,
        "exponential",
        3,
        init!(ExponentialLrSchedulerConfig::new(0.5, 0.9)),
    );
    scheduler(job, "noam", 3, init!(NoamLrSchedulerConfig::new(0.5)));
    #[cfg(feature = "since_17")]
    {
        use burn::lr_scheduler::step::StepLrSchedulerConfig;
        scheduler(job, "step", 3, init!(StepLrSchedulerConfig::new(0.5, 2)));
        scheduler(job, "step_unstepped", 0, init!(StepLrSchedulerConfig::new(0.5, 2)));
    }
    #[cfg(feature = "since_19")]
    composed(job);
}

/// One of each kind, after three steps.
#[cfg(feature = "since_19")]
fn composed<J: Job>(job: &mut J) {
    use burn::lr_scheduler::composed::ComposedLrSchedulerConfig;
    let new = || {
        ComposedLrSchedulerConfig::new()
            .linear(LinearLrSchedulerConfig::new(0.5, 0.1, 8))
            .cosine(CosineAnnealingLrSchedulerConfig::new(0.5, 8))
            .exponential(ExponentialLrSchedulerConfig::new(0.5, 0.9))
            .noam(NoamLrSchedulerConfig::new(0.5))
            .init()
            .expect("a scheduler")
    };
    let make = || {
        let mut scheduler = new();
        (0..3).for_each(|_| scheduler.next());
        scheduler.state()
    };
    // Burn 0.19 and 0.20 write a cosine scheduler as a linear one.
    let cosine = if cfg!(feature = "since_21") { "Cosine" } else { "Linear" };
    let mut expected = Values::default();
    scalar(
        &mut expected,
        "schedulers.0.Linear".to_string(),
        "usize",
        ScalarValue::Unsigned(6),
    );
    scalar(
        &mut expected,
        format!("schedulers.1.{cosine}"),
        "usize",
        ScalarValue::Unsigned(2),
    );
    let rate = (0..3).fold(0.5 / 0.9, |rate, _| rate * 0.9);
    scalar(
        &mut expected,
        "schedulers.2.Exponential".to_string(),
        "f64",
        ScalarValue::Float(rate),
    );
    scalar(
        &mut expected,
        "schedulers.3.Noam".to_string(),
        "usize",
        ScalarValue::Unsigned(3),
    );
    job.record::<B, _>("composed", Plan::FULL, expected, make, tree::values_of::<B, _>);
}

pub fn run<J: Job>(job: &mut J) {
    optimizers(job);
    schedulers(job);
}
