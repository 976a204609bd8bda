"""The WSGI application that gunicorn serves."""

import os
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.utils.http import parse_header_parameters

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aresweb.settings")


class Request(WSGIRequest):
    """A request, which is UTF-8 whatever charset its Content-Type names: some names make Django fail on the address."""

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))


class Handler(WSGIHandler):
    """Django's handler, with these requests."""

    request_class = Request


django.setup(set_prefix=False)
application = Handler()
