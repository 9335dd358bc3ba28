//! The taxes.
//!
//! | file | what must hold |
//! |---|---|
//! | `answer` | an answer is one thing: typed, as bytes, and read back |
//! | `golden` | cases worked by others (`tests/golden/cases.json`) |
//! | `naive` | a second, naive implementation of every tax, against random rules and payloads |
//! | `components` | what results show, as the taxes declare it |
//! | `full_taxation` | CBS and IBS in full on what a differentiated regime names: refused, or answered with a warning |
//! | `icms` | own ICMS by the built-in rules: products that a national benefit names |
//! | `icms_consumidor_final` | sales to the final consumer by hand: the base of the difference, benefits of the consumer alone, what a bundle must say |
//! | `imposto_seletivo` | what is said of the tax that has no rate |
//! | `discounts_and_units` | discounts, exemptions of ITBI and taxes by unit: answers, steps, refusals |
//! | `fiscal_unit` | the value of a State's fiscal unit: which one an answer uses, and the rules that state it |
//! | `not_given` | what answers say of optional fields that could have led to another rule |
//! | `icms_st` | what ICMS-ST says beside the amount: other rules, CESTs to choose from |
//! | `limits` | refusals for want of a rate: the bounds of national law |
//! | `labels` | every word of a payload, an answer or a rule has a label, the same in every tax |
//! | `memory` | the steps of a calculation: each formula, read as text, gives its exact result |

mod answer;
mod components;
mod discounts_and_units;
mod fiscal_unit;
mod for_people;
mod full_taxation;
mod golden;
mod icms;
mod icms_consumidor_final;
mod icms_st;
mod imposto_seletivo;
mod labels;
mod limits;
pub mod memory;
pub mod naive;
mod not_given;
