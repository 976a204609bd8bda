"""What an item is found by."""

import hashlib

from memory.retrieval.item import SELF_CONTAINED, Item
from memory.vocabulary import Collection


def test_a_short_text_is_embedded_with_title_and_context_a_long_one_with_its_title() -> None:
    short = Item(Collection.KNOWLEDGE, "k", "yes, in May", title="Plans", context="Will you travel?")
    long = Item(Collection.KNOWLEDGE, "k", "w" * SELF_CONTAINED, title="Plans", context="Will you travel?")
    assert short.passage == "Plans\nWill you travel?\nyes, in May"
    assert long.passage == f"Plans\n{'w' * SELF_CONTAINED}"
    assert short.digest == hashlib.sha256(short.passage.encode()).digest()


def test_words_of_title_and_context_count_half() -> None:
    item = Item(Collection.KNOWLEDGE, "k", "yes yes travel", title="plan", context="travel yes")
    assert item.frequencies() == {"yes": 2.5, "travel": 1.5, "plan": 0.5}
