"""Answers as JSON. Values that came from clients are written with any number exactly as it is."""

import json
from collections.abc import Mapping
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer


def encode(data: Any) -> bytes:
    """UTF-8 JSON: times in UTC with `Z`; `orjson.Fragment` holds text that is JSON already."""
    return orjson.dumps(data, option=orjson.OPT_UTC_Z)


def exact(value: Any) -> orjson.Fragment:
    """A client's value, whose integers may be larger than the encoder's 64 bits."""
    return orjson.Fragment(json.dumps(value, ensure_ascii=False))


class JSONRenderer(BaseRenderer):
    """Renders an answer's data."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return b"" if data is None else encode(data)
