"""Every address of the project."""

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.urls import include, path
from django.views.decorators.http import require_safe
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from aresweb.administration import administration
from memory.api import health

# Swagger UI sets styles from its scripts; no other page may.
documentation = require_safe(
    csp_update({"style-src": [SELF, UNSAFE_INLINE]})(
        SpectacularSwaggerSplitView.as_view(authentication_classes=[], permission_classes=[], url_name="schema")
    )
)

urlpatterns = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("api/v1/", include("memory.api.urls")),
    path("api/schema/", SpectacularAPIView.as_view(authentication_classes=[], permission_classes=[]), name="schema"),
    path("api/docs/", documentation, name="docs"),
    path("admin/", administration.urls),
    path("", include("dashboard.account_urls")),
    path("", include("dashboard.urls")),
]

handler403 = "aresweb.errors.forbidden"
handler404 = "aresweb.errors.not_found"
handler429 = "aresweb.errors.too_many"
handler500 = "aresweb.errors.internal"
