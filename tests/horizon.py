"""Waiting for the feed: it ends before the oldest running transaction of the server, also of other tests beside this one."""

import time

from django.db import connection

from memory.models import Tenant
from memory.tenancy import tenant_scope

PATIENCE = 20


def wait_for_the_feed(tenant: Tenant, patience: float = PATIENCE) -> None:
    """Until every committed event of the tenant is older than all running transactions, or patience ends."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        with tenant_scope(tenant.pk), connection.cursor() as cursor:
            cursor.execute(
                "SELECT coalesce(max(transaction_id), 0) < pg_snapshot_xmin(pg_current_snapshot())::text::bigint "
                "FROM memory_event"
            )
            if cursor.fetchone()[0]:
                return
        time.sleep(0.02)
