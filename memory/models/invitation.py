"""Invitations: how somebody becomes a member of a tenant without a password ever being handed over."""

from datetime import datetime

from django.db import models

from memory.models.tenant import Tenant
from memory.models.user import User
from memory.vocabulary import InvitationState, Role


class Invitation(models.Model):
    """One person's way into one tenant. The link is not kept: it is signed anew from the row (`memory.invitations`)."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    email = models.EmailField()
    role = models.CharField(max_length=20, choices=[(role, role) for role in Role])
    invited_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "email"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="invitation_open_once",
            )
        ]

    def state(self, now: datetime) -> InvitationState:
        """Whether the invitation can be accepted at this time, or why not."""
        if self.accepted_at is not None:
            return InvitationState.ACCEPTED
        if self.revoked_at is not None:
            return InvitationState.REVOKED
        return InvitationState.OPEN if now < self.expires_at else InvitationState.EXPIRED
