"""What a text is found by."""

import pytest

from memory.retrieval.terms import MAX_QUERY_TERMS, MAX_TERM, MAX_TEXT, query_terms, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Running the databases", {"run", "the", "databas"}),
        ("order_items.id", {"order_items.id", "order", "item", "id"}),
        ("/var/log/nginx.conf", {"var/log/nginx.conf", "var", "log", "nginx", "conf"}),
        ("C:\\temp\\x.log", {"c:\\temp\\x.log", "c", "temp", "x", "log"}),
        ("E11000", {"e11000", "e", "11000"}),
        ("getUserName", {"getusername", "get", "user", "name"}),
        ("HTTPServer", {"httpserver", "http", "server"}),
        ("3.14", {"3.14", "3", "14"}),
        ("1,000", {"1,000", "1000"}),
        ("2026-05-01", {"2026-05-01", "2026", "05", "01"}),
        ("__init__", {"__init__", "init"}),
        ("C++ and C#", {"c++", "c#", "c", "and"}),
        ("ann@example.com", {"ann@example.com", "ann", "exampl", "com"}),
        ("John's", {"john"}),
        ("ＥＲＲ ﬁle", {"err", "file"}),
        ("数据库连接失败", {"数据", "据库", "数据库", "连接", "失败", *"数据库连接失败"}),
        ("ERR_1024错误", {"err_1024", "err", "1024", "错误", "错", "误"}),
        ("ファイル", {"ファ", "ァイ", "イル"}),
        ("", set()),
        ("… — !", set()),
    ],
)
def test_words_are_stemmed_and_what_is_written_as_one_is_found_whole_and_by_its_parts(
    text: str, found: set[str]
) -> None:
    assert set(terms(text)) == found


def test_terms_are_counted() -> None:
    assert terms("retry, retries, retried") == {"retri": 3}


def test_a_query_asks_for_each_term_once_and_not_for_words_that_tell_nothing() -> None:
    assert query_terms("What did the retry do after the retry?") == ["retri"]
    assert query_terms("我的猫在哪") == ["猫"]


def test_a_query_of_nothing_but_such_words_asks_for_them() -> None:
    assert query_terms("To be or not to be") == ["to", "be", "or", "not"]


def test_work_is_bounded() -> None:
    assert max(map(len, terms("x" * 1000))) == MAX_TERM
    assert "late" not in terms(" " * MAX_TEXT + "late")
    assert len(query_terms(" ".join(f"w{number}x" for number in range(1000)))) == MAX_QUERY_TERMS
