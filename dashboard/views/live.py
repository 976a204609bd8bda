"""New events of a run as they are recorded, as server-sent events.

Each follower takes a thread of the web server, so their number is limited; one that is refused tries again later. A
connection ends after FOLLOW_SECONDS and the page opens it anew from where it is, which also asks again who may look.
"""

import json
import threading
import time
from collections.abc import Generator, Iterator
from http import HTTPStatus
from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone

from dashboard import runs
from dashboard.access import MemberRequest, is_still_member, member_required
from memory import conf
from memory.flight import timeline
from memory.models import Stream
from memory.tenancy import tenant_scope

POLL_SECONDS = 0.5
FOLLOW_SECONDS = 300
RETRY_SECONDS = 5
# Somebody who was logged out, or is no longer a member, sees nothing new after so long.
RECHECK_SECONDS = 5.0

_followers = threading.BoundedSemaphore(conf.value("ARES_LIVE_CONNECTIONS"))


@member_required
def run_live(request: HttpRequest, name: str) -> HttpResponseBase:
    """Events behind `?after=`, from now on."""
    stream = Stream.objects.named(name)
    after = request.GET.get("after", "")
    version = int(after) if after.isascii() and after.isdecimal() and len(after) < 19 else stream.version
    if not runs.is_live(stream, timezone.now()):
        return HttpResponse(b"event: ended\ndata: {}\n\n", content_type="text/event-stream")
    if not _followers.acquire(blocking=False):
        refused = HttpResponse("Too many pages are followed live.", status=HTTPStatus.SERVICE_UNAVAILABLE)
        refused["Retry-After"] = str(RETRY_SECONDS)
        return refused
    following = _Following(cast(MemberRequest, request), stream.pk, min(version, stream.version))
    response = StreamingHttpResponse(following, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


class _Following:
    """The bytes of one connection; gives the follower's place back when it is closed, however that happens."""

    def __init__(self, request: MemberRequest, stream_id: int, version: int) -> None:
        self.request = request
        self.tenant_id = request.membership.tenant_id
        self.stream_id = stream_id
        self.version = version
        self.lines = self._lines()
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        return self.lines

    def close(self) -> None:
        """Called by the server when the viewer has gone."""
        if not self.closed:
            self.closed = True
            self.lines.close()
            _followers.release()

    def _lines(self) -> Generator[bytes, None, None]:
        yield b": following\n\n"
        began = checked = time.monotonic()
        while time.monotonic() - began < FOLLOW_SECONDS:
            if time.monotonic() - checked >= RECHECK_SECONDS:
                if not is_still_member(self.request):
                    return
                checked = time.monotonic()
            news = self._news()
            # The empty comment is how the server finds out that the viewer has gone and the thread is free again.
            yield b"event: appended\ndata: " + json.dumps(news).encode() + b"\n\n" if news else b":\n\n"
            time.sleep(POLL_SECONDS)

    def _news(self) -> dict[str, object] | None:
        """What has been appended since: letters, errors, and how the run stands."""
        with tenant_scope(self.tenant_id):
            stream = Stream.objects.filter(pk=self.stream_id, version__gt=self.version).first()
            if stream is None:
                return None
            families, errors = timeline.letters(stream, self.version)
        self.version += len(families)
        return {"version": self.version, "families": families, "errors": errors, "outcome": stream.outcome}
