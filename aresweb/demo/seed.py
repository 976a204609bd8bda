"""Recording every trouble once."""

import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from aresweb.demo import model
from aresweb.demo.agent import AGENT_ID, Agent
from aresweb.demo.client import Client
from aresweb.demo.recorder import Run
from aresweb.demo.scratch import Scratch, default_database, scratch
from aresweb.demo.troubles import TROUBLES
from aresweb.demo.troubles.trouble import Trouble

SEED = "aresweb-demo-1"
ABOUT_MODEL = "Rules stand in for a language model. The tools, servers, database, errors and times are real."


@dataclass(frozen=True, slots=True)
class Seeded:
    """One trouble's run. `new` is false where it was recorded before."""

    title: str
    session_id: str
    new: bool


def run_all(url: str, key: str, database: str | None = None, seed: str = SEED) -> list[Seeded]:
    """Let the agent loose on every trouble, and record it. What was recorded before under this seed is left alone.

    Args:
        url: where aresweb answers, like `http://127.0.0.1:8000`.
        key: an API key of the tenant to record for.
        database: how psycopg connects, as a role that may create schemas; the application's own database by default.

    Raises:
        RecorderError: the API cannot be reached, or refuses a record.
        ScratchUnusable: the database cannot be used.
    """
    return list(run_each(url, key, database, seed))


def run_each(url: str, key: str, database: str | None = None, seed: str = SEED) -> Iterator[Seeded]:
    """As `run_all`, but tells of each run as soon as it is over, and begins the next one when asked for it."""
    with closing(Client(url, key)) as client, scratch(database or default_database()) as schema:
        asked: list[str] = []
        for trouble in TROUBLES:
            seeded = _seed(client, schema, trouble, f"{seed}.{trouble.name}")
            if seeded.new:
                asked.append(_distil(client, seeded.session_id))
            yield seeded
        for distillation_id in asked:
            _judge(client, distillation_id)


def _distil(client: Client, session_id: str) -> str:
    """Have the conversation refined; returns the id of the distillation."""
    return str(client.post(f"/sessions/{session_id}/distillations", {}, once=uuid.uuid4().hex)["id"])


def _judge(client: Client, distillation_id: str) -> None:
    """Say that what was learned first has helped, as an agent does that was given it; if it is learned by now."""
    learned = client.get(f"/distillations/{distillation_id}")["experiences"]
    if learned:
        verdict = {"verdict": "helpful", "note": "It answered the same question the next day."}
        client.post(f"/experiences/{learned[0]['id']}/feedback", verdict, once=uuid.uuid4().hex)


def _seed(client: Client, schema: Scratch, trouble: Trouble, origin: str) -> Seeded:
    for stream in client.get("/streams", agent_id=AGENT_ID, q=origin)["results"]:
        if "agent.stopped" in stream["event_types"]:
            return Seeded(trouble.title, stream["name"], new=False)
        if "agent.crashed" not in stream["event_types"]:
            _end_abandoned(client, stream["name"])
    with trouble.build(schema) as world:
        session_id = _open_session(client, trouble, origin)
        Agent(Run(client, session_id), world.tools).work(world.turns)
    return Seeded(trouble.title, session_id, new=True)


def _open_session(client: Client, trouble: Trouble, origin: str) -> str:
    metadata = {"title": trouble.title, "origin": origin, "model": model.NAME, "about_model": ABOUT_MODEL}
    session = {"user_id": trouble.user_id, "agent_id": AGENT_ID, "metadata": metadata}
    return str(client.post("/sessions", session, once=uuid.uuid4().hex)["id"])


def _end_abandoned(client: Client, session_id: str) -> None:
    """End a run whose demo was stopped in the middle: nobody else will."""
    payload = {"agent_id": AGENT_ID, "error": "The demo was stopped before this run was over."}
    event = {"id": f"{session_id}.abandoned", "type": "agent.crashed", "payload": payload}
    client.post(f"/streams/{session_id}/events", {"events": [event]})
