"""MemoryManager: the one front door to the three layers of memory, which the REST API, the dashboard and the jobs use.

Every operation works in the tenant's scope that its caller has opened, and records its event.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import transaction

from memory import limits
from memory.distillation import forgetting, redistil, requests
from memory.embedding import current
from memory.layers import hot, session, task, user
from memory.layers.context import Context, build_context
from memory.llm import client
from memory.models import Distillation, Message, Session, Stream, Task
from memory.retrieval import reranking, search
from memory.retrieval.filters import Filters
from memory.retrieval.plan import Plan
from memory.retrieval.search import Found
from memory.tokens import counting
from memory.vocabulary import DistillationMode, Kind, Queue, WorkStatus

Notify = Callable[[Queue], None]
# What a distilled task may have become.
OF_TASKS = (Kind.SOLUTION, Kind.PROCEDURE, Kind.ABSTRACTION)


class MemoryManager:
    """The operations on session, task and distilled memory.

    Args:
        actor: who asks: `user:<address>`, `key:<name>` or `schedule:<job>`.
        notify: told which queue has got work, so that a worker need not wait for its next round.
    """

    def __init__(self, actor: str, notify: Notify) -> None:
        self._actor = actor
        self._notify = notify

    def start(self) -> None:
        """Make ready: what is large is loaded, so that no agent has to wait for it. Needs no tenant's scope."""
        counting.count("ready")
        current.warm_up()

    def stop(self) -> None:
        """Let go of everything that is held: hot conversations, models, connections to services."""
        hot.clear()
        current.embedder.cache_clear()
        client.client.cache_clear()
        client.impatient.cache_clear()
        reranking.forget()

    def create_session(self, user_id: Any, agent_id: Any = None, metadata: Any = None) -> Session:
        """Open a conversation (`session.created`). Where it is one too many, the least recently used one leaves
        (`session.expired`) and is refined, in the background. See `layers.session.create`."""
        created = session.create(user_id, agent_id, metadata)
        if requests.of_expired(session.make_room(created.pk, created.created_at)):
            self._notify(Queue.DISTILLATION)
        return created

    def add_message(self, session_id: str, *messages: Any) -> list[Message]:
        """Add messages to a conversation, all or none (`message.added`). See `layers.session.add_messages`."""
        return session.add_messages(session_id, messages)

    def get_messages(self, session_id: str) -> list[Message]:
        """The conversation's messages, the first one first.

        Raises:
            NotFound: there is no such session.
        """
        return list(Message.objects.in_session(Session.objects.with_id(session_id)))

    def build_context(self, session_id: str, asked: Any, **wanted: Any) -> Context:
        """The context for a session's next turn (`memory.recalled`, `context.built`). See
        `layers.context.build_context`.

        Args:
            wanted: `max_tokens`, `max_history`, `top_k`, `shape` and `model`, where they are not the tenant's own.
        """
        return build_context(session_id, asked, **wanted)

    def delete_session(self, session_id: str) -> dict[str, Any]:
        """Delete a conversation and what was learned from it alone (`session.deleted`); the answer is a receipt.

        Raises:
            NotFound: there is no such session.
        """
        derived = forgetting.forget_stream(Session.objects.with_id(session_id).pk, self._actor)
        receipt = self._erased(session.erase(session_id), derived)
        transaction.on_commit(partial(hot.drop, session_id))
        return receipt

    def count_session(self, session_id: str) -> dict[str, Any]:
        """The receipt that deleting a conversation would give; nothing is changed.

        Raises:
            NotFound: there is no such session.
        """
        return _tried(lambda: self.delete_session(session_id))

    def erase_user(self, user_id: str) -> dict[str, Any]:
        """Erase what is recorded of a user and what was learned from it; the answer is a receipt.

        Raises:
            NotFound: there is nothing of the user.
        """
        derived = forgetting.forget_user(user_id, self._actor)
        receipt = self._erased(user.erase(user_id), derived)
        for session_id in receipt["sessions"]:
            transaction.on_commit(partial(hot.drop, session_id))
        return receipt

    def count_user(self, user_id: str) -> dict[str, Any]:
        """The receipt that erasing a user would give; nothing is changed.

        Raises:
            NotFound: there is nothing of the user.
        """
        return _tried(lambda: self.erase_user(user_id))

    def create_task(self, session_id: Any, user_id: Any, given: Any) -> Task:
        """Open a task (`task.created`). See `layers.task.create`."""
        return task.create(session_id, user_id, given)

    def update_task_output(self, task_id: str, status: Any, output: Any) -> Task:
        """End a task (`task.completed`, `task.failed`); with ARES_AUTO_DISTIL it is distilled, in the background.

        See `layers.task.close`.
        """
        was_open = task.lock(task_id).is_open
        closed = task.close(task_id, status, output)
        if was_open and limits.value("ARES_AUTO_DISTIL"):
            requests.of_ended_task(closed, self._actor)
            self._notify(Queue.DISTILLATION)
        return closed

    def distill_task(self, task_id: str) -> Distillation:
        """The light path: pack a task's input and output at once (`memory.distilled`), without any model.

        Raises:
            NotFound: there is no such task.
        """
        return self._of_task(task_id, DistillationMode.LIGHT)

    def store_distilled_task(self, task_id: str) -> Distillation:
        """The full path: the refinery works on the task in the background; what is answered is its id and status.

        Raises:
            NotFound: there is no such task.
        """
        return self._of_task(task_id, DistillationMode.FULL)

    def distill_by_policy(self, task_id: str, wish: Any = None) -> Distillation:
        """The path that was wished for, or that the tenant's policy chooses.

        Raises:
            NotFound: there is no such task. Invalid: the wish is neither `light` nor `full` nor None.
        """
        return self._of_task(task_id, wish)

    def distill_session(self, session_id: str) -> Distillation:
        """Have a whole conversation refined in the background.

        Raises:
            NotFound: there is no such session.
        """
        made = requests.of_stream(Stream.objects.named(Session.objects.with_id(session_id).pk), self._actor)
        self._notify(Queue.DISTILLATION)
        return made

    def redistil(self, stream: Stream, rules: Mapping[str, Any]) -> Distillation:
        """Try a stream again with other rules, into a draft. See `distillation.redistil.start`."""
        made = redistil.start(stream, rules, self._actor)
        self._notify(Queue.DISTILLATION)
        return made

    def search_similar_tasks(self, query: str, user_id: str, limit: int = 5) -> Found:
        """What was learned from tasks like this one, for this user: their own and the shared ones, the best first.

        Raises:
            Invalid, TooLarge: query or limit are not what they must be.
        """
        open_to = Filters(user_ids=["", user_id], kinds=list(OF_TASKS))
        plan = Plan(knowledge_weight=0, tools_weight=0)
        return search.search(query, limit, plan=plan, allowed=open_to)

    def latest_session_for_agent(self, agent_id: str) -> Session | None:
        """The agent's live session that was active last; None without one."""
        return session.latest_session_for_agent(agent_id, datetime.now(UTC))

    def _erased(self, receipt: dict[str, Any], derived: Mapping[str, int]) -> dict[str, Any]:
        """The receipt, with what was derived; the worker reads again what others had told too."""
        rows = Counter(receipt["rows"])
        rows.update(derived)
        self._notify(Queue.DISTILLATION)
        return receipt | {"rows": dict(rows)}

    def _of_task(self, task_id: str, wish: Any) -> Distillation:
        made = requests.of_task(task.lock(task_id), wish, self._actor)
        if made.status == WorkStatus.PENDING:
            self._notify(Queue.DISTILLATION)
        return made


def _tried(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work answers, which is undone again."""
    with transaction.atomic():
        receipt = work()
        transaction.set_rollback(True)
    return receipt
