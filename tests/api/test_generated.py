"""Requests made up from the schema: whatever is sent, the server does not fail, and what it answers is as the schema
says."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from aresweb.wsgi import application

# So few for each operation that the whole takes no longer than other tests.
EXAMPLES = 5
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def described() -> BaseSchema:
    """The schema as the server gives it."""
    return schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)


operations = schemathesis.pytest.from_fixture("described").include(path_regex="^/api/v1/")


@operations.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_nothing_that_is_sent_makes_the_server_fail(case: Case, acme_key: str) -> None:
    case.call_and_validate(headers={"Authorization": f"Bearer {acme_key}"}, checks=CHECKS)
