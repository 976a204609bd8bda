"""Keys that speak for one agent or one user: what is another's does not exist for them, and they say nothing in the
name of another. Needs a tenant's scope.

What is the whole tenant's alike (documents, tools) they may read. A view of a whole collection must say that it narrows
what it shows (`TenantView.narrows`), or such keys are refused.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

from django.db.models import Model, Q, QuerySet
from rest_framework.request import Request

from memory.errors import Forbidden, Gone, NotFound
from memory.events import history
from memory.flight import agents
from memory.models import ApiKey, Distillation, Experience, Session, Stream, Task
from memory.retrieval.filters import Filters

Rows = TypeVar("Rows", bound=QuerySet[Any])


def check_address(key: ApiKey, names: Mapping[str, str]) -> None:
    """Refuse what an address names, by the names of its parts, if it is not the key's.

    Raises:
        NotFound: as if it were not there.
    """
    if key.is_bound:
        for name, value in names.items():
            CHECKS[name](key, value)


def check_collection(key: ApiKey, *, narrows: bool) -> None:
    """Refuse a view of what is the whole tenant's, unless it narrows that itself.

    Raises:
        Forbidden: it does not.
    """
    if key.is_bound and not narrows:
        raise Forbidden(f"This key speaks for {_whom(key)} alone, and this is about the whole tenant.")


def mine(request: Request, rows: Rows) -> Rows:
    """The rows with `agent_id` and `user_id` that are the key's; all of them for a key that is bound to nobody."""
    return _mine(cast(ApiKey, request.auth), rows)


def known(request: Request, experiences: Rows) -> Rows:
    """The experiences that the key may be told: the shared ones, and its user's or agent's own."""
    return _known(cast(ApiKey, request.auth), experiences)


def own_agents(request: Request, found: Iterable[agents.Agent]) -> list[agents.Agent]:
    """The agents that the key may be told of: the one that it speaks for."""
    key = cast(ApiKey, request.auth)
    return [agent for agent in found if not key.is_bound or agent.id == key.agent_id]


def check_filters(request: Request, asked: Filters) -> Filters:
    """What may be searched: for a user, the own and the shared; for an agent, what is shared. A session's context has
    its user's as well.

    Raises:
        Forbidden: another's was asked for.
    """
    key = cast(ApiKey, request.auth)
    if not key.is_bound:
        return asked
    allowed = ("", key.user_id) if key.user_id else ("",)
    if asked.user_ids is not None and not set(asked.user_ids) <= set(allowed):
        raise _refusal(key)
    given = {name: getattr(asked, name) for name in Filters.__dataclass_fields__}
    return Filters(**{**given, "user_ids": asked.user_ids or allowed})


def check_said(request: Request, *payloads: Any) -> None:
    """Refuse payloads that name another agent or user than the key's.

    Raises:
        Forbidden: one does.
    """
    key = cast(ApiKey, request.auth)
    for payload in payloads:
        if not isinstance(payload, dict):
            continue  # whoever reads it next says what is wrong with it
        for name in ("agent_id", "user_id"):
            own, told = getattr(key, name), payload.get(name)
            if own and told is not None and told != own:
                raise _refusal(key)


def check_session(request: Request, session_id: Any) -> None:
    """Refuse a session that is another's.

    Raises:
        NotFound: it is.
    """
    key = cast(ApiKey, request.auth)
    if key.is_bound and isinstance(session_id, str):
        CHECKS["session_id"](key, session_id)


def check_stream(request: Request, name: Any) -> None:
    """Refuse a stream that is another's; one that is not there may be begun.

    Raises:
        NotFound: it is another's.
    """
    key = cast(ApiKey, request.auth)
    if key.is_bound and isinstance(name, str):
        _check_stream(key, name)


def check_recorded(request: Request, name: str) -> None:
    """Refuse what was just recorded in a stream if the stream is not, or no longer, the key's.

    Raises:
        Forbidden: it is not; the transaction must be undone.
    """
    key = cast(ApiKey, request.auth)
    if key.is_bound and not _mine(key, Stream.objects.filter(name=name)).exists():
        raise Forbidden(
            f"This key records for {_whom(key)} alone: the first event of a new stream must say so in its payload. "
            "Nothing was written."
        )


def _mine(key: ApiKey, rows: Rows, within: str = "") -> Rows:
    own = {f"{within}{name}": getattr(key, name) for name in ("agent_id", "user_id") if getattr(key, name)}
    return rows.filter(**own)


def _known(key: ApiKey, experiences: Rows) -> Rows:
    if key.user_id:
        experiences = experiences.filter(user_id__in=("", key.user_id))
    if key.agent_id:
        experiences = experiences.filter(Q(user_id="") | Q(agent_id=key.agent_id))
    return experiences


def _check_stream(key: ApiKey, name: str) -> None:
    if Stream.objects.filter(name=name.replace("\x00", "")).exists():
        cast(Any, _mine(key, Stream.objects.all())).named(name)


def _check_event(key: ApiKey, event_id: str) -> None:
    """Whatever is wrong with another's event, it is not there."""
    own = _mine(key, Stream.objects.all())
    try:
        is_own = own.filter(pk=history.named(event_id).stream_id).exists()
    except Gone as gone:
        is_own = own.filter(name=gone.extra["stream"]).exists()
    if not is_own:
        raise NotFound(history.unknown(event_id))


def _check_agent(key: ApiKey, agent_id: str) -> None:
    if agent_id != key.agent_id:
        raise NotFound(agents.unknown(agent_id))


def _check_nothing(key: ApiKey, value: str) -> None:
    """It is the whole tenant's."""


def _by_id(model: type[Model], narrow: Callable[[ApiKey, Any], Any] = _mine) -> Callable[[ApiKey, str], None]:
    def check(key: ApiKey, value: str) -> None:
        narrow(key, model._default_manager.all()).with_id(value)

    return check


# By the name of a part of an address.
CHECKS: Mapping[str, Callable[[ApiKey, str], None]] = {
    "session_id": _by_id(Session),
    "task_id": _by_id(Task, lambda key, rows: _mine(key, rows, "session__")),
    "distillation_id": _by_id(Distillation),
    "experience_id": _by_id(Experience, _known),
    "event_id": _check_event,
    "stream": _check_stream,
    "a": _check_stream,
    "b": _check_stream,
    "version": _check_nothing,
    "agent_id": _check_agent,
    "knowledge_id": _check_nothing,
    "tool_id": _check_nothing,
}


def _refusal(key: ApiKey) -> Forbidden:
    return Forbidden(f"This key speaks for {_whom(key)} alone.")


def _whom(key: ApiKey) -> str:
    whom = [f"agent {key.agent_id}"] * bool(key.agent_id) + [f"user {key.user_id}"] * bool(key.user_id)
    return " and ".join(whom)
