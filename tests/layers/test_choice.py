"""What of conversation and memory fits into a budget."""

from memory.layers.choice import Memory, Unit, choose, words


def unit(tokens: int, version: int, text: str = "-") -> Unit:
    return Unit(tokens, frozenset({version}), text)


def test_with_room_for_all_all_is_taken() -> None:
    chosen = choose(100, [unit(10, 1), unit(10, 2)], [Memory(10, ("a",)), Memory(10, ("b",))], 5)
    assert (chosen.units, chosen.memories, chosen.refused) == (2, (0, 1), {})


def test_a_long_conversation_leaves_two_thirds_of_the_room_to_memory() -> None:
    chosen = choose(100, [unit(10, n) for n in range(20)], [Memory(20, (str(n),)) for n in range(9)])
    assert (chosen.units, chosen.memories) == (4, (0, 1, 2))  # what 70 tokens of memory left over is taken too
    assert len(chosen.refused) == 6


def test_what_memory_leaves_the_conversation_takes() -> None:
    assert choose(100, [unit(10, n) for n in range(20)], [Memory(20, ("a",))]).units == 8


def test_what_the_conversation_leaves_memory_takes() -> None:
    assert choose(100, [unit(10, 1)], [Memory(20, (str(n),)) for n in range(9)]).memories == (0, 1, 2, 3)


def test_the_window_has_no_gap_but_memories_may() -> None:
    chosen = choose(100, [unit(1, 1), unit(90, 2), unit(10, 3)], [Memory(95, ("a",)), Memory(20, ("b",))])
    assert (chosen.units, chosen.memories) == (1, (1,))
    assert chosen.refused == {0: "It takes 95 tokens, and 90 were left."}


def test_a_memory_whose_messages_come_in_with_what_others_left_is_given_up() -> None:
    units = [unit(30, 1), unit(10, 2)]
    chosen = choose(60, units, [Memory(15, ("a",), frozenset({1}))])
    assert (chosen.units, chosen.memories) == (2, ())
    assert chosen.refused == {0: "The messages that it came from are in the context."}


def test_a_memory_that_another_one_says_is_refused() -> None:
    chosen = choose(100, [], [Memory(9, ("restart it", "then wait")), Memory(9, ("restart it",))])
    assert chosen.refused == {1: "The context says the same."}


def test_the_first_memory_pays_for_the_block() -> None:
    assert choose(20, [], [Memory(10, ("a",)), Memory(10, ("b",))], 1).memories == (0,)
    assert choose(20, [], [Memory(10, ("a",)), Memory(10, ("b",))], 0).memories == (0, 1)
    assert choose(10, [], [Memory(10, ("a",))], 1).memories == ()


def test_words_are_compared_whatever_stands_between_them() -> None:
    assert words(" The  Disk\nis full ") == "the disk is full"
