//! Records that are no modules: primitives, and tensors that are no parameters.

use burn::record::Record;
use burn::tensor::backend::Backend;
use burn::tensor::{Bool, Int, Tensor};
use half::{bf16, f16};

use crate::records::{Job, Plan, B};
use crate::tensors;
use crate::walk::{join, values_of, Visitor, Walk};
use crate::walk_fields;

#[derive(Record, Clone)]
pub enum Kind {
    Number(u8),
    Text(String),
}

impl<B: Backend> Walk<B> for Kind {
    fn walk<V: Visitor<B>>(&mut self, path: &str, visitor: &mut V) {
        match self {
            Kind::Number(number) => Walk::<B>::walk(number, &join(path, "Number"), visitor),
            Kind::Text(text) => Walk::<B>::walk(text, &join(path, "Text"), visitor),
        }
    }
}

/// A record of primitives with its values.
macro_rules! primitives {
    ($name:ident { $($field:ident: $kind:ty = $value:expr,)* }) => {
        #[derive(Record, Clone)]
        pub struct $name {
            $(pub $field: $kind,)*
        }

        walk_fields!(plain $name: $($field),*);

        impl $name {
            fn new() -> Self {
                Self { $($field: $value,)* }
            }
        }
    };
}

primitives!(Inner {
    number: u8 = 1,
    float: Option<f64> = Some(-0.5),
});

primitives!(Primitives {
    text: String = "Grüße \"in\"\n\tquotes \u{1F980} \u{1}".to_string(),
    long_text: String = "0123456789abcdef".repeat(17),
    empty_text: String = String::new(),
    yes: bool = true,
    no: bool = false,
    f32_tenth: f32 = 0.1,
    f32_most: f32 = f32::MAX,
    f32_denormal: f32 = 1e-45,
    f32_whole: f32 = 3.0,
    f64_tenth: f64 = 0.1,
    f64_most: f64 = f64::MAX,
    f64_denormal: f64 = 5e-324,
    f64_whole: f64 = -3.0,
    f64_big: f64 = 1e16,
    f16_tenth: f16 = f16::from_f32(0.1),
    bf16_tenth: bf16 = bf16::from_f32(0.1),
    usize_zero: usize = 0,
    usize_most: usize = usize::MAX,
    u8_most: u8 = u8::MAX,
    u16_most: u16 = u16::MAX,
    u16_250: u16 = 250,
    u16_251: u16 = 251,
    u32_most: u32 = u32::MAX,
    u32_65536: u32 = 65536,
    u64_most: u64 = u64::MAX,
    u64_128: u64 = 128,
    i8_least: i8 = i8::MIN,
    i8_33: i8 = -33,
    i16_least: i16 = i16::MIN,
    i32_least: i32 = i32::MIN,
    i32_most: i32 = i32::MAX,
    i64_least: i64 = i64::MIN,
    i64_most: i64 = i64::MAX,
    i64_minus_one: i64 = -1,
    some_text: Option<String> = Some("some".to_string()),
    none_text: Option<String> = None,
    some_bool: Option<bool> = Some(false),
    none_bool: Option<bool> = None,
    some_f32: Option<f32> = Some(0.25),
    none_f32: Option<f32> = None,
    some_f64: Option<f64> = Some(0.75),
    none_f64: Option<f64> = None,
    some_f16: Option<f16> = Some(f16::from_f32(-2.5)),
    none_f16: Option<f16> = None,
    some_usize: Option<usize> = Some(300),
    none_usize: Option<usize> = None,
    some_u8: Option<u8> = Some(0),
    none_u8: Option<u8> = None,
    some_i64: Option<i64> = Some(-70000),
    none_i64: Option<i64> = None,
    bytes: Vec<u8> = vec![0, 127, 128, 251, 255],
    floats: Vec<f32> = vec![0.1, -1.5, 1e10],
    empty: Vec<f32> = vec![],
    pair: (u8, String) = (9, "nine".to_string()),
    triple: (bool, f64, Option<u16>) = (true, 2.5, Some(1000)),
    array: [i16; 3] = [-1, 0, 300],
    nested: Vec<Vec<u16>> = vec![vec![1, 2], vec![], vec![1000]],
    texts: Vec<Option<String>> = vec![Some("a".to_string()), None],
    unit: () = (),
    inner: Inner = Inner::new(),
    inners: Vec<Inner> = vec![Inner::new(), Inner { number: 2, float: None }],
    kind: Kind = Kind::Text("second".to_string()),
    kinds: Vec<Kind> = vec![Kind::Number(5), Kind::Text(String::new())],
});

