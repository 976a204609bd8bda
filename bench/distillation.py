"""The refinery on real conversations: what is kept, how small it is, what is mixed up, and how fast.

Each set is recorded through the product's own imports where it has one, distilled by the worker's own code, and
compared with what the set itself says. Needs the sample sets; without them only the speed of the light path is
measured.
"""

import gzip
import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.report import publish
from bench.server import Installation

# Messages that are noise, found by hand-made lists that share nothing with the product's rules.
NOISE = re.compile(
    r"(hi|hello|hey|hey there|bye|goodbye|thanks|thank you|thank you so much|thanks a lot|you're welcome|no problem|ok|okay|great|"
    r"sounds good|got it|yes|no|sure|perfect|awesome|see you|take care|你好|您好|谢谢|谢谢你|谢谢您|好的|再见|嗯|嗯嗯|不客气|好的谢谢|"
    r"好的，谢谢|谢谢，再见|不用谢|没问题)[\s!.,~。！，]*",
    re.IGNORECASE,
)


DEFAULT = Path(__file__).parents[2] / "shared" / "data"


def folder() -> Path | None:
    """Where the sample sets are: ARES_SAMPLE_DATA, or beside the checkout; None where they are missing."""
    found = Path(os.environ.get("ARES_SAMPLE_DATA", DEFAULT))
    return found if found.is_dir() else None


def run(place: Installation) -> None:
    """Everything, set by set, each in a tenant of its own."""
    data = folder()
    rows: list[tuple[str, str, Any]] = []
    if data is not None:
        for measure in (_swe_agent, _alfworld, _tau_bench, _kdconv, _locomo, _noise, _personamem):
            rows += measure(data)
    rows += _light(place)
    publish("distillation", "The refinery on real conversations", ("set", "measure", "value"), rows)


class Tenant:
    """A tenant of a benchmark: record, distil, look."""

    def __init__(self, slug: str) -> None:
        from memory import tenants

        self.row = tenants.get_or_open(slug)[0]
        self.seconds = 0.0
        self.model_seconds = 0.0
        self.messages = 0

    def import_(self, path: Path, format_name: str) -> None:
        """Record a set by the product's own import."""
        from django.core.management import call_command

        call_command("import_runs", str(path), tenant=self.row.slug, format=format_name, verbosity=0)

    def say(self, user: str, messages: Iterable[dict[str, Any]]) -> str:
        """Record a conversation; the id of its session."""
        from memory.layers import session
        from memory.tenancy import tenant_scope

        with tenant_scope(self.row.pk):
            opened = session.create(user)
            batch = list(messages)
            for start in range(0, len(batch), 500):
                session.add_messages(opened.pk, batch[start : start + 500])
            return opened.pk

    def distil(self) -> None:
        """Distil every stream that is not yet, in the order in which they were recorded."""
        from memory import worker
        from memory.distillation import requests
        from memory.embedding.current import embedder
        from memory.models import Distillation, Stream
        from memory.tenancy import tenant_scope
        from memory.vocabulary import Queue

        model = embedder()
        asked = model.embed_passages

        def timed(texts: Sequence[str]) -> Any:
            began = time.perf_counter()
            vectors = asked(texts)
            self.model_seconds += time.perf_counter() - began
            return vectors

        with tenant_scope(self.row.pk):
            for stream in Stream.objects.order_by("pk"):
                requests.of_stream(stream, "bench")
        model.embed_passages = timed  # type: ignore[method-assign]
        began = time.perf_counter()
        while worker.work(self.row.pk, Queue.DISTILLATION):
            pass
        self.seconds = time.perf_counter() - began
        model.embed_passages = asked  # type: ignore[method-assign]
        with tenant_scope(self.row.pk):
            self.messages = sum(Distillation.objects.values_list("messages", flat=True))

    def experiences(self, **filters: Any) -> list[Any]:
        """What was learned, with the streams and messages it rests on."""
        from memory.models import Experience
        from memory.tenancy import tenant_scope

        with tenant_scope(self.row.pk):
            return list(Experience.objects.filter(**filters).prefetch_related("sources").order_by("pk"))


def _swe_agent(data: Path) -> list[tuple[str, str, Any]]:
    tenant = Tenant("swe-agent")
    for path in sorted((data / "swe-agent").glob("replay__marshmallow*")):
        tenant.import_(path, "swe_agent")
    tenant.distil()
    held = tenant.experiences(status="active")
    streams = [len({source.stream_name for source in each.sources.all()}) for each in held]
    return [
        ("swe-agent, six runs of one issue", "experiences", len(held)),
        ("swe-agent, six runs of one issue", "most runs behind one", max(streams, default=0)),
    ]


