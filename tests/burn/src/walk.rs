//! Walks records by hand, field by field: to fill them, and to collect what they hold.

#[cfg(not(feature = "since_21"))]
use burn::module::ConstantRecord as EmptyRecord;
#[cfg(feature = "since_21")]
use burn::module::EmptyRecord;
use burn::module::{Param, ParamId};
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Int, Tensor};
use half::{bf16, f16};

use crate::tensors;
use crate::values::{Numbers, Scalar, ScalarValue, TensorValues, Values};

/// Sees every tensor and scalar of a record, and gives back what shall be there.
/// The id is none where the record holds a tensor that is no `Param`.
pub trait Visitor<B: Backend> {
    fn float<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D>,
    ) -> (Option<ParamId>, Tensor<B, D>);
    fn int<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Int>,
    ) -> (Option<ParamId>, Tensor<B, D, Int>);
    fn bool<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Bool>,
    ) -> (Option<ParamId>, Tensor<B, D, Bool>);
    fn scalar(&mut self, path: &str, scalar: Scalar);
}

pub trait Walk<B: Backend> {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V);
}

pub fn join(path: &str, name: impl std::fmt::Display) -> String {
    if path.is_empty() {
        name.to_string()
    } else {
        format!("{path}.{name}")
    }
}

/// What a record holds.
pub fn values_of<B: Backend, R: Walk<B>>(mut record: R) -> Values {
    let mut collect = Collect::default();
    record.walk("", &mut collect);
    collect.values
}

/// Gives every tensor of a record values and an id that depend on nothing but its place.
pub fn fill<B: Backend, R: Walk<B>>(mut record: R) -> (R, Values) {
    let mut fill = Fill::default();
    record.walk("", &mut fill);
    (record, fill.noted.values)
}

#[derive(Default)]
struct Collect {
    values: Values,
}

impl Collect {
    fn note(&mut self, path: &str, id: &Option<ParamId>, shape: Vec<usize>, numbers: Numbers) {
        let id = id.as_ref().map(tensors::id_text);
        self.values
            .tensors
            .insert(path.to_string(), TensorValues::new(id, shape, numbers));
    }
}

impl<B: Backend> Visitor<B> for Collect {
    fn float<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D>,
    ) -> (Option<ParamId>, Tensor<B, D>) {
        self.note(
            path,
            &id,
            tensor.dims().to_vec(),
            Numbers::Float(tensors::floats(&tensor)),
        );
        (id, tensor)
    }

    fn int<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Int>,
    ) -> (Option<ParamId>, Tensor<B, D, Int>) {
        self.note(path, &id, tensor.dims().to_vec(), Numbers::Int(tensors::ints(&tensor)));
        (id, tensor)
    }

    fn bool<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Bool>,
    ) -> (Option<ParamId>, Tensor<B, D, Bool>) {
        self.note(
            path,
            &id,
            tensor.dims().to_vec(),
            Numbers::Bool(tensors::bools(&tensor)),
        );
        (id, tensor)
    }

    fn scalar(&mut self, path: &str, scalar: Scalar) {
        self.values.scalars.insert(path.to_string(), scalar);
    }
}

/// Notes what it puts there, not what a tensor says it holds afterwards.
#[derive(Default)]
struct Fill {
    noted: Collect,
    ids: u64,
    numbers: i64,
}

impl Fill {
    fn id(&mut self, old: Option<ParamId>) -> Option<ParamId> {
        old.map(|_| {
            self.ids += 1;
            tensors::param_id(self.ids)
        })
    }

    fn numbers<T>(&mut self, shape: &[usize], value: impl Fn(i64) -> T) -> Vec<T> {
        let first = self.numbers;
        self.numbers += shape.iter().product::<usize>() as i64;
        (first..self.numbers).map(value).collect()
    }
}

impl<B: Backend> Visitor<B> for Fill {
    /// Most of these need rounding in f32 and f16.
    fn float<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D>,
    ) -> (Option<ParamId>, Tensor<B, D>) {
        let (id, shape) = (self.id(id), tensor.dims());
        let numbers = self.numbers(&shape, |i| ((i * 37 + 11) % 101 - 50) as f64 / 80.0);
        let tensor = tensors::float(&numbers, &shape, &tensor.device());
        self.noted.note(path, &id, shape.to_vec(), Numbers::Float(numbers));
        (id, tensor)
    }

    fn int<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Int>,
    ) -> (Option<ParamId>, Tensor<B, D, Int>) {
        let (id, shape) = (self.id(id), tensor.dims());
        let numbers = self.numbers(&shape, |i| (i * 2909) % 60001 - 30000);
        let tensor = tensors::int(&numbers, &shape, &tensor.device());
        self.noted.note(path, &id, shape.to_vec(), Numbers::Int(numbers));
        (id, tensor)
    }

    fn bool<const D: usize>(
        &mut self,
        path: &str,
        id: Option<ParamId>,
        tensor: Tensor<B, D, Bool>,
    ) -> (Option<ParamId>, Tensor<B, D, Bool>) {
        let (id, shape) = (self.id(id), tensor.dims());
        let numbers = self.numbers(&shape, |i| i % 3 == 0);
        let tensor = tensors::bool(&numbers, &shape, &tensor.device());
        self.noted.note(path, &id, shape.to_vec(), Numbers::Bool(numbers));
        (id, tensor)
    }

    fn scalar(&mut self, path: &str, scalar: Scalar) {
        Visitor::<B>::scalar(&mut self.noted, path, scalar);
    }
}

