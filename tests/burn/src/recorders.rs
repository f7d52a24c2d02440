//! Burn's recorders, by file ending.

use std::path::{Path, PathBuf};

use burn::record::{
    BinBytesRecorder, BinFileRecorder, BinGzFileRecorder, DoublePrecisionSettings, FullPrecisionSettings,
    HalfPrecisionSettings, JsonGzFileRecorder, NamedMpkBytesRecorder, NamedMpkFileRecorder, NamedMpkGzFileRecorder,
    PrecisionSettings, PrettyJsonFileRecorder, Record, Recorder,
};
use burn::tensor::backend::Backend;

use crate::values::Precision;

#[derive(Clone, Copy, PartialEq)]
pub enum Format {
    Mpk,
    MpkGz,
    Bin,
    BinGz,
    Json,
    JsonGz,
    MpkBytes,
    BinBytes,
}

impl Format {
    pub const ALL: [Format; 8] = [
        Format::Mpk,
        Format::MpkGz,
        Format::Bin,
        Format::BinGz,
        Format::Json,
        Format::JsonGz,
        Format::MpkBytes,
        Format::BinBytes,
    ];

    /// The file recorders have these from Burn; those in memory have none there.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Mpk => "mpk",
            Format::MpkGz => "mpk.gz",
            Format::Bin => "bin",
            Format::BinGz => "bin.gz",
            Format::Json => "json",
            Format::JsonGz => "json.gz",
            Format::MpkBytes => "mpkbytes",
            Format::BinBytes => "binbytes",
        }
    }
}

/// A file of a record: `NAME.PRECISION.EXTENSION`.
pub struct File {
    pub name: String,
    pub precision: Precision,
    pub format: Format,
}

impl File {
    pub fn file_name(&self) -> String {
        format!("{}.{}.{}", self.name, self.precision.name(), self.format.extension())
    }

    pub fn is_json(&self) -> bool {
        matches!(self.format, Format::Json | Format::JsonGz)
    }

    /// What a file recorder is given: it puts its extension in the place of what follows the last dot.
    fn argument(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}.{}.x", self.name, self.precision.name()))
    }

    pub fn save<B: Backend, R: Record<B>>(&self, record: R, folder: &Path) -> Result<(), String> {
        match self.precision {
            Precision::Double => self.save_as::<B, R, DoublePrecisionSettings>(record, folder),
            Precision::Full => self.save_as::<B, R, FullPrecisionSettings>(record, folder),
            Precision::Half => self.save_as::<B, R, HalfPrecisionSettings>(record, folder),
        }
    }

    pub fn load<B: Backend, R: Record<B>>(&self, folder: &Path) -> Result<R, String> {
        match self.precision {
            Precision::Double => self.load_as::<B, R, DoublePrecisionSettings>(folder),
            Precision::Full => self.load_as::<B, R, FullPrecisionSettings>(folder),
            Precision::Half => self.load_as::<B, R, HalfPrecisionSettings>(folder),
        }
    }

    fn save_as<B: Backend, R: Record<B>, S: PrecisionSettings>(&self, record: R, folder: &Path) -> Result<(), String> {
        fn to_file<B: Backend, R: Record<B>, W>(recorder: W, record: R, path: PathBuf) -> Result<(), String>
        where
            W: Recorder<B, RecordArgs = PathBuf, RecordOutput = ()>,
        {
            recorder.record(record, path).map_err(|e| e.to_string())
        }
        let path = self.argument(folder);
        let in_memory =
            |bytes: Vec<u8>| std::fs::write(folder.join(self.file_name()), bytes).map_err(|e| e.to_string());
        match self.format {
            Format::Mpk => to_file(NamedMpkFileRecorder::<S>::new(), record, path),
            Format::MpkGz => to_file(NamedMpkGzFileRecorder::<S>::new(), record, path),
            Format::Bin => to_file(BinFileRecorder::<S>::new(), record, path),
            Format::BinGz => to_file(BinGzFileRecorder::<S>::new(), record, path),
            Format::Json => to_file(PrettyJsonFileRecorder::<S>::new(), record, path),
            Format::JsonGz => to_file(JsonGzFileRecorder::<S>::new(), record, path),
            Format::MpkBytes => Recorder::<B>::record(&NamedMpkBytesRecorder::<S>::new(), record, ())
                .map_err(|e| e.to_string())
                .and_then(in_memory),
            Format::BinBytes => Recorder::<B>::record(&BinBytesRecorder::<S>::new(), record, ())
                .map_err(|e| e.to_string())
                .and_then(in_memory),
        }
    }

    fn load_as<B: Backend, R: Record<B>, S: PrecisionSettings>(&self, folder: &Path) -> Result<R, String> {
        fn from<B: Backend, R: Record<B>, L: Recorder<B>>(recorder: L, source: L::LoadArgs) -> Result<R, String> {
            recorder.load(source, &B::Device::default()).map_err(|e| e.to_string())
        }
        let path = self.argument(folder);
        let bytes = || std::fs::read(folder.join(self.file_name())).map_err(|e| e.to_string());
        match self.format {
            Format::Mpk => from(NamedMpkFileRecorder::<S>::new(), path),
            Format::MpkGz => from(NamedMpkGzFileRecorder::<S>::new(), path),
            Format::Bin => from(BinFileRecorder::<S>::new(), path),
            Format::BinGz => from(BinGzFileRecorder::<S>::new(), path),
            Format::Json => from(PrettyJsonFileRecorder::<S>::new(), path),
            Format::JsonGz => from(JsonGzFileRecorder::<S>::new(), path),
            Format::MpkBytes => from(NamedMpkBytesRecorder::<S>::new(), bytes()?),
            Format::BinBytes => from(BinBytesRecorder::<S>::new(), bytes()?),
        }
    }
}
