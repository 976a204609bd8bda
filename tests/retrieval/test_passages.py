"""How documents are cut."""

from memory.retrieval.passages import MAX_PASSAGE, cut


def test_a_short_document_is_one_passage_and_an_empty_one_none() -> None:
    assert cut(" one\n\ntwo \n") == ["one\n\ntwo"]
    assert cut(" \n ") == []


def test_paragraphs_stay_together_as_far_as_they_fit() -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(6)]
    made = cut("\n\n".join(paragraphs))
    assert [passage[0] for passage in made] == ["0", "2", "4"]
    assert all(len(passage) <= MAX_PASSAGE for passage in made)


def test_nothing_is_lost_whatever_the_text() -> None:
    for text in ("word " * 2000, "x" * 5000, "句子。" * 2000, "line\n" * 1000, "A sentence. " * 700, "字" * 3000):
        made = cut(text)
        assert len(made) > 1
        assert "".join("".join(made).split()) == "".join(text.split())


def test_chinese_passages_are_shorter() -> None:
    assert max(map(len, cut("数据库连接失败。" * 500))) <= MAX_PASSAGE / 2
