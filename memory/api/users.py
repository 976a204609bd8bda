"""Users of agents: `DELETE /users/{user_id}/content`."""

from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.front_door import manager_of
from memory.api.views import TenantView
from memory.permissions import Permission

ErasureReceipt = inline_serializer(
    "ErasureReceipt",
    {
        "user_id": serializers.CharField(),
        "erased_at": serializers.DateTimeField(),
        "sessions": serializers.ListField(child=serializers.CharField(), help_text="The sessions that were deleted."),
        "streams": serializers.ListField(
            child=serializers.CharField(), help_text="The other streams of the user, whose content was blanked."
        ),
        "rows": serializers.DictField(
            child=serializers.IntegerField(),
            help_text="How much went: rows by table, blanked events, rewritten segments.",
        ),
    },
)


class UserContentView(TenantView):
    """What is recorded of one user."""

    permissions = {"DELETE": Permission.ERASE}

    @extend_schema(responses={200: ErasureReceipt}, tags=["users"])
    def delete(self, request: Request, user_id: str) -> Response:
        """Erase a user's content: all sessions, and the content of the other streams. The answer is a receipt."""
        return Response(manager_of(request).erase_user(user_id))
