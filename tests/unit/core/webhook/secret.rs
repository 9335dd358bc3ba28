//! Which secrets are accepted, and which bytes they sign with.

use taxd_base::value::Secret;

#[test]
fn the_line_end_that_an_editor_leaves_is_not_part_of_it() {
    for text in ["0123456789abcdef", "0123456789abcdef\n", "0123456789abcdef\r\n"] {
        assert_eq!(Secret::parse(text).unwrap().bytes(), b"0123456789abcdef");
    }
    let kept = Secret::parse(" 0123456789abcde \n").unwrap();
    assert_eq!(kept.bytes(), b" 0123456789abcde ", "nothing else is cut");
}

#[test]
fn a_text_that_is_not_a_secret_is_refused() {
    let long = "a".repeat(513);
    let cases = [
        ("", "16 to 512"),
        ("0123456789abcde\n", "15"),
        (&long, "513"),
        ("0123456789abcdef\n\n", "one line"),
        ("01234567\t89abcdef", "printable"),
        ("whsec_0123456789ab%%==", "base64"),
        ("whsec_MDEyMzQ1Njc4OWFiY2RlZg==MDEyMzQ1Njc4OWFiY2RlZg==", "base64"),
        ("whsec_MDEyMzQ1Njc4OWFiY2Rl", "at least 16"),
    ];
    for (text, why) in cases {
        let refused = Secret::parse(text).unwrap_err();
        assert!(refused.contains(why), "{text}: {refused}");
    }
    assert!(Secret::parse(&"a".repeat(512)).is_ok());
}

#[test]
fn one_made_here_is_standard_and_never_the_same() {
    let (one, other) = (Secret::generate().unwrap(), Secret::generate().unwrap());
    assert_ne!(one.reveal(), other.reveal());
    assert_eq!(one.standard_bytes().len(), 32);
    assert_eq!(Secret::parse(one.reveal()).unwrap(), one, "it is taken back from a file");
}

#[test]
fn the_prefix_says_what_the_standard_key_is() {
    let standard = Secret::parse("whsec_MDEyMzQ1Njc4OWFiY2RlZg==").unwrap();
    assert_eq!(standard.standard_bytes(), b"0123456789abcdef");
    assert_eq!(standard.bytes(), b"whsec_MDEyMzQ1Njc4OWFiY2RlZg==");
    let own = Secret::parse("0123456789abcdef").unwrap();
    assert_eq!(own.standard_bytes(), own.bytes());
}

#[test]
fn it_does_not_show_itself() {
    let secret = Secret::parse("0123456789abcdef").unwrap();
    assert!(!format!("{secret:?}").contains("0123"), "{secret:?}");
}
