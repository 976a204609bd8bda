"""Recording one run: its session, its tasks, and the events of its stream, each with what caused it."""

from datetime import UTC, datetime
from typing import Any

from aresweb.demo.client import Client

Payload = dict[str, Any]
Message = dict[str, Any]
Event = dict[str, Any]


class Run:
    """One run: a session, and the stream that is named like it.

    Everything that is written is numbered, and the number is part of an id that is chosen here: a request whose answer
    was lost is sent again as it was, and is recorded once.
    """

    def __init__(self, client: Client, session_id: str) -> None:
        self.session_id = session_id
        self._client = client
        self._written = 0
        self._task_id: str | None = None

    def event(
        self, event_type: str, payload: Payload, cause: str | None = None, occurred_at: str | None = None
    ) -> Event:
        """An event that happens now, or happened at another time, which is not recorded yet.

        `cause` is the id of the event that led to it. All events of a task are correlated.
        """
        return {
            "id": self._next_id(),
            "type": event_type,
            "payload": payload,
            "occurred_at": occurred_at or now(),
            "causation_id": cause,
            "correlation_id": self._task_id,
        }

    def append(self, *events: Event) -> None:
        """Record events, all or none."""
        self._client.post(f"/streams/{self.session_id}/events", {"events": events})

    def record(self, event_type: str, payload: Payload, cause: str | None = None) -> str:
        """Record one event that happens now; returns its id."""
        event = self.event(event_type, payload, cause)
        self.append(event)
        return str(event["id"])

    def say(self, *messages: Message) -> None:
        """Add messages to the conversation, all or none."""
        self._add([{**message, "occurred_at": now()} for message in messages])

    def begin_task(self, question: Message) -> str:
        """Add the user's question and open the task that it is; returns the id of the question's event."""
        [added] = self._add([{**question, "occurred_at": now()}])
        task = {"session_id": self.session_id, "input": question["content"]}
        self._task_id = self._client.post("/tasks", task, once=self._next_id())["id"]
        page = self._client.get(f"/streams/{self.session_id}/events", from_version=added["event_version"], limit=1)
        return str(page["results"][0]["id"])

    def end_task(self, status: str, output: Any) -> None:
        """Close the open task as `completed` or `failed`."""
        self._client.patch(f"/tasks/{self._task_id}", {"status": status, "output": output})
        self._task_id = None

    def _add(self, messages: list[Message]) -> Any:
        return self._client.post(f"/sessions/{self.session_id}/messages", messages, once=self._next_id())

    def _next_id(self) -> str:
        self._written += 1
        return f"{self.session_id}.{self._written}"


def now() -> str:
    """This moment, as the API takes it."""
    return datetime.now(UTC).isoformat()
