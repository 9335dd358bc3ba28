//! Calendar days and exercise years.

use std::fmt;

use jiff::civil::{self, Weekday, date};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::{read_text, shorten, unfit};
use crate::document::{Faults, FromNode, Node, Object, Path, Shape, wrong_type};
use crate::problem::ErrorCode;
use crate::sentence::Reader;

/// First and last year that four digits can write; there was no year zero.
const MIN_YEAR: i16 = 1;
const MAX_YEAR: i16 = 9999;
/// More days than the calendar has.
const MAX_DAYS: u32 = 4_000_000;

/// A calendar day, `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// The first day on which a rule may answer: no law of today reaches further back.
    pub const FIRST_OF_RULES: Date = Date(date(1900, 1, 1));
    /// The last day on which a rule may answer, also a rule without an end.
    pub const LAST_OF_RULES: Date = Date(date(2200, 12, 31));

    /// 1 January of a year, which is from 1 to 9999.
    pub const fn first_of(year: i16) -> Date {
        Date(date(year, 1, 1))
    }

    /// True if a rule may answer on the day.
    pub fn may_have_rules(self) -> bool {
        (Date::FIRST_OF_RULES..=Date::LAST_OF_RULES).contains(&self)
    }

    /// The day, from the type of the calendar library.
    pub(super) const fn of(day: civil::Date) -> Date {
        Date(day)
    }

    /// The day, in the type of the calendar library.
    pub(super) const fn date(self) -> civil::Date {
        self.0
    }

    /// Parses `YYYY-MM-DD`; refuses every other form.
    pub fn parse(text: &str) -> Result<Date, String> {
        let refuse =
            || format!("\"{}\" não é uma data do calendário; escreva AAAA-MM-DD, como \"2026-01-31\".", shorten(text));
        let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text.as_bytes() else { return Err(refuse()) };
        let more = |number: u32, digit: &u8| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'));
        let number = |digits: &[u8]| digits.iter().try_fold(0, more);
        let (Some(year), Some(month), Some(day)) = (number(&[y1, y2, y3, y4]), number(&[m1, m2]), number(&[d1, d2]))
        else {
            return Err(refuse());
        };
        Date::of_parts(year, month, day).ok_or_else(refuse)
    }

    /// A day of the calendar.
    pub fn of_parts(year: u32, month: u32, day: u32) -> Option<Date> {
        let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
        civil::Date::new(year, month, day).ok().and_then(Date::of_civil)
    }

    /// The day; `None` before the first year that a day may have.
    pub fn of_civil(day: civil::Date) -> Option<Date> {
        (day.year() >= MIN_YEAR).then_some(Date(day))
    }

    /// The day as a number that orders like the calendar: 20260131.
    pub fn ordinal(self) -> u32 {
        let part = |v: i8| u32::from(v.unsigned_abs());
        u32::from(self.0.year().unsigned_abs()) * 10_000 + part(self.0.month()) * 100 + part(self.0.day())
    }

    /// The day as `YYYY-MM-DD`.
    pub fn text(self) -> DateText {
        let two = |number: u8| [b'0' + number / 10, b'0' + number % 10];
        let year = self.0.year().unsigned_abs();
        let of_year = |part: u16| two(u8::try_from(part).unwrap_or_default());
        let [[y1, y2], [y3, y4]] = [year / 100, year % 100].map(of_year);
        let [[m1, m2], [d1, d2]] = [self.0.month(), self.0.day()].map(|part| two(part.unsigned_abs()));
        DateText([y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2])
    }

    /// The number of days between the two, in either order.
    pub fn days_between(self, other: Date) -> u64 {
        self.0.duration_until(other.0).as_hours().unsigned_abs() / 24
    }

    /// The year and the month: 2026-03.
    pub fn year_and_month(self) -> String {
        self.text().as_str().get(..7).unwrap_or_default().to_owned()
    }

    /// The day as Brazilians write it: 31/01/2026.
    pub fn dmy(self) -> String {
        let ordinal = self.ordinal();
        format!("{:02}/{:02}/{:04}", ordinal % 100, ordinal / 100 % 100, ordinal / 10_000)
    }

    /// The day as that reader writes it.
    pub fn read_by(self, reader: Reader) -> String {
        match reader {
            Reader::Program => self.to_string(),
            Reader::Person => self.dmy(),
        }
    }

    /// The day before; the first one of the calendar has none and stays.
    pub fn previous_day(self) -> Date {
        self.0.yesterday().map_or(self, Date)
    }

    /// The last day of a validity that this day ends, in words: `até 31/12/2026` of 1 January 2027.
    pub fn until(self) -> String {
        format!("até {}", self.previous_day().dmy())
    }

    /// The next day; `None` after the last one of the calendar.
    pub fn next_day(self) -> Option<Date> {
        self.0.tomorrow().ok().map(Date)
    }

    /// The day that many days later; the last one of the calendar if it is later than that.
    pub fn plus_days(self, days: u32) -> Date {
        Date(self.0.saturating_add(jiff::Span::new().days(days.min(MAX_DAYS))))
    }

    /// The day that many days earlier; the first one of the calendar if it is earlier than that.
    pub fn minus_days(self, days: u32) -> Date {
        Date(self.0.saturating_sub(jiff::Span::new().days(days.min(MAX_DAYS))))
    }

    pub fn year(self) -> u32 {
        self.ordinal() / 10_000
    }

    /// 1 to 12.
    pub fn month(self) -> u32 {
        self.ordinal() / 100 % 100
    }

    /// True for the last day of its month that is neither a Saturday nor a Sunday. Holidays are not known here.
    pub fn is_last_weekday_of_month(self) -> bool {
        let is_weekday = |day: Date| !matches!(day.0.weekday(), Weekday::Saturday | Weekday::Sunday);
        let later = std::iter::successors(self.next_day(), |day| day.next_day());
        let mut in_month = later.take_while(|day| day.ordinal() / 100 == self.ordinal() / 100);
        is_weekday(self) && !in_month.any(is_weekday)
    }

    /// True for 1 January.
    pub fn is_first_of_year(self) -> bool {
        self.0.month() == 1 && self.0.day() == 1
    }

    /// The day of that [`ordinal`](Self::ordinal).
    pub fn from_ordinal(ordinal: u32) -> Option<Date> {
        Date::of_parts(ordinal / 10_000, ordinal / 100 % 100, ordinal % 100)
    }
}

