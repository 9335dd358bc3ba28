//! The days of the tax reform (EC 132/2023; LC 214/2025): which taxes are in force on a day. Each date is here once.

use crate::base::value::Date;

/// First day of the test year of CBS and IBS (ADCT, art. 125; LC 214/2025, arts. 343 and 346).
pub const TEST_YEAR: Date = Date::first_of(2026);
/// First day after the test year. CBS and Imposto Seletivo are collected, PIS and COFINS are extinct (ADCT, art. 126, I
/// and II; LC 214/2025, art. 542).
pub const TRANSITION: Date = Date::first_of(2027);
/// First day without ICMS and ISS (ADCT, art. 129), and without a tax that leaves the base of CBS and IBS (LC 214/2025,
/// art. 12, § 2º, V).
const END_OF_TRANSITION: Date = Date::first_of(2033);

pub fn is_in_test_year(day: Date) -> bool {
    (TEST_YEAR..TRANSITION).contains(&day)
}

/// True from the day on which CBS and Imposto Seletivo are collected.
pub fn is_after_test_year(day: Date) -> bool {
    day >= TRANSITION
}

/// True while PIS and COFINS are in force.
pub fn are_pis_and_cofins_due(day: Date) -> bool {
    day < TRANSITION
}

/// True while ICMS and ISS are in force.
pub fn are_icms_and_iss_due(day: Date) -> bool {
    day < END_OF_TRANSITION
}
