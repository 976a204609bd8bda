"""What tenants and keys may take in a minute."""

import time

import pytest
from django.db import connection

from memory import allowance, limits, tenants
from memory.errors import LimitReached, TooLarge
from memory.models import Allowance, ApiKey, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Measure
from tests.threads import threads

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _one_minute() -> None:
    """Not across the end of a minute, where counting begins anew."""
    left = 60 - time.time() % 60
    if left < 15:
        time.sleep(left + 0.1)
    allowance.forget()


def issue(tenant: Tenant, **bounds: int) -> ApiKey:
    with tenant_scope(tenant.pk):
        return ApiKey.objects.issue(tenant, "k", **bounds)[0]


def bound(tenant: Tenant, **values: str) -> None:
    tenants.set_ceilings(tenant, values, "command:tests", "")


def admitted(key: ApiKey, tries: int) -> int:
    done = 0
    for _ in range(tries):
        try:
            allowance.admit(key, 0)
            done += 1
        except LimitReached:
            pass
    return done


@pytest.mark.parametrize("limit", [1, 7, 450])
def test_no_more_than_the_limit_is_let_in(acme: Tenant, limit: int) -> None:
    bound(acme, ARES_REQUESTS_A_MINUTE=str(limit))
    key = issue(acme)
    assert admitted(key, limit + 20) == limit


def test_processes_share_the_limit(acme: Tenant) -> None:
    bound(acme, ARES_REQUESTS_A_MINUTE="40")
    key = issue(acme)
    first = admitted(key, 25)
    allowance.forget()  # as another process, which has taken nothing yet
    assert (first, admitted(key, 25)) == (25, 15)


def test_threads_that_ask_at_once_get_no_more_together(acme: Tenant) -> None:
    bound(acme, ARES_REQUESTS_A_MINUTE="300")
    key = issue(acme)
    with threads() as several:
        assert sum(each.result() for each in [several.start(lambda: admitted(key, 100)) for _ in range(4)]) == 300


def test_one_tenant_takes_nothing_from_another_and_one_key_nothing_from_the_next(acme: Tenant, globex: Tenant) -> None:
    bound(acme, ARES_REQUESTS_A_MINUTE="10")
    mine, other, theirs = issue(acme, requests_a_minute=3), issue(acme), issue(globex)
    assert (admitted(mine, 9), admitted(other, 9), admitted(theirs, 50)) == (3, 7, 50)


def test_the_refusal_says_which_limit_and_how_long_to_wait(acme: Tenant) -> None:
    key = issue(acme, events_a_minute=5)
    with pytest.raises(LimitReached) as refused:
        allowance.take_events(key, 6)
    assert refused.value.extra == {
        "measure": "events",
        "limit": 5,
        "of": "key",
        "retry_after": refused.value.retry_after,
    }
    assert 1 <= refused.value.retry_after <= 60
    allowance.take_events(key, 5)


def test_a_limit_of_0_is_none(acme: Tenant) -> None:
    bound(acme, ARES_REQUESTS_A_MINUTE="0")
    assert admitted(issue(acme), 200) == 200
    with tenant_scope(acme.pk):
        assert not Allowance.objects.exists()


def test_most_requests_ask_no_database(acme: Tenant, django_assert_max_num_queries: object) -> None:
    key = issue(acme)
    allowance.admit(key, 0)
    with django_assert_max_num_queries(0):  # type: ignore[operator]
        assert admitted(key, 100) == 100


def test_a_body_over_the_tenants_limit_is_refused(acme: Tenant) -> None:
    bound(acme, ARES_MAX_BODY_BYTES="2048")
    key = issue(acme)
    allowance.admit(key, 2048)
    with pytest.raises(TooLarge):
        allowance.admit(key, 2049)


def test_a_tenant_whose_storage_is_full_records_nothing_more(acme: Tenant) -> None:
    bound(acme, ARES_MAX_STORAGE_MB="1")
    Tenant.objects.filter(pk=acme.pk).update(stored_bytes=2**20)
    key = issue(acme)
    with pytest.raises(LimitReached, match="storage is full"):
        allowance.take_events(key, 1)
    allowance.admit(key, 0)


def test_what_was_taken_is_told_and_the_scope_stays_empty(acme: Tenant) -> None:
    allowance.admit(issue(acme), 0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('aresweb.tenant_id', true)")
        assert not cursor.fetchone()[0]
    with tenant_scope(acme.pk):
        taken = allowance.used(time.time() // 60 * 60)
        assert taken == {(0, Measure.REQUESTS): limits.value("ARES_REQUESTS_A_MINUTE") // 100}
