//! Bundle files, their canonical form and their faults, each with its file, line and JSON path.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::provenance::Signed;
use crate::base::document::{Fault, Faults, JsonFault, Lines, Path};
use crate::base::problem::ErrorCode;
use crate::base::sentence::Sentence;
use crate::law::rule::bundle::{self, RawBundle, RuleLocation};

#[derive(Debug, Clone)]
pub struct BundleFile {
    /// Its name, for faults.
    pub name: String,
    pub bytes: Cow<'static, [u8]>,
    /// The signature that was verified; `None` if it is not signed.
    pub signed: Option<Signed>,
}

impl BundleFile {
    pub fn unsigned(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> BundleFile {
        BundleFile { name: name.into(), bytes: Cow::Owned(bytes.into()), signed: None }
    }
}

/// A fault of a bundle, its place, and how to correct it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BundleFault {
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    pub path: String,
    pub codigo: ErrorCode,
    /// What is wrong and how to correct it, in Portuguese.
    pub detail: Sentence,
}

impl fmt::Display for BundleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}: {}",
            self.file,
            self.line,
            if self.path.is_empty() { "(documento)" } else { &self.path },
            self.detail
        )
    }
}

/// Faults of several files, with their lines.
pub(super) struct FaultsByFile<'f> {
    files: &'f [BundleFile],
    found: Vec<(usize, Fault)>,
    unreadable: Vec<BundleFault>,
}

impl<'f> FaultsByFile<'f> {
    pub(super) fn new(files: &'f [BundleFile]) -> Self {
        FaultsByFile { files, found: Vec::new(), unreadable: Vec::new() }
    }

    /// Reports a file that is not JSON.
    pub(super) fn not_json(&mut self, file: &BundleFile, fault: &JsonFault) {
        self.unreadable.push(BundleFault {
            file: file.name.clone(),
            line: fault.line,
            path: String::new(),
            codigo: ErrorCode::JsonInvalido,
            detail: format!("não é JSON: {fault}").into(),
        });
    }

    fn name(&self, file: usize) -> String {
        self.files.get(file).map(|f| f.name.clone()).unwrap_or_default()
    }

    pub(super) fn take(&mut self, file: usize, faults: Faults) {
        self.found.extend(faults.into_list().into_iter().map(|f| (file, f)));
    }

    pub(super) fn add(&mut self, file: usize, fault: Fault) {
        self.found.push((file, fault));
    }

    pub(super) fn at(
        &mut self,
        file: usize,
        location: RuleLocation,
        member: &str,
        codigo: ErrorCode,
        detail: impl Into<Sentence>,
    ) {
        let mut one = Faults::default();
        location.with_path(|at: &Path<'_>| one.add(&at.key(member), codigo, detail));
        self.take(file, one);
    }

    /// Fails with every fault found so far, if there is one.
    pub(super) fn check(&self) -> Result<(), Vec<BundleFault>> {
        if self.found.is_empty() && self.unreadable.is_empty() {
            return Ok(());
        }
        let mut list = self.unreadable.clone();
        let mut lines: Vec<Lines<'_>> = self.files.iter().map(|file| Lines::of(&file.bytes)).collect();
        for (file, fault) in &self.found {
            let repeated = fault.codigo == ErrorCode::ChaveDuplicada;
            let found =
                lines.get_mut(*file).map(|l| l.line(&fault.path, RuleLocation::steps_to_list(&fault.path), repeated));
            list.push(BundleFault {
                file: self.name(*file),
                line: found.unwrap_or(1),
                path: fault.path_text(),
                codigo: fault.codigo,
                detail: fault.detail.clone(),
            });
        }
        Err(list)
    }
}

/// The canonical text of each file, in their order. Fails with every fault of form of every file; what a scope,
/// a content or an example says is not checked.
pub fn canonical_texts(files: &[BundleFile]) -> Result<Vec<String>, Vec<BundleFault>> {
    let mut faults = FaultsByFile::new(files);
    let mut texts = Vec::with_capacity(files.len());
    for (index, file) in files.iter().enumerate() {
        let mut found = Faults::default();
        match canonical_text(&file.bytes, &mut found) {
            Ok(text) => texts.push(text),
            Err(fault) => faults.not_json(file, &fault),
        }
        faults.take(index, found);
    }
    faults.check()?;
    Ok(texts)
}

fn canonical_text(bytes: &[u8], found: &mut Faults) -> Result<String, JsonFault> {
    bundle::read(RawBundle::read(bytes)?, found, &mut |_, _| {})?;
    RawBundle::read(bytes)?.canonical_text()
}
