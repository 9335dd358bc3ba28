//! From the first run to the last request: starting, stopping, being killed.

mod descriptors;
mod first_run;
mod frozen;
mod in_use;
mod migration;
mod restart;
mod service_manager;
mod stop;
