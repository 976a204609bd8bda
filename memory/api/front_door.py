"""The front door to memory, for one request."""

from typing import cast

from rest_framework.request import Request

from memory import jobs
from memory.manager import MemoryManager
from memory.models import ApiKey


def actor_of(request: Request) -> str:
    """Who asks, as revisions and distillations name them."""
    return f"key:{cast(ApiKey, request.auth).name}"


def manager_of(request: Request) -> MemoryManager:
    """A manager for who asks; a worker is told of new work once the request is committed."""
    tenant_id = cast(ApiKey, request.auth).tenant_id
    return MemoryManager(actor_of(request), lambda queue: jobs.enqueue(jobs.work_queue, tenant_id, str(queue)))
