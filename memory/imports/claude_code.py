"""Claude Code transcripts: JSON Lines, one run a session, and one for each side chain (a sub-agent's conversation).

One answer of the model is spread over several lines that share `message.id` and repeat the same `usage`. It becomes one
message, where its first line stands; each tool call is told where its own line stands.
"""

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.events.facts import text_of
from memory.imports import usage
from memory.imports.fields import Fields, lacks_zone, mapping, moment, number, present, sequence, string
from memory.imports.files import Record, records
from memory.imports.outline import outline
from memory.imports.run import Run, Skipped
from memory.imports.transcript import Transcript, own_type, run_key
from memory.vocabulary import MessageRole

NAME = "claude_code"

# Stands where a model's name would in answers that the program wrote itself.
SYNTHETIC_MODEL = "<synthetic>"


def matches(path: Path, head: bytes) -> bool:
    """See `Format.matches`."""
    keys = outline(head)
    return {"sessionId", "type"} <= keys and not keys.isdisjoint({"message.role", "parentUuid", "operation"})


def read(path: Path) -> Iterator[Run | Skipped]:
    """See `Format.read`."""
    runs: dict[tuple[str, str], list[Record]] = {}
    chains: dict[str, str] = {}  # of each line of a side chain, the uuid of the chain's first
    seen: set[str] = set()
    for record in records(path):
        if isinstance(record, Skipped):
            yield record
            continue
        line = mapping(record.value)
        uuid, session = string(line.get("uuid")), string(line.get("sessionId"))
        if not string(line.get("type")) or not session:
            yield Skipped(record.where, "is not a line of a transcript: it has no type or no sessionId")
        elif uuid and uuid in seen:
            yield Skipped(record.where, "repeats an earlier line (same uuid)")
        else:
            seen.add(uuid)
            runs.setdefault((session, _chain(line, chains)), []).append(record)
    for (session, chain), lines in runs.items():
        yield from _Session(session, chain, lines).run()


def _chain(line: Fields, chains: dict[str, str]) -> str:
    """The side chain that a line belongs to; "" for the session's main chain."""
    if line.get("isSidechain") is not True:
        return ""
    uuid = string(line.get("uuid"))
    chain = string(line.get("agentId")) or chains.get(string(line.get("parentUuid")), uuid)
    chains[uuid] = chain
    return chain


@dataclass(slots=True)
class _Answer:
    """One answer of the model, gathered from its lines.

    `calls` are in the chat style, and leave one by one as they are told. `index` is the message's, once that is told.
    """

    parts: list[Fields] = field(default_factory=list)
    calls: deque[Fields] = field(default_factory=deque)
    usage: Fields = field(default_factory=dict)
    stop_reason: str = ""
    index: int | None = None


