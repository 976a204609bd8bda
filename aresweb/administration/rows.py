"""How the admin shows rows: without changing what is immutable, and without counting what is large."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest

# Pages lead so many rows far; who looks for something further back searches or filters for it.
REACH = 1000


class ShortPaginator(Paginator):  # type: ignore[type-arg]  # not generic at run time
    """Pages of the first REACH rows. PostgreSQL counts a table by reading all of it: nobody waits for that here."""

    @cached_property
    def count(self) -> int:
        """How many rows the pages hold, REACH at most."""
        return len(self.object_list.values_list("pk")[:REACH])  # type: ignore[attr-defined]


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Rows to look at. `hidden` names fields that are not shown: secrets, and what is no text."""

    hidden: Sequence[str] = ()
    paginator = ShortPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would count the table
    list_per_page = 50
    actions = None

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """All but the hidden ones. References are shown as numbers, each of which would cost a query otherwise."""
        fields: list[Any] = [*self.model._meta.concrete_fields]
        return [field.attname for field in fields if field.name not in self.hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """All of them."""
        return self.get_fields(request, obj)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False
