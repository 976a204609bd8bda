"""BM25 in PostgreSQL, against the formula."""

import threading

import pytest
from django.db import connection

from memory.models import IndexedText, Posting, Tenant
from memory.retrieval import bm25, lexical
from memory.retrieval.filters import Filters
from memory.retrieval.item import Item
from memory.retrieval.terms import query_terms
from memory.tenancy import tenant_scope
from memory.vocabulary import Collection
from tests.retrieval.making import experience

K, T = Collection.KNOWLEDGE, Collection.TOOL
TEXTS = {
    "a": "The connection pool was exhausted: connection refused, connection reset",
    "b": "A pool of retries",
    "c": "Swimming in the pool on holiday with friends and family, then a long dinner by the sea",
    "d": "E11000 duplicate key in order_items.id",
}


def found(query: str, limit: int = 10, collection: Collection = K) -> list[str]:
    return [hit.item_id for hit in lexical.search(collection, query_terms(query), limit, Filters())]


def index(texts: dict[str, str], collection: Collection = K) -> None:
    lexical.index([Item(collection, name, text) for name, text in texts.items()])


def test_the_score_is_the_formulas(in_acme: Tenant) -> None:
    index(TEXTS)
    items = {name: Item(K, name, text).frequencies() for name, text in TEXTS.items()}
    lengths = {name: sum(frequencies.values()) for name, frequencies in items.items()}
    average = sum(lengths.values()) / 4
    asked = query_terms("connection pool")
    expected = {}
    for name, frequencies in items.items():
        there = [
            bm25.Occurrence(frequencies[term], sum(term in other for other in items.values()))
            for term in asked
            if term in frequencies
        ]
        if there:
            expected[name] = pytest.approx(bm25.score(there, lengths[name], average, 4))
    hits = lexical.search(K, asked, 10, Filters())
    assert {hit.item_id: hit.score for hit in hits} == expected
    assert [hit.item_id for hit in hits] == ["a", "b", "c"]


def test_frequency_saturates_length_and_rareness_count() -> None:
    once, twice, often = (bm25.saturation(times, 10, 10) for times in (1, 2, 50))
    assert once < twice < 2 * once
    assert often < bm25.K1 + 1
    assert bm25.saturation(1, 5, 10) > bm25.saturation(1, 50, 10)
    assert bm25.idf(1, 100) > bm25.idf(50, 100) > bm25.idf(100, 100) > 0


@pytest.mark.parametrize("query", ["E11000", "order_items.id", "11000", "order", "items", "duplicate keys"])
def test_identifiers_are_found_as_written_and_by_their_parts(in_acme: Tenant, query: str) -> None:
    index(TEXTS)
    assert found(query) == ["d"]


def test_chinese_is_found_by_word_and_by_character(in_acme: Tenant) -> None:
    index({"cat": "我的猫很可爱", "error": "数据库连接失败了", "other": "明天去北京"})
    assert found("猫") == ["cat"]
    assert found("数据库") == ["error"]
    assert found("连接怎么失败") == ["error"]


def test_an_item_indexed_again_is_found_by_its_new_words_alone(in_acme: Tenant) -> None:
    index(TEXTS)
    index({"d": "a new text about pools"})
    assert found("E11000") == []
    assert set(found("pool")) == {"a", "b", "c", "d"}
    assert Posting.objects.filter(term="e11000").count() == 0
    index({"d": ""})
    assert "d" not in found("pool")


def test_what_is_removed_or_deleted_leaves_nothing(in_acme: Tenant) -> None:
    index(TEXTS)
    lexical.remove(K, list(TEXTS))
    made = experience("Delete the old logs.")
    assert found("logs", collection=Collection.EXPERIENCE) == [made.pk]
    made.delete()
    assert (IndexedText.objects.count(), Posting.objects.count()) == (0, 0)


def test_collections_and_tenants_are_apart_and_so_are_their_statistics(acme: Tenant, globex: Tenant) -> None:
    with tenant_scope(acme.pk):
        index(TEXTS)
        alone = lexical.search(K, ["pool"], 10, Filters())
        index({"tool": "pool"}, T)
    with tenant_scope(globex.pk):
        index({"theirs": "pool", "more": "pool pool"})
        assert set(found("pool")) == {"theirs", "more"}
    with tenant_scope(acme.pk):
        assert lexical.search(K, ["pool"], 10, Filters()) == alone
        assert found("pool", collection=T) == ["tool"]


def test_no_more_than_asked_for_and_the_best(in_acme: Tenant) -> None:
    index(TEXTS)
    assert found("connection pool", limit=1) == ["a"]
    assert lexical.search(K, [], 10, Filters()) == []
    assert found("nothing like that") == []


def test_filters_narrow_what_is_found_and_not_what_is_counted(in_acme: Tenant) -> None:
    one, two = experience("shared pool"), experience("own pool", user_id="ann")
    everything = {hit.item_id: hit for hit in lexical.search(Collection.EXPERIENCE, ["pool"], 10, Filters())}
    anns = lexical.search(Collection.EXPERIENCE, ["pool"], 10, Filters(user_ids=["ann"]))
    assert everything.keys() == {one.pk, two.pk}
    assert anns == [everything[two.pk]]


def test_a_share_is_that_of_the_weight_of_the_querys_words_and_unknown_ones_weigh_most(in_acme: Tenant) -> None:
    index({"a": "connection pool", "b": "swimming pool"})
    shares = {hit.item_id: hit.share for hit in lexical.search(K, ["connect", "pool", "zebra"], 10, Filters())}
    pool, connect, zebra = bm25.idf(2, 2), bm25.idf(1, 2), bm25.idf(0, 2)
    total = pool + connect + zebra
    assert shares == {"a": pytest.approx((pool + connect) / total), "b": pytest.approx(pool / total)}


@pytest.mark.django_db(transaction=True)
def test_two_that_index_the_same_item_at_once_leave_the_words_of_the_later_one(acme: Tenant) -> None:
    begun, done = threading.Event(), threading.Event()

    def other() -> None:
        with tenant_scope(acme.pk):
            begun.wait(10)
            index({"x": "second words"})
        connection.close()
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with tenant_scope(acme.pk):
        index({"x": "first text"})
        begun.set()
        assert not done.wait(0.5)  # it waits for the row
    thread.join(10)
    with tenant_scope(acme.pk):
        assert (found("first"), found("second")) == ([], ["x"])
        assert Posting.objects.count() == 2
