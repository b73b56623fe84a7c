//! Programs as a user of a library would write them, with any number of tools.

mod llm_tool;
mod ours;
mod rig;
mod tools_rs;

use crate::libraries::{LOCK, Library};
use crate::{Result, cargo};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Program {
    name: String,
    folder: PathBuf,
}

/// The parts of a program. `@` is the number of a tool.
struct Source {
    /// The dependencies that tools need, apart from an async runtime.
    dependencies: &'static str,
    head: &'static str,
    tool: &'static str,
    /// The entry in the list of tools; empty for a library that collects them.
    listed: &'static str,
    before_list: &'static str,
    after_list: &'static str,
}

impl Program {
    pub(crate) fn write(programs: &Path, library: Library, tools: usize) -> Result<Self> {
        let name = format!("{}-{tools}", library.package());
        let folder = programs.join(&name);
        let source = match library {
            Library::Ours => ours::SOURCE,
            Library::LlmTool => llm_tool::SOURCE,
            Library::ToolsRs => tools_rs::SOURCE,
            Library::Rig => rig::SOURCE,
        };
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), source.manifest(&name))?;
        fs::write(folder.join("Cargo.lock"), LOCK)?;
        fs::write(folder.join("src/main.rs"), source.main(tools))?;
        let program = Program { name, folder };
        // Later commands download nothing.
        program.cargo(programs, &["fetch"])?;
        Ok(program)
    }

    pub(crate) fn cargo(&self, target: &Path, arguments: &[&str]) -> Result<String> {
        cargo::run(&self.folder, target, arguments)
    }

    /// Makes Cargo rebuild the program, but not its dependencies.
    pub(crate) fn touch(&self) -> Result<()> {
        let main = self.folder.join("src/main.rs");
        fs::write(&main, fs::read(&main)?)?;
        Ok(())
    }

    /// The size of the stripped release binary.
    pub(crate) fn bytes(&self, target: &Path) -> Result<u64> {
        Ok(fs::metadata(target.join("release").join(&self.name))?.len())
    }
}

impl Source {
    fn manifest(&self, name: &str) -> String {
        let ours = env!("CARGO_MANIFEST_DIR");
        let dependencies = self.dependencies.replace('@', &format!("{ours}/../.."));
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n\
             [profile.release]\nstrip = true\n\
             [dependencies]\ntokio = {{ version = \"1\", features = [\"rt\", \"macros\"] }}\n{dependencies}"
        )
    }

    fn main(&self, tools: usize) -> String {
        let repeated = |template: &str| -> String {
            (0..tools).map(|index| template.replace('@', &index.to_string())).collect()
        };
        [self.head, &repeated(self.tool), self.before_list, &repeated(self.listed), self.after_list].concat()
    }
}
