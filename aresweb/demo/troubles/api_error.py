"""An API answers 500 without saying clearly that a header is missing, and then asks for patience."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from aresweb.demo.agent import Turn
from aresweb.demo.model import Story, call, finish, give_up, urls_in, use
from aresweb.demo.scratch import Scratch
from aresweb.demo.servers import Request, Response, serving
from aresweb.demo.tools import http_request, wait
from aresweb.demo.troubles.trouble import Trouble, World

API_VERSION = "2024-06-01"
RETRY_AFTER_SECONDS = 1
MOST_TRIES = 5


class Rates:
    """The carrier's API. Its quota is used up when the first request comes that it understands."""

    def __init__(self) -> None:
        self._open_at = 0.0

    def answer(self, request: Request) -> Response:
        """500, then 429 until the wait is over, then 200."""
        version = request.headers.get("X-Api-Version")
        if version != API_VERSION:
            message = f"cannot choose a schema: header X-Api-Version is {version}, expected {API_VERSION}"
            return Response(500, {"error": {"code": "internal", "message": message}})
        self._open_at = self._open_at or time.monotonic() + RETRY_AFTER_SECONDS
        if time.monotonic() < self._open_at:
            refusal = {"error": {"code": "rate_limited", "message": "quota used up"}}
            return Response(429, refusal, {"Retry-After": str(RETRY_AFTER_SECONDS)})
        return Response(200, {"shipment": request.path.rpartition("/")[2], "carrier": "north", "price": "7.40 EUR"})


@contextmanager
def build(_: Scratch) -> Iterator[World]:
    """The carrier's API on a port of this machine."""
    with serving(Rates().answer) as url:
        question = f"Since today {url}/rates/SH-1042 answers with an error. What does the shipment cost?"
        yield World([Turn(question, plan)], [http_request, wait])


def plan(question: str) -> Story:
    """Try, read what the error says, and do that before trying again."""
    [url] = urls_in(question)
    headers: dict[str, str] = {}
    thought = "I ask the API myself."
    for _ in range(MOST_TRIES):
        [got] = yield use(thought, call(http_request, method="GET", url=url, headers=headers))
        complaint = str(got["body"])
        missing = re.search(r"header ([\w-]+) is .+?, expected ([\w-]+)", complaint)
        if got["status"] == 200:
            told = ", ".join(f"{name}: {value}" for name, value in headers.items())
            return finish(
                f"Shipment {got['body']['shipment']} costs {got['body']['price']}. The API now wants the header {told} "
                "and answers 500 without it. It also allows few requests: send the next one when Retry-After is over."
            )
        if missing:
            headers[missing[1]] = missing[2]
            thought = f"The error names its cause: the header {missing[1]}, which must be {missing[2]}. I send it."
        elif got["status"] == 429:
            seconds = int(got["headers"]["Retry-After"])
            yield use(
                f"Now I am understood, but too early. I wait the {seconds} s asked for.", call(wait, seconds=seconds)
            )
            thought = "I ask again, with the same header."
        else:
            break
    return give_up(f"The API goes on answering {got['status']}: {complaint}")


TROUBLE = Trouble("api-error", "The carrier's API answers 500", "jonas@example.com", build)
