//! Rule-change webhooks against a real HTTPS receiver (contract, sections 2.7, 4.6, 6.1).

mod attempts;
mod delivery;
mod example;
mod filters;
mod head_of_line;
mod killed;
mod outbox;
mod retries;
mod rotation;
mod stop;
mod subscriptions;
