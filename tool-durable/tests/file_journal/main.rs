//! The promises of `FileJournal`: what it records survives, and what it cannot record is an error.

mod child;
mod clock;
mod damage;
mod folder;
mod full_disk;
mod kill;
mod open;
mod operations;
mod records;
