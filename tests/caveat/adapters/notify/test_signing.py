import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.notify.signing import encode_header_id, parse_secret, sign_delivery


def test_the_test_vector_of_the_specifications_libraries() -> None:
    key = parse_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = sign_delivery(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_without_prefix_is_the_key_itself() -> None:
    assert parse_secret(" MfKQ9r8G\n") == b"MfKQ9r8G"


@pytest.mark.parametrize("secret", ["", " \n", "whsec_", "whsec_planted!", "whsec_!cGxhbnRlZA=="])
def test_what_is_no_secret_is_not_repeated(secret: str) -> None:
    with pytest.raises(ValueError, match=r"empty|base64") as raised:
        parse_secret(secret)
    assert "planted" not in str(raised.value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_id_fits_a_header_and_holds_no_full_stop(text: str) -> None:
    written = encode_header_id(text)
    assert written.isascii()
    assert "." not in written
    assert not text or written.isprintable()


def test_a_usual_id_stays_as_it_is() -> None:
    assert encode_header_id("research-moons-abc123/contradiction-1") == (
        "research-moons-abc123/contradiction-1"
    )
