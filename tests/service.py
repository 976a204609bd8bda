"""A real HTTP server on this machine that answers as an embedding or language service does, well or not."""

import hashlib
import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


class Served:
    """The server's address, what it was asked, and what it is to answer: a function of the parsed body."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Any] = []
        self.answer: Callable[[Any], Answer] = embeddings


@contextmanager
def service() -> Iterator[Served]:
    """A service that runs until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.asked.append(body)
            status, headers, content = served.answer(body)
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except (BrokenPipeError, ConnectionResetError):
                return  # who asked has given up

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Served(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def told(value: Any, status: int = 200, **headers: str) -> Answer:
    """An answer of JSON."""
    return status, {name.replace("_", "-"): text for name, text in headers.items()}, json.dumps(value).encode()


def vector(text: str, dimension: int = 8) -> list[float]:
    """A vector that depends on the text alone."""
    digest = hashlib.sha256(text.encode()).digest()
    return [1.0 + digest[place] / 255 for place in range(dimension)]


def embeddings(body: Any) -> Answer:
    """What an embedding service answers."""
    return told({"data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(body["input"])]})


def by_letters(dimension: int) -> Callable[[Any], Answer]:
    """What an embedding service answers whose model tells texts apart by their pairs of letters."""

    def vector_of(text: str) -> list[float]:
        made = [0.0] * dimension
        for pair in pairwise(f" {text.casefold()} "):
            made[zlib.crc32("".join(pair).encode()) % dimension] += 1
        return made

    return lambda body: told(
        {"data": [{"index": n, "embedding": vector_of(text)} for n, text in enumerate(body["input"])]}
    )


def slow(seconds: float, then: Callable[[Any], Answer] = embeddings) -> Callable[[Any], Answer]:
    """The same answer, late."""

    def answer(body: Any) -> Answer:
        time.sleep(seconds)
        return then(body)

    return answer


def chat(content: Any, **more: Any) -> Callable[[Any], Answer]:
    """What a language service answers: this text."""
    text = content if isinstance(content, str) else json.dumps(content)
    return lambda body: told({"model": "small", "choices": [{"message": {"content": text}}], **more})


def in_turn(*answers: Callable[[Any], Answer]) -> Callable[[Any], Answer]:
    """One answer after the other; the last one stays."""
    left = list(answers)

    def answer(body: Any) -> Answer:
        return (left.pop(0) if len(left) > 1 else left[0])(body)

    return answer
