"""Other stores of memories, given the same texts and vectors: those that can be installed from PyPI and run offline.

They are no requirement of aresweb: what is not installed is left out, and the table says so.
"""

import importlib.util
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

# The import that tells whether a peer is there, and how it is installed.
PEERS = {"LangGraph's PostgreSQL store": ("langgraph.store.postgres", "langgraph-checkpoint-postgres"),
         "mem0 (infer=False, Qdrant in its process)": ("mem0", "mem0ai")}  # fmt: skip
# Larger ones take a peer longer than the rest of the benchmark.
MOST = 5_000
LIMIT = 10
DIMENSION = 384

Figures = tuple[float, float, float]


def missing() -> str:
    """A sentence that names the peers that are not installed."""
    names = [package for name, (module, package) in PEERS.items() if not _is_there(module)]
    return f"Not installed: {', '.join(names)}." if names else ""


def measured(made: Any, spans: Callable[..., Any]) -> Iterator[tuple[str, Figures]]:
    """Each peer's name and figures: added a second, and the median and 95th percentile of a search in milliseconds."""
    if len(made.texts) > MOST:
        return
    for (name, (module, _)), measure in zip(PEERS.items(), (_langgraph, _mem0), strict=True):
        if _is_there(module):
            adding, ask = measure(made)
            yield name, (len(made.texts) / adding, *spans({name: ask}, made)[name])


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _langgraph(made: Any) -> tuple[float, Callable[[int], Any]]:
    """In the same PostgreSQL, in a database of its own."""
    import psycopg
    from django.db import connection
    from langgraph.store.postgres import PostgresStore
    from psycopg.rows import dict_row

    known = dict(zip([*made.texts, *made.questions], [*made.vectors.tolist(), *made.asked.tolist()], strict=True))
    parameters = {**connection.get_connection_params(), "cursor_factory": None}
    name = f"langgraph_{len(made.texts)}"
    with psycopg.connect(**parameters, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
    parameters |= {"dbname": name, "prepare_threshold": 0, "row_factory": dict_row}
    own = psycopg.connect(**parameters, autocommit=True)
    own.execute("CREATE EXTENSION IF NOT EXISTS vector")
    index = {"dims": DIMENSION, "embed": lambda texts: [known[text] for text in texts], "fields": ["text"]}
    store = PostgresStore(own, index=index)
    store.setup()
    began = perf_counter()
    for number, text in enumerate(made.texts):
        store.put(("user",), str(number), {"text": text})
    adding = perf_counter() - began
    own.execute("VACUUM ANALYZE")
    return adding, lambda number: store.search(("user",), query=made.questions[number], limit=LIMIT)


def _mem0(made: Any) -> tuple[float, Callable[[int], Any]]:
    """With its own default store, in a folder that is thrown away when the process ends."""
    import atexit

    folder = tempfile.mkdtemp(prefix="aresweb-mem0-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ |= {"MEM0_DIR": folder, "MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "not used"}
    from mem0 import Memory

    logging.getLogger("mem0").setLevel(logging.WARNING)  # it tells of every single vector

    store = {"provider": "qdrant", "config": {"path": f"{folder}/qdrant", "embedding_model_dims": DIMENSION}}
    memory = Memory.from_config({"vector_store": store, "history_db_path": f"{folder}/history.db"})
    known = dict(zip([*made.texts, *made.questions], [*made.vectors.tolist(), *made.asked.tolist()], strict=True))
    memory.embedding_model.embed = lambda text, *_: known[text]
    memory.embedding_model.embed_batch = lambda texts, *_: [known[text] for text in texts]
    began = perf_counter()
    for text in made.texts:
        memory.add(text, user_id="user", infer=False)
    adding = perf_counter() - began

    def ask(number: int) -> Any:
        return memory.search(made.questions[number], filters={"user_id": "user"}, top_k=LIMIT)

    return adding, ask
