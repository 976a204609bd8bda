"""Pages of a list, `{next, previous, results}`: their links, and how the schema describes them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request

from memory.api.views import whole_number
from memory.errors import Invalid

PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000

LIMIT = OpenApiParameter("limit", int, description=f"Most results on a page: 1 to {MAX_PAGE_SIZE}.")
CURSOR = OpenApiParameter("cursor", str, description="What `next` or `previous` holds.")


def page_of(name: str, item: serializers.BaseSerializer[Any], **more: serializers.Field[Any, Any, Any, Any]) -> Any:
    """The schema of a page of such items, with `more` fields."""
    return inline_serializer(
        name,
        {
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
            **more,
            "results": item,
        },
    )


def page_size(request: Request) -> int:
    """How many results the client wants on a page.

    Raises:
        Invalid: `limit` is no number from 1 to MAX_PAGE_SIZE.
    """
    return whole_number(request, "limit", PAGE_SIZE, 1, MAX_PAGE_SIZE)


class RowPages(CursorPagination):
    """Pages of a list whose links stay right while rows are added.

    `read_position` reads what a cursor holds of the first field of the ordering, and raises ValueError or Invalid.
    """

    def __init__(self, ordering: tuple[str, ...], read_position: Callable[[Any], Any]) -> None:
        self.ordering = ordering
        self.read_position = read_position

    def get_page_size(self, request: Request) -> int:
        return page_size(request)

    def decode_cursor(self, request: Request) -> Any:
        """The place that a cursor tells.

        Raises:
            Invalid: it is no cursor.
        """
        try:
            cursor = super().decode_cursor(request)
            if cursor is not None and cursor.position is not None:
                self.read_position(cursor.position)
        except (NotFound, ValueError, Invalid):
            raise Invalid("cursor is none: send back what `next` or `previous` held, or leave it out.") from None
        return cursor


class Place(NamedTuple):
    """Where a page of a stream begins, and how many events it holds at most."""

    from_version: int
    limit: int


class StreamPage(NamedTuple):
    """A page of a stream's events and its neighbours; None where there are none."""

    here: Place
    next: Place | None
    previous: Place | None


def stream_page(from_version: int, limit: int, version: int, forward: bool) -> StreamPage:
    """The page of a stream at `version` that begins at `from_version` and goes forward or backward. Pure.

    Following `next` from the first page, and `previous` from the last, gives every event once.
    """

    def place(number: int, most: int) -> Place:
        return Place(number if forward else version + 1 - number, most)

    # Counted in the direction of reading, so that both directions are one: the page begins at the event `number`.
    number = min(max(from_version if forward else version + 1 - from_version, 1), version + 1)
    return StreamPage(
        here=place(number, limit),
        next=place(number + limit, limit) if number + limit <= version else None,
        previous=place(max(number - limit, 1), min(limit, number - 1)) if number > 1 else None,
    )
