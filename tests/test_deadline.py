"""What takes too long is stopped, and the transaction and the connection live on."""

import time

import pytest
from django.core.signals import request_finished, request_started
from django.db import connection

from memory.deadline import bounded
from memory.errors import Unavailable
from memory.models import Tenant
from memory.tenancy import tenant_scope


def sleep(seconds: float) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(%s)", [seconds])


def test_a_slow_statement_is_stopped_and_named(in_acme: Tenant) -> None:
    with pytest.raises(Unavailable, match=r"The nap took longer than 0.05 s"), bounded(0.05, "The nap"):
        sleep(5)
    sleep(0.1)
    assert Tenant.objects.count() == 1


def test_the_bound_holds_for_the_block_alone(in_acme: Tenant) -> None:
    with bounded(0.05, "The nap"):
        sleep(0)
    sleep(0.1)


@pytest.mark.django_db(transaction=True)
def test_a_long_transaction_on_a_connection_just_used_is_committed_and_answered(acme: Tenant) -> None:
    for rest in (0, 1.1):  # the second one takes longer than a connection counts as just used
        request_started.send(sender=None)
        with tenant_scope(acme.pk):
            sleep(0)
            time.sleep(rest)
        request_finished.send(sender=None)
    assert not connection.in_atomic_block
