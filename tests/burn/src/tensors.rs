//! The parts of Burn's tensors that changed between its versions.

use burn::module::{Param, ParamId, Parameter};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Int, Tensor};

#[cfg(feature = "since_14")]
use burn::tensor::TensorData;
#[cfg(not(feature = "since_14"))]
use burn::tensor::{Data, Shape};

/// The id of the `n`th parameter of a record.
#[cfg(not(feature = "since_17"))]
pub fn param_id(n: u64) -> ParamId {
    ParamId::from(format!("{n:08x}-0000-4000-8000-{:012x}", n * 0x1234567))
}

/// The id of the `n`th parameter of a record: all 64 bits are in use.
#[cfg(feature = "since_17")]
pub fn param_id(n: u64) -> ParamId {
    ParamId::from((n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

#[cfg(not(feature = "since_14"))]
pub fn id_of<T: Parameter>(param: &Param<T>) -> ParamId {
    param.clone().consume().0
}

#[cfg(feature = "since_14")]
pub fn id_of<T: Parameter>(param: &Param<T>) -> ParamId {
    param.id.clone()
}

/// As records spell it.
pub fn id_text(id: &ParamId) -> String {
    id.to_string()
}

#[cfg(not(feature = "since_14"))]
mod data {
    use super::*;
    use burn::tensor::ElementConversion;

    pub fn float<B: Backend, const D: usize>(values: &[f64], shape: &[usize], device: &B::Device) -> Tensor<B, D> {
        let data = Data::new(values.to_vec(), Shape::<D>::from(shape.to_vec()));
        Tensor::from_data(data.convert::<B::FloatElem>(), device)
    }

    pub fn int<B: Backend, const D: usize>(values: &[i64], shape: &[usize], device: &B::Device) -> Tensor<B, D, Int> {
        let data = Data::new(values.to_vec(), Shape::<D>::from(shape.to_vec()));
        Tensor::from_data(data.convert::<B::IntElem>(), device)
    }

    pub fn bool<B: Backend, const D: usize>(
        values: &[bool],
        shape: &[usize],
        device: &B::Device,
    ) -> Tensor<B, D, Bool> {
        Tensor::from_data(Data::new(values.to_vec(), Shape::<D>::from(shape.to_vec())), device)
    }

    pub fn floats<B: Backend, const D: usize>(tensor: &Tensor<B, D>) -> Vec<f64> {
        tensor.to_data().value.iter().map(|x| x.elem()).collect()
    }

    pub fn ints<B: Backend, const D: usize>(tensor: &Tensor<B, D, Int>) -> Vec<i64> {
        tensor.to_data().value.iter().map(|x| x.elem()).collect()
    }

    pub fn bools<B: Backend, const D: usize>(tensor: &Tensor<B, D, Bool>) -> Vec<bool> {
        tensor.to_data().value
    }
}

#[cfg(feature = "since_14")]
mod data {
    use super::*;

    #[cfg(not(feature = "since_21"))]
    pub fn float<B: Backend, const D: usize>(values: &[f64], shape: &[usize], device: &B::Device) -> Tensor<B, D> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape.to_vec()), device)
    }

    /// Without a dtype this would be that of the first backend which used the device, f64 or f32.
    #[cfg(feature = "since_21")]
    pub fn float<B: Backend, const D: usize>(values: &[f64], shape: &[usize], device: &B::Device) -> Tensor<B, D> {
        use burn::tensor::Element;
        Tensor::from_data(
            TensorData::new(values.to_vec(), shape.to_vec()),
            (device, B::FloatElem::dtype()),
        )
    }

    pub fn int<B: Backend, const D: usize>(values: &[i64], shape: &[usize], device: &B::Device) -> Tensor<B, D, Int> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape.to_vec()), device)
    }

    pub fn bool<B: Backend, const D: usize>(
        values: &[bool],
        shape: &[usize],
        device: &B::Device,
    ) -> Tensor<B, D, Bool> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape.to_vec()), device)
    }

    pub fn floats<B: Backend, const D: usize>(tensor: &Tensor<B, D>) -> Vec<f64> {
        tensor.to_data().iter::<f64>().collect()
    }

    pub fn ints<B: Backend, const D: usize>(tensor: &Tensor<B, D, Int>) -> Vec<i64> {
        tensor.to_data().iter::<i64>().collect()
    }

    pub fn bools<B: Backend, const D: usize>(tensor: &Tensor<B, D, Bool>) -> Vec<bool> {
        tensor.to_data().iter::<bool>().collect()
    }
}

pub use data::*;
