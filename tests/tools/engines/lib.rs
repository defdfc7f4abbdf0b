//! Nothing: a package has a library or a program.
