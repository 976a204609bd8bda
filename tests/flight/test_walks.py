"""Walks along causal links, within bounds."""

from collections.abc import Collection

from memory.flight import walks
from memory.flight.links import Link
from memory.flight.walks import Follow
from memory.vocabulary import LinkKind, LinkReason


def link(cause: int, effect: int, certainty: float = 1.0, kind: LinkKind = LinkKind.ENTERED) -> Link:
    return Link(cause, effect, kind, certainty, LinkReason.SAME_ID)


def among(*links: Link, backward: bool = True) -> Follow:
    def follow(frontier: Collection[int]) -> list[Link]:
        return [each for each in links if (each.effect if backward else each.cause) in frontier]

    return follow


def test_a_walk_back_reaches_all_causes_and_tells_the_surest_way() -> None:
    found = walks.walk(9, among(link(5, 9, 0.5), link(7, 9), link(3, 7), link(3, 5), link(1, 3)), backward=True)
    assert found.versions == {1, 3, 5, 7, 9}
    assert [(hop.link.cause, hop.certainty) for hop in found.path(1)] == [(7, 1.0), (3, 1.0), (1, 1.0)]
    assert [(hop.link.cause, hop.certainty) for hop in found.path(5)] == [(5, 0.5)]
    assert found.is_whole


def test_a_way_is_as_sure_as_its_weakest_link() -> None:
    found = walks.walk(4, among(link(3, 4, 0.8), link(2, 3, 0.5), link(1, 2, 0.95)), backward=True)
    assert [hop.certainty for hop in found.path(1)] == [0.8, 0.5, 0.5]


def test_of_equally_sure_ways_the_shorter_is_taken() -> None:
    found = walks.walk(5, among(link(4, 5), link(3, 4), link(1, 3), link(1, 4)), backward=True)
    assert [hop.link.cause for hop in found.path(1)] == [4, 1]


def test_a_walk_forward_reaches_all_effects() -> None:
    found = walks.walk(1, among(link(1, 2), link(2, 4), link(1, 3), backward=False), backward=False)
    assert found.versions == {1, 2, 3, 4}
    assert [hop.link.effect for hop in found.path(4)] == [2, 4]


def test_an_event_without_links_is_all_there_is() -> None:
    found = walks.walk(1, among(), backward=True)
    assert (found.versions, found.hops, found.path(1), walks.root(found), found.is_whole) == ({1}, [], [], 1, True)


def test_the_way_back_ends_where_the_surest_causes_lead_and_not_at_once_at_the_beginning_of_the_talk() -> None:
    carried = link(1, 9, 0.95, LinkKind.CARRIED)
    found = walks.walk(9, among(carried, link(8, 9), link(6, 8, 0.5), link(7, 8, 0.8), link(2, 7)), backward=True)
    assert walks.root(found) == 2


def test_a_long_way_is_cut_and_says_so() -> None:
    chain = [link(n, n + 1) for n in range(1, 500)]
    found = walks.walk(500, among(*chain), backward=True)
    assert len(found.hops) == walks.MOST_HOPS
    assert not found.is_whole


def test_a_wide_event_is_cut_to_its_surest_links_and_says_so() -> None:
    wide = [link(n, 100, n / 100) for n in range(1, 51)]
    found = walks.walk(100, among(*wide), backward=True)
    assert {hop.link.cause for hop in found.hops} == set(range(51 - walks.MOST_LINKS, 51))
    assert not found.is_whole


def test_many_events_are_cut_and_every_hop_leads_between_events_that_were_reached() -> None:
    wide = [link(10 * n + m, n) for n in range(1, 200) for m in range(10) if 10 * n + m > n]
    flipped = [Link(5000 - each.cause, 5000 - each.effect, each.kind, 1.0, each.how) for each in wide]
    found = walks.walk(4999, among(*flipped), backward=True)
    assert len(found.versions) <= walks.MOST_EVENTS
    assert not found.is_whole
    assert all({hop.link.cause, hop.link.effect} <= found.versions for hop in found.hops)
    assert all(found.path(version) for version in found.versions - {4999})


def test_every_kind_and_every_reason_has_a_sentence() -> None:
    for kind in LinkKind:
        for how in LinkReason:
            sentence = walks.Hop(Link(3, 7, kind, 1.0, how), 1, 1.0).sentence
            assert "3" in sentence
            assert "7" in sentence
            assert sentence.endswith(").")