primitives!(Units {
    unit: () = (),
    some: Option<()> = Some(()),
    none: Option<()> = None,
});

primitives!(OddFloats {
    f32_nan: f32 = f32::NAN,
    f32_inf: f32 = f32::INFINITY,
    f32_minus_zero: f32 = -0.0,
    f64_nan: f64 = f64::NAN,
    f64_minus_inf: f64 = f64::NEG_INFINITY,
    f64_minus_zero: f64 = -0.0,
    f16_nan: f16 = f16::NAN,
    bf16_inf: bf16 = bf16::INFINITY,
});

#[derive(Record, Clone)]
pub struct Tensors<B: Backend> {
    pub one: Tensor<B, 1>,
    pub odd: Tensor<B, 1>,
    pub deep: Tensor<B, 4>,
    pub ints: Tensor<B, 1, Int>,
    pub bools: Tensor<B, 2, Bool>,
    pub some: Option<Tensor<B, 1>>,
    pub none: Option<Tensor<B, 1>>,
    pub list: Vec<Tensor<B, 1>>,
}

walk_fields!(Tensors: one, odd, deep, ints, bools, some, none, list);

/// The ends of what f64, f32 and f16 hold, halves between two f16, and what none of them holds.
const ODD: [f64; 22] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0 / 3.0,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    1e-40,
    1e-45,
    3.4028234663852886e38,
    65504.0,
    65519.0,
    65520.0,
    6e-8,
    5.960464477539063e-8,
    1.00048828125,
    1.00146484375,
    1.0004882821812,
    -1e-7,
    0.1,
];

impl<B: Backend> Tensors<B> {
    fn new(device: &B::Device) -> Self {
        let deep: Vec<f64> = (0..6).map(|i| f64::from(i) / 7.0).collect();
        let line = |values: &[f64]| tensors::float(values, &[values.len()], device);
        Tensors {
            one: line(&[-1.25]),
            odd: line(&ODD),
            deep: tensors::float(&deep, &[1, 2, 1, 3], device),
            ints: tensors::int(&INTS, &[INTS.len()], device),
            bools: tensors::bool(&[true, false, false, true, true, false], &[2, 3], device),
            some: Some(line(&[4.0, 5.5])),
            none: None,
            list: vec![line(&[6.1]), line(&[7.1, 8.1])],
        }
    }
}

/// What i16 holds: half precision takes no more.
const INTS: [i64; 10] = [-32768, -129, -128, -33, -1, 0, 127, 128, 256, 32767];

#[derive(Record, Clone)]
pub struct Empty<B: Backend> {
    pub floats: Tensor<B, 2>,
    pub ints: Tensor<B, 1, Int>,
    pub bools: Tensor<B, 3, Bool>,
}

walk_fields!(Empty: floats, ints, bools);

impl<B: Backend> Empty<B> {
    fn new(device: &B::Device) -> Self {
        Empty {
            floats: tensors::float(&[], &[0, 3], device),
            ints: tensors::int(&[], &[0], device),
            bools: tensors::bool(&[], &[2, 0, 1], device),
        }
    }
}

fn plain<J: Job, R: Record<B> + Walk<B>>(job: &mut J, name: &str, plan: Plan, make: impl Fn() -> R) {
    job.record::<B, R>(name, plan, values_of(make()), &make, values_of);
}

pub fn run<J: Job>(job: &mut J) {
    let device = Default::default();
    plain(job, "primitives", Plan::FULL, Primitives::new);
    plain(job, "units", Plan::FULL, Units::new);
    plain(job, "odd_floats", Plan::FULL, OddFloats::new);
    plain(job, "tensors", Plan::PRECISIONS, || Tensors::<B>::new(&device));
    plain(job, "empty_tensors", Plan::FULL, || Empty::<B>::new(&device));
    plain(job, "bare_tensor", Plan::FULL, || -> Tensor<B, 2> {
        tensors::float(&[0.1, -2.0], &[2, 1], &device)
    });
    plain(job, "bare_ints", Plan::FULL, || -> Tensor<B, 2, Int> {
        tensors::int(&[-1, 2147483647, -2147483648], &[1, 3], &device)
    });
    plain(job, "wide_ints", Plan::DOUBLE, || -> Tensor<B, 1, Int> {
        tensors::int(&[i64::MIN, i64::MAX, -1], &[3], &device)
    });
    plain(job, "number", Plan::FULL, || 3usize);
    plain(job, "nothing", Plan::FULL, || ());
}
