"""Serializer fields that several resources share."""

from typing import Any

import orjson
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memory.api.rendering import exact


@extend_schema_field(OpenApiTypes.ANY)
class AnyJSONField(serializers.Field[Any, Any, Any, Any]):
    """Any JSON value, as the client sent it."""

    def to_representation(self, value: Any) -> orjson.Fragment:
        return exact(value)


@extend_schema_field(OpenApiTypes.OBJECT)
class ObjectField(AnyJSONField):
    """A JSON object, as the client sent it."""
