"""Who is asking: `Authorization: Bearer <API key>`."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from memory.models import ApiKey

SCHEME = "bearer"


class ApiKeyAuthentication(BaseAuthentication):
    """The API key is both who asks and what it may do."""

    def authenticate(self, request: Request) -> tuple[ApiKey, ApiKey] | None:
        header = request.headers.get("Authorization", "")
        scheme, _, text = header.partition(" ")
        if scheme.lower() != SCHEME:
            return None
        key = ApiKey.objects.presented(text.strip())
        if key is None:
            raise AuthenticationFailed("The API key is unknown, revoked or expired.")
        return key, key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="aresweb"'


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes it."""

    target_class = ApiKeyAuthentication
    name = "ApiKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An API key: `Authorization: Bearer ares_…`"}
