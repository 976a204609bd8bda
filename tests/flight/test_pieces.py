"""Texts that are recognised when they come back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from memory.flight.pieces import MOST_KEPT, PiecesInMemory, fingerprint

KEY = b"k" * 16
PROSE = (
    "The refund for booking 4711 was refused because the fare of flight HAT204 does not allow any change after check-in. "
    "A voucher of 150 dollars can be offered instead, as long as the customer asks for it before the end of the month."
)
FLIGHTS = [
    {"flight_number": f"HAT{n}", "price": 100 + n, "status": "available", "note": f"gate {n} opens at noon"}
    for n in range(6)
]


def shared(one: str, other: str) -> int:
    """How many kept pieces of one text are found in the other."""
    return len(set(fingerprint(one, KEY).kept) & set(fingerprint(other, KEY).sought))


def test_case_white_space_and_punctuation_do_not_count() -> None:
    assert fingerprint("**Refund**  refused:\n\n- no change allowed!", KEY) == fingerprint(
        "refund refused\n* No change   allowed", KEY
    )


def test_json_is_recognised_with_other_indentation_and_order_of_keys() -> None:
    compact, pretty = json.dumps(FLIGHTS), json.dumps(FLIGHTS, indent=4, sort_keys=True)
    leaves = {part for part in fingerprint(pretty, KEY).parts if part in fingerprint(compact, KEY).parts}
    assert len(leaves) >= 12
    told = "\n".join(f"{name}: {value}" for flight in FLIGHTS for name, value in flight.items())
    assert shared(compact, f"These flights were found.\n{told}") >= 12


def test_a_text_is_recognised_by_its_beginning_and_in_the_middle_of_another() -> None:
    assert shared(PROSE, PROSE[: len(PROSE) // 2]) >= 2
    assert shared(PROSE, f"Observation: {PROSE} What should I do now?") >= 4


def test_thirteen_words_in_a_row_are_always_found() -> None:
    words = PROSE.split()
    for start in range(len(words) - 13):
        assert shared(PROSE, " ".join(["Somebody", "said", *words[start : start + 13], "and", "left"])) >= 1


def test_different_texts_share_nothing() -> None:
    other = "Our return policy covers every unopened item for thirty days; shipping costs are borne by the buyer alone."
    assert shared(PROSE, other) == 0


def test_what_says_nothing_has_no_digest() -> None:
    for empty in ("", " \n", "[]", "{}", '{"rows": []}', "…", "--"):
        assert fingerprint(empty, KEY).parts == ()
    assert fingerprint("[]", KEY).whole is None


def test_short_words_are_no_piece_but_a_whole_text_may_be_short() -> None:
    assert fingerprint("ok", KEY).parts == ()
    assert fingerprint("ok", KEY).whole == fingerprint("OK.", KEY).whole is not None


def test_chinese_is_recognised_without_spaces() -> None:
    told = "根据航空公司的规定,这张机票在办理登机手续之后不能再改签,只能换成代金券。"
    assert shared(told, f"客服说:{told}请问您同意吗?") >= 2


def test_another_key_gives_other_digests() -> None:
    assert not set(fingerprint(PROSE, KEY).kept) & set(fingerprint(PROSE, b"o" * 16).kept)


def test_no_more_is_kept_of_a_long_text_than_of_any_and_its_part_is_still_found() -> None:
    long = "\n".join(f"line {n} tells of order number {n * 7919} and where it went on that day" for n in range(3000))
    assert len(fingerprint(long, KEY).kept) == MOST_KEPT + 1
    assert shared(long, "\n".join(long.splitlines()[:600])) >= 4


@given(st.text(max_size=300))
def test_any_text_is_recognised_again(text: str) -> None:
    assert fingerprint(text, KEY) == fingerprint(f"\n{text}  ", KEY)


@given(st.text('{}[]":, 1a', max_size=60))
def test_broken_json_is_a_text_like_any_other(text: str) -> None:
    fingerprint(text, KEY)


def test_json_that_is_nested_very_deeply_is_read_as_text() -> None:
    assert fingerprint("[" * 100_000 + "deep enough", KEY).parts


def test_the_newest_event_has_a_piece() -> None:
    seen = PiecesInMemory()
    seen.add(1, [7, 8])
    seen.add(4, [8, 9])
    assert seen.versions_of([7, 8, 9, 10]) == {7: 1, 8: 4, 9: 4}
