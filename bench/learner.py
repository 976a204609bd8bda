"""A tenant that learns what it is told, and is asked: contexts of the product, and of ways without a memory."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]

# A text is there if so much of its words stand in the context.
ENOUGH = 0.8
COMMONEST = 10


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent to a model, its exact tokens, and the ids of the messages that it rests on."""

    text: str
    tokens: int
    rests_on: frozenset[str] = frozenset()

    def holds(self, text: str) -> bool:
        """Whether nearly all words of a text are in it."""
        words = words_of(text)
        return len(words & words_of(self.text)) >= ENOUGH * len(words)


class Learner:
    """A tenant of its own, in which one user talks and the product distils."""

    def __init__(self, name: str) -> None:
        from memory import tenants

        self.tenant, _ = tenants.get_or_open(f"savings-{re.sub(r'[^a-z0-9]+', '-', name.lower())}"[:50].strip("-"))
        self.session = ""

    def learn(self, messages: Sequence[Message]) -> list[str]:
        """Record a session and have it distilled, as the worker does; the ids of its messages."""
        from memory import worker
        from memory.manager import MemoryManager
        from memory.tenancy import tenant_scope
        from memory.vocabulary import Queue

        manager = MemoryManager("bench", lambda _: None)
        with tenant_scope(self.tenant.pk):
            self.session = manager.create_session("ann", "bench").pk
            ids = []
            for start in range(0, len(messages), 1000):
                ids += [each.pk for each in manager.add_message(self.session, *messages[start : start + 1000])]
            manager.distill_session(self.session)
        for queue in (Queue.DISTILLATION, Queue.EMBEDDING):
            while worker.work(self.tenant.pk, queue):
                pass
        return ids

    def ask(self, asked: str, budget: int, history: int = 0, top_k: int = 5) -> Sent:
        """The context that the product builds."""
        from memory.manager import MemoryManager
        from memory.models import Source
        from memory.tenancy import tenant_scope

        with tenant_scope(self.tenant.pk):
            made = MemoryManager("bench", lambda _: None).build_context(
                self.session, asked, max_tokens=budget, max_history=history, top_k=top_k
            )
            sources = Source.objects.filter(experience_id__in=[each.id for each in made.experiences])
            rests_on = {*sources.values_list("message_id", flat=True), *(line.id for line in made.messages)}
        return Sent(str(made.content), made.tokens.sent, frozenset(rests_on))

    def memories(self) -> tuple[int, int]:
        """How many experiences there are, and their tokens."""
        from memory.models import Experience
        from memory.tenancy import tenant_scope

        with tenant_scope(self.tenant.pk):
            found = [each.text for each in Experience.objects.active()]
        return len(found), sum(map(count, found))


def whole(told: Sequence[Message], asked: str) -> Sent:
    """Every message, and the question."""
    return _sent([(line_of(each), "") for each in told], asked)


def truncated(told: Sequence[Message], asked: str) -> Sent:
    """The last ten messages, each cut at a hundred bytes."""
    cut = [str(each["content"]).encode()[:100].decode(errors="ignore") for each in told[-10:]]
    return _sent([(text, "") for text in cut], asked)


class TermFrequency:
    """The naive way: of each piece, a text with an id, only its ten commonest words but stop words are known. Those
    that share most of them with the question are sent, whole, as far as the budget goes."""

    def __init__(self, pieces: Iterable[tuple[str, str]] = ()) -> None:
        self._known: list[tuple[str, str, int, frozenset[str]]] = []
        self.learn(pieces)

    def learn(self, pieces: Iterable[tuple[str, str]]) -> None:
        """Take in more pieces."""
        from memory.retrieval.terms import query_terms, terms

        for text, key in pieces:
            telling = set(query_terms(text))
            counted = Counter({term: times for term, times in terms(text).items() if term in telling})
            common = frozenset(term for term, _ in counted.most_common(COMMONEST))
            self._known.append((text, key, count(f"{text}\n"), common))

    def ask(self, asked: str, budget: int) -> Sent:
        """What is sent for a question."""
        from memory.retrieval.terms import query_terms

        wanted = set(query_terms(asked))
        room = budget - count(f"user: {asked}\n")
        taken = []
        for text, key, size, common in sorted(self._known, key=lambda each: -len(each[3] & wanted)):
            if size <= room and common & wanted:
                taken.append((text, key))
                room -= size
        return _sent(taken, asked)


def line_of(message: Message) -> str:
    """A message as one line: who speaks, and what is said."""
    return f"{' '.join(filter(None, (message['role'], message.get('name', ''))))}: {message['content']}"


def words_of(text: str) -> set[str]:
    """The words of a text of at least three letters, in lower case."""
    return set(re.findall(r"\w{3,}", text.lower()))


def count(text: str) -> int:
    """Exact tokens."""
    from memory.tokens import counting

    return counting.count(text)


def estimate(text: str) -> int:
    """Tokens as the published measurement estimates them."""
    if not text:
        return 0
    cjk = sum("\u4e00" <= sign <= "\u9fff" for sign in text)
    return (len(text.encode()) - cjk) // 4 + cjk * 2 // 3 + 1


def _sent(pieces: Sequence[tuple[str, str]], asked: str) -> Sent:
    text = "\n".join([*(piece for piece, _ in pieces), f"user: {asked}"])
    return Sent(text, count(text), frozenset(key for _, key in pieces))
