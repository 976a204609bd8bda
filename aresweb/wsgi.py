"""The WSGI application that gunicorn serves."""

import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aresweb.settings")


class Request(WSGIRequest):
    """A request, which is UTF-8 whatever charset its Content-Type names: some names make Django fail on the address."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        super()._set_content_type_params(meta)  # type: ignore[misc]
        self._encoding = None


class Handler(WSGIHandler):
    """Django's handler, with these requests."""

    request_class = Request


django.setup(set_prefix=False)
application = Handler()