macro_rules! walk_tensors {
    ($($method:ident: $tensor:ty),*) => {$(
        impl<B: Backend, const D: usize> Walk<B> for $tensor {
            fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
                *self = visitor.$method(path, None, self.clone()).1;
            }
        }

        impl<B: Backend, const D: usize> Walk<B> for Param<$tensor> {
            fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
                let (id, tensor) = visitor.$method(path, Some(tensors::id_of(self)), self.val());
                *self = Param::initialized(id.expect("a Param keeps an id"), tensor);
            }
        }
    )*};
}

walk_tensors!(float: Tensor<B, D>, int: Tensor<B, D, Int>, bool: Tensor<B, D, Bool>);

macro_rules! walk_scalars {
    ($($kind:ident => $variant:ident),*) => {$(
        impl<B: Backend> Walk<B> for $kind {
            fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
                let value = ScalarValue::$variant(self.clone().into());
                visitor.scalar(path, Scalar { kind: stringify!($kind), value });
            }
        }
    )*};
}

walk_scalars!(String => Text, bool => Bool, f64 => Float, f32 => Float, f16 => Float, bf16 => Float,
    u64 => Unsigned, u32 => Unsigned, u16 => Unsigned, u8 => Unsigned,
    i64 => Signed, i32 => Signed, i16 => Signed, i8 => Signed);

impl<B: Backend> Walk<B> for usize {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        visitor.scalar(
            path,
            Scalar {
                kind: "usize",
                value: ScalarValue::Unsigned(*self as u64),
            },
        );
    }
}

/// Of what has nothing to keep.
impl<B: Backend> Walk<B> for EmptyRecord {
    fn walk<V: Visitor<B>>(&mut self, _path: &str, _visitor: &mut V) {}
}

impl<B: Backend> Walk<B> for () {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        visitor.scalar(
            path,
            Scalar {
                kind: "unit",
                value: ScalarValue::Null,
            },
        );
    }
}

impl<B: Backend, T: Walk<B>> Walk<B> for Option<T> {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        match self {
            Some(value) => value.walk(path, visitor),
            None => visitor.scalar(
                path,
                Scalar {
                    kind: "none",
                    value: ScalarValue::Null,
                },
            ),
        }
    }
}

impl<B: Backend, T: Walk<B>> Walk<B> for Vec<T> {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        for (i, item) in self.iter_mut().enumerate() {
            item.walk(&join(path, i), visitor);
        }
    }
}

impl<B: Backend, T: Walk<B>, const N: usize> Walk<B> for [T; N] {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        for (i, item) in self.iter_mut().enumerate() {
            item.walk(&join(path, i), visitor);
        }
    }
}

macro_rules! walk_tuples {
    ($(($($T:ident $i:tt),*)),*) => {$(
        impl<B: Backend, $($T: Walk<B>),*> Walk<B> for ($($T,)*) {
            fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
                $(self.$i.walk(&join(path, $i), visitor);)*
            }
        }
    )*};
}

walk_tuples!((T0 0, T1 1), (T0 0, T1 1, T2 2), (T0 0, T1 1, T2 2, T3 3, T4 4));

/// `walk_fields!(LinearRecord: weight, bias)` walks these fields of a record, in this order; `plain`
/// before the name of one without a backend. Fields that Burn keeps no values of are left out.
#[macro_export]
macro_rules! walk_fields {
    (plain $record:ident: $($field:ident),*) => { $crate::walk_fields!(@ $record, $($field),*); };
    ($record:ident: $($field:ident),*) => { $crate::walk_fields!(@ $record<B>, $($field),*); };
    (@ $record:ty, $($field:ident),*) => {
        impl<B: burn::tensor::backend::Backend> $crate::walk::Walk<B> for $record {
            fn walk<V: $crate::walk::Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
                $($crate::walk::Walk::<B>::walk(&mut self.$field, &$crate::walk::join(path, stringify!($field)), visitor);)*
            }
        }
    };
}
