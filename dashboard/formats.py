"""Numbers as people read them. Pure."""


def duration(seconds: float | None) -> str:
    """A span of time: `312 ms`, `4.2 s`, `3 min 05 s`, `2 h 07 min`, `3 d 4 h`; empty for None."""
    if seconds is None:
        return ""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    whole = int(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def milliseconds(value: float | None) -> str:
    """A span of time given in milliseconds; empty for None."""
    return duration(None if value is None else value / 1000)


def offset(seconds: float | None) -> str:
    """A place in a run: `+0:04.2`, `+1:02:03`; with a minus before the run's first event; empty for None."""
    if seconds is None:
        return ""
    sign, seconds = ("−" if seconds < 0 else "+"), abs(seconds)
    if seconds >= 3600:
        return f"{sign}{int(seconds // 3600)}:{int(seconds % 3600 // 60):02d}:{int(seconds % 60):02d}"
    return f"{sign}{int(seconds // 60)}:{int(seconds * 10) % 600 / 10:04.1f}"
