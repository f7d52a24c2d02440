//! What a record holds, apart from how Burn writes it: tensors and scalars by their path.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The numbers of a tensor, before a precision has rounded them.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    Float(Vec<f64>),
    Int(Vec<i64>),
    Bool(Vec<bool>),
}

#[derive(Clone, Debug)]
pub struct TensorValues {
    /// As the version spells it; none where the record holds a tensor that is no `Param`.
    pub id: Option<String>,
    /// That of the widest file.
    pub dtype: &'static str,
    pub shape: Vec<usize>,
    pub numbers: Numbers,
}

/// A value that is no tensor, with the name of its Rust type.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub kind: &'static str,
    pub value: ScalarValue,
}

#[derive(Clone, Debug)]
pub enum ScalarValue {
    Float(f64),
    Signed(i64),
    Unsigned(u64),
    Bool(bool),
    Text(String),
    Null,
}

#[derive(Clone, Debug, Default)]
pub struct Values {
    pub tensors: BTreeMap<String, TensorValues>,
    pub scalars: BTreeMap<String, Scalar>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Precision {
    Double,
    Full,
    Half,
}

impl Precision {
    pub const ALL: [Precision; 3] = [Precision::Double, Precision::Full, Precision::Half];

    pub fn name(self) -> &'static str {
        match self {
            Precision::Double => "double",
            Precision::Full => "full",
            Precision::Half => "half",
        }
    }

    /// What a float becomes in a file of this precision. Burn goes from f64 to f16 through f32.
    pub fn round(self, value: f64) -> f64 {
        match self {
            Precision::Double => value,
            Precision::Full => f64::from(value as f32),
            Precision::Half => f64::from(half::f16::from_f32(value as f32)),
        }
    }
}

impl Values {
    /// These values as a file of `precision` keeps them.
    pub fn rounded(&self, precision: Precision) -> Values {
        let mut values = self.clone();
        for tensor in values.tensors.values_mut() {
            if let Numbers::Float(numbers) = &mut tensor.numbers {
                numbers.iter_mut().for_each(|x| *x = precision.round(*x));
            }
        }
        values
    }

    /// The first few differences in words, unless both are the same.
    pub fn compare(&self, found: &Values) -> Result<(), String> {
        let mut lines = Vec::new();
        for (path, want) in &self.tensors {
            match found.tensors.get(path) {
                None => lines.push(format!("{path}: no such tensor")),
                Some(have) => tensor_differences(path, want, have, &mut lines),
            }
        }
        for (path, want) in &self.scalars {
            let want = want.json();
            match found.scalars.get(path).map(Scalar::json) {
                None => lines.push(format!("{path}: no such scalar")),
                Some(have) if have != want => lines.push(format!("{path}: {have} instead of {want}")),
                Some(_) => {}
            }
        }
        let surplus = |path: &String| format!("{path}: not expected");
        lines.extend(
            found
                .tensors
                .keys()
                .filter(|p| !self.tensors.contains_key(*p))
                .map(surplus),
        );
        lines.extend(
            found
                .scalars
                .keys()
                .filter(|p| !self.scalars.contains_key(*p))
                .map(surplus),
        );
        lines.truncate(5);
        match lines.is_empty() {
            true => Ok(()),
            false => Err(lines.join("; ")),
        }
    }

    /// The file of expected values: a line for each tensor and each scalar.
    pub fn json(&self, record: &str, burn: &str) -> String {
        let mut out = String::new();
        let _ = write!(
            out,
            "{{\n\"record\": {},\n\"burn\": {},\n",
            quoted(record),
            quoted(burn)
        );
        let tensors = self
            .tensors
            .iter()
            .map(|(path, t)| format!("{}: {}", quoted(path), t.json()));
        let scalars = self
            .scalars
            .iter()
            .map(|(path, s)| format!("{}: {}", quoted(path), s.json()));
        let _ = write!(out, "\"tensors\": {},\n", object(tensors.collect()));
        let _ = write!(out, "\"scalars\": {}\n}}\n", object(scalars.collect()));
        out
    }
}

fn tensor_differences(path: &str, want: &TensorValues, have: &TensorValues, lines: &mut Vec<String>) {
    if want.id != have.id {
        lines.push(format!("{path}: id {:?} instead of {:?}", have.id, want.id));
    }
    if want.shape != have.shape {
        lines.push(format!("{path}: shape {:?} instead of {:?}", have.shape, want.shape));
    }
    let (want, have) = (want.numbers.json(), have.numbers.json());
    if want != have {
        lines.push(format!("{path}: {have:?} instead of {want:?}"));
    }
}

fn object(members: Vec<String>) -> String {
    if members.is_empty() {
        "{}".to_string()
    } else {
        format!("{{\n{}\n}}", members.join(",\n"))
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text")
}

/// Digits that read back to the same f64; what JSON has no number for is a string.
fn float_json(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else if value.is_nan() {
        "\"NaN\"".to_string()
    } else {
        format!("\"{value}\"")
    }
}

impl Numbers {
    fn widest_dtype(&self) -> &'static str {
        match self {
            Numbers::Float(_) => "F64",
            Numbers::Int(_) => "I64",
            Numbers::Bool(_) => "Bool",
        }
    }

    fn json(&self) -> String {
        let items: Vec<String> = match self {
            Numbers::Float(numbers) => numbers.iter().map(|x| float_json(*x)).collect(),
            Numbers::Int(numbers) => numbers.iter().map(i64::to_string).collect(),
            Numbers::Bool(numbers) => numbers.iter().map(bool::to_string).collect(),
        };
        format!("[{}]", items.join(", "))
    }
}

impl TensorValues {
    pub fn new(id: Option<String>, shape: Vec<usize>, numbers: Numbers) -> TensorValues {
        TensorValues {
            id,
            dtype: numbers.widest_dtype(),
            shape,
            numbers,
        }
    }

    fn json(&self) -> String {
        let id = match &self.id {
            Some(id) => format!("\"id\": {}, ", quoted(id)),
            None => String::new(),
        };
        let (dtype, shape, data) = (self.dtype, &self.shape, self.numbers.json());
        format!("{{{id}\"dtype\": \"{dtype}\", \"shape\": {shape:?}, \"data\": {data}}}")
    }
}

impl Scalar {
    fn json(&self) -> String {
        let value = match &self.value {
            ScalarValue::Float(x) => float_json(*x),
            ScalarValue::Signed(x) => x.to_string(),
            ScalarValue::Unsigned(x) => x.to_string(),
            ScalarValue::Bool(x) => x.to_string(),
            ScalarValue::Text(x) => quoted(x),
            ScalarValue::Null => "null".to_string(),
        };
        format!("{{\"type\": \"{}\", \"value\": {value}}}", self.kind)
    }
}
