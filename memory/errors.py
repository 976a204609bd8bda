"""One tree of errors. A class's docstring is its title; the doors translate classes to answers, once."""

from datetime import datetime
from typing import Any


class AresError(Exception):
    """Something went wrong"""

    code = "error"

    def __init__(self, detail: str, **extra: Any) -> None:
        super().__init__(detail)
        self.detail = detail
        self.extra = extra

    @property
    def title(self) -> str:
        """The class's docstring: what kind of error this is, the same for every instance."""
        return (self.__doc__ or self.code).strip()


class Invalid(AresError):
    """The input is not valid"""

    code = "invalid"


class TooLarge(AresError):
    """The input is too large"""

    code = "too-large"


class NotFound(AresError):
    """There is no such thing here"""

    code = "not-found"


class Forbidden(AresError):
    """This is not allowed"""

    code = "forbidden"


class Suspended(Forbidden):
    """The tenant is suspended"""

    code = "tenant-suspended"


class LimitReached(AresError):
    """A limit is reached"""

    code = "limit-reached"

    def __init__(self, detail: str, retry_after: int, **extra: Any) -> None:
        super().__init__(detail, retry_after=retry_after, **extra)
        self.retry_after = retry_after


class Gone(AresError):
    """Retention has dropped this"""

    code = "gone"

    def __init__(self, stream: str, first_version: int, dropped_at: datetime) -> None:
        super().__init__(
            f"The content of stream {stream} before event {first_version} was dropped on {dropped_at:%Y-%m-%d}.",
            stream=stream,
            first_version=first_version,
            dropped_at=dropped_at.isoformat(),
        )
        self.first_version = first_version
        self.dropped_at = dropped_at


class Damaged(AresError):
    """What is recorded does not verify"""

    code = "damaged"


class Conflict(AresError):
    """The request contradicts what is recorded"""

    code = "conflict"


class WrongVersion(Conflict):
    """The stream is at another version than expected"""

    code = "wrong-version"

    def __init__(self, stream: str, expected: int, actual: int) -> None:
        super().__init__(
            f"Stream {stream} is at version {actual}, not {expected}. Nothing was written.",
            stream=stream,
            expected_version=expected,
            actual_version=actual,
        )


class EventIdTaken(Conflict):
    """An event with this id but other content is recorded already"""

    code = "event-id-taken"


class SessionExpired(Conflict):
    """The session has expired"""

    code = "session-expired"


class KeyReused(AresError):
    """The idempotency key was used for another request"""

    code = "idempotency-key-reused"


class Unavailable(AresError):
    """The service cannot answer now"""

    code = "unavailable"


class TooSlow(Unavailable):
    """It took longer than it may"""

    code = "too-slow"


class ServiceFailed(Unavailable):
    """A service that aresweb asks does not answer as it should"""

    code = "service-failed"
    # Whether it can go well another time, with everything as it is; and after how many seconds, if the service says so.
    may_pass = True
    retry_after: float | None = None


class ServiceDown(ServiceFailed):
    """A service that aresweb asks cannot be reached, or fails by itself"""

    code = "service-down"


class ServiceSlow(ServiceFailed):
    """A service that aresweb asks does not answer in time"""

    code = "service-slow"


class ServiceBusy(ServiceFailed):
    """A service that aresweb asks wants to be left alone for a while"""

    code = "service-busy"

    def __init__(self, detail: str, retry_after: float | None) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class ServiceRefused(ServiceFailed):
    """A service does not take what aresweb asks of it"""

    code = "service-refused"
    may_pass = False


class BadAnswer(ServiceFailed):
    """The answer of a service that aresweb asks cannot be used"""

    code = "bad-answer"
    may_pass = False


class TenantMissing(AresError):
    """A tenant's data was asked for outside of a tenant's scope"""

    code = "tenant-missing"