def _alfworld(data: Path) -> list[tuple[str, str, Any]]:
    trials = sorted((data / "reflexion" / "alfworld").glob("env_results_trial_*.json"), key=lambda path: len(path.name))
    last = json.loads(max(trials, key=lambda path: int(re.findall(r"\d+", path.name)[-1])).read_text())
    tenant = Tenant("alfworld")
    environment = {}
    lessons = 0
    for place in last:
        if place["memory"]:
            lessons += len(place["memory"])
            told = [{"role": "user", "name": "agent", "content": lesson.strip()} for lesson in place["memory"]]
            environment[tenant.say("agent", told)] = place["name"]
    tenant.distil()
    held = tenant.experiences(status="active")
    wrong = sum(len({environment[source.stream_name] for source in each.sources.all()}) > 1 for each in held)
    return [
        ("ALFWorld lessons", "lessons", lessons),
        ("ALFWorld lessons", "experiences left", len(held)),
        ("ALFWorld lessons", "merged across environments", wrong),
    ]


def _tau_bench(data: Path) -> list[tuple[str, str, Any]]:
    runs = json.loads(gzip.decompress((data / "tau-bench-airline" / "gpt-4o-airline.json.gz").read_bytes()))
    tenant = Tenant("tau-bench")
    solved = {}
    for run_ in runs:
        if run_["reward"] < 1:
            continue
        told = [_chat(message) for message in run_["traj"]]
        solved[tenant.say(run_["info"]["task"]["user_id"], told)] = run_["info"]["task"]["actions"]
    tenant.distil()
    texts: dict[str, str] = defaultdict(str)
    for each in tenant.experiences():
        for stream in {source.stream_name for source in each.sources.all()}:
            texts[stream] += f"\n{each.text}"
    names, values, wanted, given = 0, 0, 0, 0
    for stream, actions in solved.items():
        for action in actions:
            wanted += 1
            names += action["name"] in texts[stream]
            plain = [
                str(value)
                for value in action["kwargs"].values()
                if isinstance(value, str | int) and len(str(value)) < 80
            ]
            given += len(plain)
            values += sum(value in texts[stream] for value in plain)
    return [
        ("tau-bench-airline, solved runs", "actions named", names / wanted),
        ("tau-bench-airline, solved runs", "their plain arguments", values / given),
        (
            "tau-bench-airline, solved runs",
            "messages/s apart from the model",
            tenant.messages / (tenant.seconds - tenant.model_seconds),
        ),
        ("tau-bench-airline, solved runs", "messages/s with it", tenant.messages / tenant.seconds),
    ]


def _chat(message: dict[str, Any]) -> dict[str, Any]:
    kept = {
        name: message[name]
        for name in ("role", "content", "tool_calls", "tool_call_id", "name")
        if message.get(name) is not None
    }
    return kept if "content" in kept or "tool_calls" in kept else {**kept, "content": ""}


def _locomo(data: Path) -> list[tuple[str, str, Any]]:
    from memory.tokens import counting

    tenant = Tenant("locomo")
    tenant.import_(data / "locomo" / "locomo10.json", "locomo")
    tenant.distil()
    conversations = json.loads((data / "locomo" / "locomo10.json").read_text())
    kept: set[tuple[str, str]] = set()
    held = tenant.experiences()
    events = _events(tenant, "message.added")
    said = {(event.stream_id_name, event.version): event for event in events}
    for each in held:
        for source in each.sources.all():
            event = said[source.stream_name, source.event_version]
            kept.add((event.sample, event.metadata.get("dia_id", "")))
    found = total = 0
    for conversation in conversations:
        known = {
            turn["dia_id"]
            for name, turns in conversation["conversation"].items()
            if re.fullmatch(r"session_\d+", name)
            for turn in turns
        }
        for question in conversation["qa"]:
            if question["category"] == 5:
                continue
            for place in re.findall(r"D\d+:\d+", " ".join(question["evidence"])):
                if place in known:
                    total += 1
                    found += (conversation["sample_id"], place) in kept
    history = sum(counting.count(f"{event.payload.get('name')}: {event.payload.get('content')}") for event in events)
    memories = sum(each.tokens for each in held)
    return [
        ("LoCoMo", "evidence turns behind a memory", found / total),
        ("LoCoMo", "tokens of all memories against the history", memories / history),
        ("LoCoMo", "memories", len(held)),
        ("LoCoMo", "messages/s apart from the model", tenant.messages / (tenant.seconds - tenant.model_seconds)),
        ("LoCoMo", "messages/s with it", tenant.messages / tenant.seconds),
    ]


def _events(tenant: Tenant, event_type: str) -> list[Any]:
    from memory.models import Event, Session
    from memory.tenancy import tenant_scope

    with tenant_scope(tenant.row.pk):
        user = dict(Session.objects.values_list("stream_id", "user_id"))
        events = list(Event.objects.filter(type=event_type).select_related("stream").order_by("stream_id", "version"))
    for event in events:
        event.stream_id_name, event.sample = event.stream.name, user.get(event.stream_id, "")
    return events


