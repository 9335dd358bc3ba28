//! Example payloads of taxes that share one body.

/// A constant for each tax: the same members after its own `tributo`.
macro_rules! examples {
    ($($name:ident = $tributo:literal),+ => $members:literal) => {
        $( pub(super) const $name: &str = concat!("{\n  \"tributo\": \"", $tributo, "\",\n", $members); )+
    };
}