class _Session:
    """Tells the lines of one run."""

    def __init__(self, session: str, chain: str, lines: list[Record]) -> None:
        self.session = session
        self.chain = chain
        self.lines = [mapping(record.value) for record in lines]
        self.transcript = Transcript(lines[0].where)
        self.answers: dict[str, _Answer] = {}
        self.told_by: dict[str, int] = {}  # uuid of a line → the last event that it told
        self.left_out: Counter[str] = Counter()
        self.tool_calls = 0

    def run(self) -> Iterator[Run | Skipped]:
        """The run, after what it leaves out."""
        for line in self.lines:
            self._gather(line)
        for line in self.lines:
            self._tell(line)
            if self.transcript.events and string(line.get("uuid")):
                self.told_by[line["uuid"]] = len(self.transcript.events) - 1
        for kind, count in self.left_out.items():
            self.transcript.skip("transcript", f"{count} lines of type {kind!a} are not part of the conversation")
        model = self._first("message", "model", unlike=SYNTHETIC_MODEL)
        yield from self.transcript.finish(
            key=run_key("claude-code", self.session, self.chain),
            title=self._title(),
            agent_id=f"claude-code/{model}" if model else "claude-code",
            counts={"lines": len(self.lines), "tool_calls": self.tool_calls},
            metadata={
                "session": self.session,
                "side_chain": self.chain,
                "cwd": self._first("cwd"),
                "version": self._first("version"),
                "git_branch": self._first("gitBranch"),
                "time_zone": "assumed UTC where the origin names none" if self._any_lacks_zone() else None,
            },
        )

    def _gather(self, line: Fields) -> None:
        if line["type"] != MessageRole.ASSISTANT:
            return
        message = mapping(line.get("message"))
        answer = self.answers.setdefault(_answer_id(line), _Answer())
        for part in _parts(message.get("content")):
            if part.get("type") == "tool_use":
                answer.calls.append(_chat_call(part))
            else:
                answer.parts.append(part)
        # Every line of an answer repeats them; the last is the one written when the answer was complete.
        answer.usage = mapping(message.get("usage")) or answer.usage
        answer.stop_reason = string(message.get("stop_reason")) or answer.stop_reason

    def _tell(self, line: Fields) -> None:
        kind = line["type"]
        if kind == MessageRole.ASSISTANT:
            self._tell_answer(line)
        elif kind == MessageRole.USER:
            self._tell_user(line)
        elif kind == "queue-operation":
            payload = present({"content": line.get("content")})
            self.transcript.add(own_type("queue", string(line.get("operation"))), payload, at=_at(line))
        elif kind == "system":
            payload = present({"content": line.get("content"), "level": line.get("level")})
            self.transcript.add(own_type("system", string(line.get("subtype"))), payload, at=_at(line))
        else:
            self.left_out[kind] += 1

    def _tell_answer(self, line: Fields) -> None:
        message = mapping(line.get("message"))
        answer = self.answers[_answer_id(line)]
        if answer.index is None:
            answer.calls = deque(self.transcript.chat_calls(list(answer.calls)))
            answer.index = self.transcript.message(
                MessageRole.ASSISTANT,
                _content(answer.parts),
                at=_at(line),
                causes=self.told_by.get(string(line.get("parentUuid"))),
                tool_calls=list(answer.calls),
                model=string(message.get("model")),
                usage=usage.from_anthropic(answer.usage) if answer.usage else {},
                finish_reason=answer.stop_reason,
                error=text_of(message.get("content")) if line.get("isApiErrorMessage") is True else None,
            )
        for part in _parts(message.get("content")):
            if part.get("type") == "tool_use":
                self.transcript.ask(answer.calls.popleft(), at=_at(line), causes=answer.index)
                self.tool_calls += 1

    def _tell_user(self, line: Fields) -> None:
        parts = []
        for part in _parts(mapping(line.get("message")).get("content")):
            if part.get("type") == "tool_result":
                self._tell_result(line, part)
            else:
                parts.append(part)
        if parts:
            marks = {"is_meta": True} if line.get("isMeta") is True else None
            self.transcript.message(MessageRole.USER, _content(parts), at=_at(line), metadata=marks)

    def _tell_result(self, line: Fields, part: Fields) -> None:
        content = part.get("content")
        result = self.transcript.result(
            string(part.get("tool_use_id")),
            "",
            content,
            at=_at(line),
            error=(text_of(content) or "error") if part.get("is_error") is True else None,
            duration_ms=number(mapping(line.get("toolUseResult")).get("durationMs")),
        )
        self.transcript.answer(result, content, at=_at(line))

    def _title(self) -> str:
        """The first words of a person: neither what the program put in their mouth nor results of tools."""
        for line in self.lines:
            if line["type"] == MessageRole.USER and line.get("isMeta") is not True:
                parts = _parts(mapping(line.get("message")).get("content"))
                texts = [string(part.get("text")) for part in parts if part.get("type") == "text"]
                if any(texts):
                    return " ".join(texts)
        return f"Session {self.session}"

    def _first(self, *path: str, unlike: str = "") -> str:
        """The first text at this path in the lines."""
        for line in self.lines:
            value: Any = line
            for name in path:
                value = mapping(value).get(name)
            if string(value) and value != unlike:
                return string(value)
        return ""

    def _any_lacks_zone(self) -> bool:
        return any(lacks_zone(line.get("timestamp")) for line in self.lines)


def _answer_id(line: Fields) -> str:
    """What the lines of one answer share. An answer without an id is a line of its own."""
    return string(mapping(line.get("message")).get("id")) or f"line {id(line)}"


def _at(line: Fields) -> Any:
    return moment(line.get("timestamp"))


def _parts(content: Any) -> list[Fields]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return [part for part in sequence(content) if isinstance(part, dict)]


def _content(parts: list[Fields]) -> Any:
    """A single text as such, several parts as a list, none as None."""
    if len(parts) == 1 and parts[0].get("type") == "text" and isinstance(parts[0].get("text"), str):
        return parts[0]["text"]
    return parts or None


def _chat_call(part: Fields) -> Fields:
    return {"id": part.get("id"), "function": {"name": part.get("name"), "arguments": part.get("input")}}
