//! The promises of `FileJournal`: records are not lost, and a record that cannot be written is an error.

mod child;
mod clock;
mod damage;
mod folder;
mod full_disk;
mod kill;
mod open;
mod operations;
mod private;
mod records;
