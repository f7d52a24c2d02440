//! One small module that has a bit of everything.

#[cfg(not(feature = "since_21"))]
#[cfg(feature = "since_14")]
use burn::module::Ignored;
use burn::module::{Module, Param};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{
    BatchNorm, BatchNormConfig, Dropout, DropoutConfig, Embedding, EmbeddingConfig, GroupNorm, GroupNormConfig,
    LayerNorm, LayerNormConfig, Linear, LinearConfig, PRelu, PReluConfig, RmsNorm, RmsNormConfig,
};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Int, Tensor};

use crate::tensors;

/// Through 0.18 the number of dimensions that are normalized over is part of the type.
#[cfg(not(feature = "since_19"))]
type BatchNorm2<B> = BatchNorm<B, 2>;
#[cfg(feature = "since_19")]
type BatchNorm2<B> = BatchNorm<B>;

#[derive(Module, Debug)]
pub struct Nested<B: Backend> {
    pub weight: Param<Tensor<B, 3>>,
    pub inner: Linear<B>,
}

#[derive(Module, Debug)]
pub enum Choice<B: Backend> {
    Linear(Linear<B>),
    Norm(LayerNorm<B>),
}

#[derive(Module, Debug)]
pub struct Rich<B: Backend> {
    pub linear: Linear<B>,
    pub linear_no_bias: Linear<B>,
    pub conv: Conv2d<B>,
    pub batch_norm: BatchNorm2<B>,
    pub layer_norm: LayerNorm<B>,
    pub group_norm: GroupNorm<B>,
    pub rms_norm: RmsNorm<B>,
    pub embedding: Embedding<B>,
    pub prelu: PRelu<B>,
    pub some: Option<Linear<B>>,
    pub none: Option<Linear<B>>,
    pub layers: Vec<Linear<B>>,
    pub pair: (Linear<B>, LayerNorm<B>),
    pub choice: Choice<B>,
    pub ints: Param<Tensor<B, 2, Int>>,
    pub bools: Param<Tensor<B, 1, Bool>>,
    pub nested: Nested<B>,
    /// A module without a backend.
    pub dropout: Dropout,
    pub constant: usize,
    pub constants: [usize; 2],
    #[cfg(feature = "since_21")]
    #[module(skip)]
    pub ignored: String,
    #[cfg(not(feature = "since_21"))]
    #[cfg(feature = "since_14")]
    pub ignored: Ignored<String>,
}

impl<B: Backend> Rich<B> {
    pub fn new(device: &B::Device) -> Self {
        let linear = |d_input, d_output| LinearConfig::new(d_input, d_output).init(device);
        let norm = |d_model| LayerNormConfig::new(d_model).init(device);
        Rich {
            linear: linear(3, 2),
            linear_no_bias: LinearConfig::new(2, 2).with_bias(false).init(device),
            conv: Conv2dConfig::new([1, 2], [2, 3]).init(device),
            batch_norm: BatchNormConfig::new(2).init(device),
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
            ints: Param::initialized(tensors::param_id(0), tensors::int(&[0; 6], &[2, 3], device)),
            bools: Param::initialized(tensors::param_id(0), tensors::bool(&[false; 4], &[4], device)),
            nested: Nested {
                weight: Param::initialized(tensors::param_id(0), tensors::float(&[0.0; 4], &[2, 1, 2], device)),
                inner: linear(1, 1),
            },
            dropout: DropoutConfig::new(0.5).init(),
            constant: 7,
            constants: [8, 9],
            #[cfg(feature = "since_21")]
            ignored: "not kept".to_string(),
            #[cfg(not(feature = "since_21"))]
            #[cfg(feature = "since_14")]
            ignored: Ignored("not kept".to_string()),
        }
    }
}
