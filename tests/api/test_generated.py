"""Requests made up from the schema: whatever is sent, the server does not fail, and what it answers is as the schema
says."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from aresweb.wsgi import application

# So few for each operation that the whole takes no longer than other tests.
EXAMPLES = 3
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]

pytestmark = pytest.mark.django_db(transaction=True)


def test_nothing_that_is_sent_makes_the_server_fail(acme_key: str) -> None:
    schema = schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    headers = {"Authorization": f"Bearer {acme_key}"}
    tried = 0
    for found in schema.include(path_regex="^/api/v1/").get_all_operations():
        operation = found.ok()
        try_out(operation, headers)
        tried += 1
    assert tried > 40


def try_out(operation: APIOperation, headers: dict[str, str]) -> None:
    """Send some of what the schema allows for this operation, and some of what it does not."""
    for mode in GenerationMode:

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def send(case: Case) -> None:
            case.call_and_validate(headers=headers, checks=CHECKS)

        try:
            send()
        except Unsatisfiable:
            assert mode == GenerationMode.NEGATIVE  # an operation that takes nothing cannot be asked wrongly
