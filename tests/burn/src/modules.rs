//! How the records of Burn's own modules, and of ours, are walked.

use burn::module::Module;
use burn::nn::attention::{MultiHeadAttention, MultiHeadAttentionConfig, MultiHeadAttentionRecord};
use burn::nn::conv::{
    Conv1d, Conv1dConfig, Conv1dRecord, Conv2dRecord, ConvTranspose2d, ConvTranspose2dConfig, ConvTranspose2dRecord,
};
use burn::nn::gru::{Gru, GruConfig, GruRecord};
use burn::nn::transformer::{
    PositionWiseFeedForwardRecord, TransformerEncoder, TransformerEncoderConfig, TransformerEncoderLayerRecord,
    TransformerEncoderRecord,
};
use burn::nn::{
    BatchNormRecord, EmbeddingRecord, GateControllerRecord, GroupNormRecord, InstanceNorm, InstanceNormConfig,
    InstanceNormRecord, LayerNormRecord, LinearRecord, Lstm, LstmConfig, LstmRecord, PReluRecord, RmsNormRecord,
};
use burn::tensor::backend::Backend;

use crate::records::{Job, Plan, B};
use crate::rich::{ChoiceRecord, NestedRecord, Rich, RichRecord};
use crate::values::Values;
use crate::walk::{fill, values_of, Visitor, Walk};
use crate::walk_fields;

walk_fields!(LinearRecord: weight, bias);
walk_fields!(Conv1dRecord: weight, bias);
walk_fields!(Conv2dRecord: weight, bias);
walk_fields!(ConvTranspose2dRecord: weight, bias);
walk_fields!(LayerNormRecord: gamma, beta);
walk_fields!(GroupNormRecord: gamma, beta);
walk_fields!(RmsNormRecord: gamma);
walk_fields!(EmbeddingRecord: weight);
walk_fields!(PReluRecord: alpha);
walk_fields!(MultiHeadAttentionRecord: query, key, value, output);
walk_fields!(GateControllerRecord: input_transform, hidden_transform);
walk_fields!(LstmRecord: input_gate, forget_gate, output_gate, cell_gate);
walk_fields!(GruRecord: update_gate, reset_gate, new_gate);
walk_fields!(PositionWiseFeedForwardRecord: linear_inner, linear_outer);
walk_fields!(TransformerEncoderLayerRecord: mha, pwff, norm_1, norm_2);
walk_fields!(TransformerEncoderRecord: layers);

#[cfg(feature = "since_14")]
walk_fields!(InstanceNormRecord: gamma, beta);
#[cfg(not(feature = "since_14"))]
walk_fields!(InstanceNormRecord: group_norm);

#[cfg(feature = "since_19")]
walk_fields!(BatchNormRecord: gamma, beta, running_mean, running_var);
#[cfg(not(feature = "since_19"))]
type BatchNorm2Record<B> = BatchNormRecord<B, 2>;
#[cfg(not(feature = "since_19"))]
walk_fields!(BatchNorm2Record: gamma, beta, running_mean, running_var);

walk_fields!(NestedRecord: weight, inner);
walk_fields!(RichRecord: linear, linear_no_bias, conv, batch_norm, layer_norm, group_norm, rms_norm, embedding, prelu,
    some, none, layers, pair, choice, ints, bools, nested);

impl<B: Backend> Walk<B> for ChoiceRecord<B> {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        match self {
            ChoiceRecord::Linear(record) => record.walk(&crate::walk::join(path, "Linear"), visitor),
            ChoiceRecord::Norm(record) => record.walk(&crate::walk::join(path, "Norm"), visitor),
        }
    }
}

/// The module with values and ids that depend on nothing but their place, and what these are.
pub fn filled<B: Backend, M: Module<B>>(module: M) -> (M, Values)
where
    M::Record: Walk<B>,
{
    let (record, values) = fill(module.clone().into_record());
    (module.load_record(record), values)
}

fn module<J: Job, M: Module<B>>(job: &mut J, name: &str, plan: Plan, new: impl Fn() -> M)
where
    M::Record: Walk<B>,
{
    let expected = filled(new()).1;
    let make = || filled(new()).0.into_record();
    let reload = |record| values_of(new().load_record(record).into_record());
    job.record::<B, M::Record>(name, plan, expected, make, reload);
}

pub fn run<J: Job>(job: &mut J) {
    let device = Default::default();
    module(job, "rich", Plan::EVERYTHING, || Rich::<B>::new(&device));
    module(job, "mha", Plan::FULL, || -> MultiHeadAttention<B> {
        MultiHeadAttentionConfig::new(2, 1).init(&device)
    });
    module(job, "lstm", Plan::FULL, || -> Lstm<B> {
        LstmConfig::new(2, 1, true).init(&device)
    });
    module(job, "gru", Plan::FULL, || -> Gru<B> {
        GruConfig::new(2, 1, false).init(&device)
    });
    module(job, "transformer_encoder", Plan::FULL, || -> TransformerEncoder<B> {
        TransformerEncoderConfig::new(2, 3, 1, 1).init(&device)
    });
    module(job, "conv1d", Plan::FULL, || -> Conv1d<B> {
        Conv1dConfig::new(1, 2, 3).with_bias(false).init(&device)
    });
    module(job, "conv_transpose2d", Plan::FULL, || -> ConvTranspose2d<B> {
        ConvTranspose2dConfig::new([2, 1], [2, 2]).init(&device)
    });
    module(job, "instance_norm", Plan::FULL, || -> InstanceNorm<B> {
        InstanceNormConfig::new(2).init(&device)
    });
    #[cfg(feature = "since_20")]
    module(job, "layer_norm_no_bias", Plan::FULL, || -> burn::nn::LayerNorm<B> {
        burn::nn::LayerNormConfig::new(3).with_bias(false).init(&device)
    });
}