def _kdconv(data: Path) -> list[tuple[str, str, Any]]:
    dialogues = json.loads((data / "kdconv-travel" / "test.json").read_text())
    tenant = Tenant("kdconv")
    streams = {}
    for number, dialogue in enumerate(dialogues):
        told = [
            {"role": "user", "name": "AB"[n % 2], "content": each["message"]}
            for n, each in enumerate(dialogue["messages"])
        ]
        streams[number] = tenant.say(f"kd-{number}", told)
    tenant.distil()
    texts: dict[str, str] = defaultdict(str)
    for each in tenant.experiences():
        texts[each.user_id] += f"\n{each.text}"
    held = total = 0
    for number, dialogue in enumerate(dialogues):
        everything = "\n".join(each["message"] for each in dialogue["messages"])
        for message in dialogue["messages"]:
            for fact in message.get("attrs", []):
                if fact["attrname"] != "Information" and fact["attrvalue"] in everything:
                    total += 1
                    held += fact["attrvalue"] in texts[f"kd-{number}"]
    return [("KdConv travel", "fact values that stand in a memory", held / total)]


def _noise(data: Path) -> list[tuple[str, str, Any]]:
    """Greetings, thanks and acknowledgements of the sets that were recorded above."""
    from memory import tenants
    from memory.models import Event, Source
    from memory.tenancy import tenant_scope

    noise = became = 0
    for slug in ("locomo", "kdconv", "tau-bench"):
        with tenant_scope(tenants.get_or_open(slug)[0].pk):
            spoken = Event.objects.filter(type="message.added").select_related("stream")
            rests = set(
                Source.objects.filter(experience__kind__in=("fact", "preference", "profile")).values_list(
                    "stream_name", "event_version"
                )
            )
            for event in spoken:
                content = event.payload.get("content")
                if isinstance(content, str) and NOISE.fullmatch(content.strip()):
                    noise += 1
                    became += (event.stream.name, event.version) in rests
    return [("noise", "greetings, thanks, acknowledgements", noise), ("noise", "of them became memories", became)]


def _personamem(data: Path) -> list[tuple[str, str, Any]]:
    documents = json.loads(gzip.decompress((data / "personamem-32k" / "documents.json.gz").read_bytes()))
    tenant = Tenant("personamem")
    owner = {}
    for user, conversations in _people(documents):
        for conversation in conversations:
            owner[tenant.say(user, conversation)] = user
    tenant.distil()
    held = tenant.experiences()
    mixed = sum(
        bool({owner[source.stream_name] for source in each.sources.all()} - {each.user_id})
        for each in held
        if each.user_id
    )
    by_id = {each.pk: each for each in held}
    crossed = sum(by_id[each.superseded_by_id].user_id != each.user_id for each in held if each.superseded_by_id)
    return [
        ("personamem", "experiences", len(held)),
        ("personamem", "shared in the tenant", sum(not each.user_id for each in held)),
        ("personamem", "resting on another user's words", mixed),
        ("personamem", "superseded by another user's", crossed),
    ]


def _people(documents: Any) -> Iterable[tuple[str, list[list[dict[str, Any]]]]]:
    by_user: dict[str, list[list[dict[str, Any]]]] = defaultdict(list)
    for document in documents:
        by_user[document["user_id"]].append(
            [
                {"role": role.lower(), "content": text.strip()}
                for role, text in re.findall(
                    r"\[(SYSTEM|USER|ASSISTANT)\] (?:User: |Assistant: )?(.*?)(?=\n\s*\[(?:SYSTEM|USER|ASSISTANT)\] |\Z)",
                    document["content"],
                    re.DOTALL,
                )
            ]
        )
    return by_user.items()


def _light(place: Installation) -> list[tuple[str, str, Any]]:
    """Packing tasks against inserting the same rows by raw SQL."""
    from django.db import connection

    from memory.layers import session, task
    from memory.manager import MemoryManager
    from memory.tenancy import tenant_scope

    count = 300
    with tenant_scope(place.tenant_id):
        opened = session.create("light")
        tasks = [task.create(opened.pk, "light", {"do": number}).pk for number in range(count)]
        for each in tasks:
            task.close(each, "completed", {"done": True})
    manager = MemoryManager("bench", lambda queue: None)
    began = time.perf_counter()
    for each in tasks:
        with tenant_scope(place.tenant_id):
            manager.distill_task(each)
    packed = time.perf_counter() - began
    began = time.perf_counter()
    for number in range(count):
        with tenant_scope(place.tenant_id), connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO memory_distillation (id, tenant_id, mode, reason, status, stream_name, session_id, task_id, user_id, agent_id, draft, "
                "rules, requested_by, error, messages, exchanges, candidates, input_tokens, memory_tokens, created_at) VALUES "
                "(%s, %s, 'light', '', 'completed', %s, '', '', '', '', false, '{}', '', '', 0, 0, 0, 0, 0, now())",
                [f"dist_raw{number}", place.tenant_id, opened.pk],
            )
    inserted = time.perf_counter() - began
    return [("light path", "tasks/s", count / packed), ("light path", "against one raw INSERT each", inserted / packed)]
