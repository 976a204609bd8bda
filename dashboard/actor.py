"""Who does something on a page, as the domain names them, and the front door to memory for them."""

from functools import partial
from typing import Any

from memory import jobs
from memory.manager import MemoryManager
from memory.vocabulary import Queue


def actor(request: Any) -> str:
    """The member, as revisions and distillations name who made them."""
    return f"user:{request.user.get_username()}"


def manager(request: Any) -> MemoryManager:
    """The front door to memory; a worker is told at once what the member asks for."""
    return MemoryManager(actor(request), partial(notify, request.membership.tenant_id))


def notify(tenant_id: int, queue: Queue) -> None:
    """Let a worker look into a queue of a tenant, once what was put there is committed."""
    jobs.enqueue(jobs.work_queue, tenant_id, str(queue))
