//! What a record holds, for the records whose fields are private: from the tree that serde makes of it
//! in memory, which no file format has a part in.

use burn::record::{DoublePrecisionSettings, Record};
use burn::tensor::backend::Backend;
use serde_json::Value;

use crate::values::{Numbers, Scalar, ScalarValue, TensorValues, Values};
use crate::walk::join;

pub fn values_of<B: Backend, R: Record<B>>(record: R) -> Values {
    let tree = serde_json::to_value(record.into_item::<DoublePrecisionSettings>()).expect("a tree");
    let mut values = Values::default();
    collect(&tree, "", &mut values);
    values
}

/// These records have no tensors but floats, and no scalars but usize, f64 and none.
fn collect(tree: &Value, path: &str, values: &mut Values) {
    let mut scalar = |kind, value| {
        values.scalars.insert(path.to_string(), Scalar { kind, value });
    };
    match tree {
        Value::Null => scalar("none", ScalarValue::Null),
        Value::Number(x) if x.is_u64() => scalar("usize", ScalarValue::Unsigned(x.as_u64().expect("u64"))),
        Value::Number(x) => scalar("f64", ScalarValue::Float(x.as_f64().expect("f64"))),
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(i, item)| collect(item, &join(path, i), values));
        }
        Value::Object(members) => match members.get("shape") {
            Some(shape) => {
                let shape = numbers(shape, |x| x.as_u64()).into_iter().map(|x| x as usize).collect();
                let tensor = TensorValues::new(None, shape, Numbers::Float(floats(tree)));
                values.tensors.insert(path.to_string(), tensor);
            }
            None => members
                .iter()
                .for_each(|(name, item)| collect(item, &join(path, name), values)),
        },
        Value::Bool(_) | Value::String(_) => unreachable!("{path}: no such record"),
    }
}

fn numbers<T>(list: &Value, number: impl Fn(&Value) -> Option<T>) -> Vec<T> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(|x| number(x).expect("a number"))
        .collect()
}

#[cfg(not(feature = "since_14"))]
fn floats(tensor: &Value) -> Vec<f64> {
    numbers(&tensor["value"], Value::as_f64)
}

#[cfg(feature = "since_14")]
fn floats(tensor: &Value) -> Vec<f64> {
    let bytes = numbers(&tensor["bytes"], |x| x.as_u64().map(|x| x as u8));
    bytes
        .chunks_exact(8)
        .map(|x| f64::from_le_bytes(x.try_into().expect("8 bytes")))
        .collect()
}