/// The text of a day, without memory on the heap.
pub struct DateText([u8; 10]);

impl DateText {
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.text().as_str())
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        Date::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl FromNode for Date {
    const SHAPE: Shape = Shape::Date;

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        read_text(node, &Self::SHAPE, at, faults, ErrorCode::DataInvalida, |text| {
            Date::parse(text).map_err(|why| unfit(text, why, "Escreva uma data do calendário, como 31/12/2026."))
        })
    }
}

/// The year of a yearly tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exercicio(Date);

impl Exercicio {
    /// 1 January of the year: the day that selects the rule.
    pub fn first_day(self) -> Date {
        self.0
    }
}

impl FromNode for Exercicio {
    const SHAPE: Shape = Shape::Int { min: MIN_YEAR as i64, max: MAX_YEAR as i64 };

    fn from_node(node: &Node<'_>, _: &Object<'_>, at: &Path<'_>, faults: &mut Faults) -> Option<Self> {
        let Some(year) = node.whole() else {
            wrong_type(&Self::SHAPE, node, at, faults);
            return None;
        };
        let day = i16::try_from(year)
            .ok()
            .filter(|y| (MIN_YEAR..=MAX_YEAR).contains(y))
            .and_then(|y| civil::Date::new(y, 1, 1).ok());
        if day.is_none() {
            faults.add(
                at,
                ErrorCode::ForaDoIntervalo,
                format!("O exercício vai de {MIN_YEAR} a {MAX_YEAR}; veio {year}."),
            );
        }
        day.map(|d| Exercicio(Date(d)))
    }
}
