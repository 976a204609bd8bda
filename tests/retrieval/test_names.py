"""Whom a text is about, by name."""

from memory.retrieval.names import MAX_NAMES, keys, named, speakers


def test_speakers_are_those_who_begin_a_line() -> None:
    assert speakers("Caroline: hi\nDr. Mel Li: hello: there\n<Bart>: so\n老王：你好\nsee: https://x\nnot a: b:") == [
        "Caroline", "Dr. Mel Li", "Bart", "老王", "see", "not a"
    ]  # fmt: skip
    assert speakers("I said: no\nno speaker here\n: x\n12:30 lunch") == ["I said"]


def test_a_name_is_named_where_all_of_it_stands_in_the_query() -> None:
    kept = keys(["Caroline", "Melanie Li", "", "Caroline"])
    assert kept == ["carolin", "melani li"]
    assert named(kept, {"carolin", "paint"})
    assert not named(kept, {"melani", "paint"})
    assert named(kept, {"melani", "li"})
    assert not named([], {"carolin"})


def test_names_are_bounded() -> None:
    assert len(keys(f"n{number}" for number in range(1000))) == MAX_NAMES
