"""Calls of services over HTTP, embeddings and language models alike: bounded in time, tried again, errors by name."""

import random
import time
import weakref
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import httpx

from memory import outbound
from memory.errors import BadAnswer, ServiceBusy, ServiceDown, ServiceFailed, ServiceRefused, ServiceSlow

# So many tries within one call, so long apart at first, and what a service may ask us to wait at most here: what needs
# longer goes back to the queue, which waits without holding anything.
TRIES = 3
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
# Somebody waits while a search is prepared: a service that fails is not asked again for so many seconds.
QUERY_REST = 10.0
# Of an answer that makes no sense, so much is told.
TOLD_CHARACTERS = 200
BUSY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)


class Service:
    """A service under one base URL.

    Args:
        seconds: how long one try may take. tries: how many there are. rest: after a failure that may pass, nothing is
            asked for so many seconds; who asks meanwhile is told at once.
    """

    def __init__(self, name: str, url: str, key: str, seconds: float, *, tries: int = TRIES, rest: float = 0.0) -> None:
        self.name = name
        self._tries, self._rest = tries, rest
        self._resting: tuple[float, str] = (0.0, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = outbound.client(url.rstrip("/") + "/", headers, seconds)
        weakref.finalize(self, self._http.close)  # who lets go of the service lets go of its connections

    def post(self, path: str, body: Any, read: Callable[[Any], Any]) -> Any:
        """What `read` makes of the JSON that the service answers.

        Args:
            read: raises a ValueError, KeyError or TypeError for an answer that is none.

        Raises:
            ServiceFailed: there is no usable answer; the class says why, its `retry_after` how long the service asks to
                be left alone.
        """
        until, why = self._resting
        if time.monotonic() < until:
            raise ServiceDown(f"{why} It is left alone for {self._rest:g} seconds.")
        try:
            return self._tried(path, body, read)
        except ServiceFailed as error:
            if error.may_pass:
                self._resting = (time.monotonic() + self._rest, error.detail)
            raise

    def _tried(self, path: str, body: Any, read: Callable[[Any], Any]) -> Any:
        for attempt in range(1, self._tries + 1):
            try:
                return self._once(path, body, read)
            except ServiceFailed as error:
                pause = error.retry_after if error.retry_after is not None else FIRST_PAUSE * 2 ** (attempt - 1)
                if attempt == self._tries or not error.may_pass or pause > LONGEST_PAUSE:
                    raise
                time.sleep(pause * random.uniform(1, 1.5))  # noqa: S311  no secret: callers must not come back at once
        raise AssertionError  # the last try returns or raises

    def _once(self, path: str, body: Any, read: Callable[[Any], Any]) -> Any:
        try:
            answer = self._http.post(path, json=body)
        except outbound.Refused as error:
            raise ServiceRefused(f"{self.name} is not asked: {error}.") from error
        except httpx.TimeoutException as error:
            raise ServiceSlow(f"{self.name} did not answer in time.") from error
        except httpx.HTTPError as error:
            raise ServiceDown(f"{self.name} cannot be reached: {error}.") from error
        if answer.status_code != HTTPStatus.OK:
            raise self._failure(answer)
        try:
            return read(answer.json())
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
            raise BadAnswer(f"{self.name} gave an answer that is none: {error}") from error

    def _failure(self, answer: httpx.Response) -> ServiceFailed:
        detail = f"{self.name} answered {answer.status_code}: {answer.text[:TOLD_CHARACTERS]}"
        if answer.status_code in BUSY:
            return ServiceBusy(detail, _retry_after(answer.headers.get("Retry-After")))
        return ServiceDown(detail) if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR else ServiceRefused(detail)


def _retry_after(text: str | None) -> float | None:
    """Seconds: RFC 9110, section 10.2.3, allows a number of them or a date."""
    if not text:
        return None
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
