"""Notes to steps."""

import pytest

from memory.errors import Conflict, Invalid, NotFound
from memory.events import erasure, store
from memory.flight import notes
from memory.models import Note, Stream, User
from memory.models.note import MOST_TAGS, NOTE_LENGTH
from tests.events.making import drafted

pytestmark = pytest.mark.usefixtures("in_acme")


@pytest.fixture
def run(in_acme: object) -> Stream:
    store.append("run", [drafted(), drafted()])
    return Stream.objects.named("run")


@pytest.fixture
def ann(db: None) -> User:
    return User.objects.create_user("ann@example.org")


def test_a_note_belongs_to_its_step_and_keeps_its_tags_once(run: Stream, ann: User) -> None:
    made = notes.add(run, 2, "  odd ", "Bug, retry bug", ann)
    assert (made.text, made.tags) == ("odd", ["bug", "retry"])
    assert notes.of_step(run, 2) == [made]
    assert notes.of_step(run, 1) == []
    assert notes.within(run, [1, 2]) == {2: 1}
    assert list(Stream.objects.tagged("retry")) == [run]
    assert not Stream.objects.tagged("other").exists()


@pytest.mark.parametrize(
    ("text", "tags"),
    [("", ""), (" ", " , "), ("x" * (NOTE_LENGTH + 1), ""), ("a\x00b", ""), ("", "<b>"), ("", "t" * 41),
     ("", " ".join(f"t{number}" for number in range(MOST_TAGS + 1)))],
)  # fmt: skip
def test_what_makes_no_note_is_refused(run: Stream, ann: User, text: str, tags: str) -> None:
    with pytest.raises(Invalid):
        notes.add(run, 1, text, tags, ann)
    assert not Note.objects.exists()


def test_a_step_that_is_not_there_takes_no_note(run: Stream, ann: User) -> None:
    for version in (0, 3):
        with pytest.raises(NotFound):
            notes.add(run, version, "x", "", ann)


def test_a_step_has_a_limited_number_of_notes(run: Stream, ann: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "MOST_NOTES", 1)
    notes.add(run, 1, "x", "", ann)
    with pytest.raises(Conflict):
        notes.add(run, 1, "y", "", ann)


def test_a_note_is_removed_from_its_own_run_alone(run: Stream, ann: User) -> None:
    made = notes.add(run, 1, "x", "", ann)
    store.append("other", [drafted()])
    with pytest.raises(NotFound):
        notes.remove(Stream.objects.named("other"), made.pk)
    notes.remove(run, made.pk)
    assert not Note.objects.exists()


def test_who_has_left_leaves_the_note(run: Stream, ann: User) -> None:
    notes.add(run, 1, "x", "", ann)
    ann.delete()
    assert notes.of_step(run, 1)[0].author is None


def test_notes_go_with_the_content_of_their_run(run: Stream, ann: User) -> None:
    notes.add(run, 1, "quotes a secret", "", ann)
    assert erasure.blank_stream(run)["notes"] == 1
    assert not Note.objects.exists()
