"""Inviting people into a tenant: an invitation is for one address and one role, expires, and is accepted once.

Its link is a signature over tenant and row, made with the installation's secret key: whoever reads the database can
make none, and what is open, used or revoked is told by the row alone.
"""

from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.utils import timezone

from memory import audit, conf, people, tenants
from memory.errors import Conflict, NotFound
from memory.models import Invitation, Membership, Tenant, User
from memory.tenancy import current_tenant_id, tenant_scope
from memory.vocabulary import InvitationState, Role

SALT = "aresweb.invitation"
# Of all that is over, so much is shown.
SHOWN = 100


def invite(email: str, role: Role, by: User) -> Invitation:
    """A new invitation; an older one to the same address is revoked. Needs the tenant's scope.

    Raises:
        Invalid: it is no e-mail address.
        Conflict: the person is a member already.
    """
    email = people.address(email)
    tenant_id = current_tenant_id()
    Tenant.objects.select_for_update().get(pk=tenant_id)  # two invitations to one address come one after the other
    if Membership.objects.filter(user__email=email).exists():
        raise Conflict(f"{email} is a member already.")
    now = timezone.now()
    Invitation.objects.filter(email=email, accepted_at=None, revoked_at=None).update(revoked_at=now)
    expires_at = now + timedelta(days=conf.value("ARES_INVITATION_DAYS"))
    return Invitation.objects.create(
        tenant_id=tenant_id, email=email, role=role, invited_by=by, created_at=now, expires_at=expires_at
    )


def revoke(invitation_id: int) -> Invitation:
    """From now on the invitation's link opens nothing. Needs the tenant's scope.

    Raises:
        NotFound: there is no such invitation.
        Conflict: it was accepted already.
    """
    invitation = Invitation.objects.select_for_update().filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound("There is no such invitation.")
    if invitation.accepted_at is not None:
        raise Conflict(f"{invitation.email} has accepted it already.")
    invitation.revoked_at = invitation.revoked_at or timezone.now()
    invitation.save(update_fields=["revoked_at"])
    return invitation


def newest() -> list[Invitation]:
    """The tenant's newest invitations, with who invited. Needs the tenant's scope."""
    return list(Invitation.objects.select_related("invited_by").order_by("-created_at")[:SHOWN])


def token(invitation: Invitation) -> str:
    """What the link of an invitation ends with."""
    return signing.dumps([invitation.tenant_id, invitation.pk], salt=SALT)


def presented(text: str) -> Invitation:
    """The invitation that a link is for, with its tenant, whatever has become of it; needs no scope.

    Raises:
        NotFound: the link was not made by this installation, or what it led to is gone.
    """
    try:
        tenant_id, invitation_id = signing.loads(text, salt=SALT)
    except signing.BadSignature:
        raise NotFound("There is no such invitation.") from None
    with tenant_scope(tenant_id):
        invitation = Invitation.objects.select_related("tenant").filter(pk=invitation_id).first()
    if invitation is None:
        raise NotFound("There is no such invitation.")
    return invitation


@transaction.atomic
def accept(invitation: Invitation, user: User, client: str = "") -> Membership:
    """Make the invited person a member. Who is one already keeps the higher of both roles.

    Args:
        client: the address from which it is accepted, for the audit log.

    Raises:
        Conflict: the invitation is for another address, was used or revoked, or has expired; or the tenant is
            suspended.
    """
    now = timezone.now()
    with tenant_scope(invitation.tenant_id):
        held = Invitation.objects.select_for_update().get(pk=invitation.pk)
        state = held.state(now)
        if state is not InvitationState.OPEN:
            raise Conflict(f"The invitation is {state}.")
        if held.tenant.suspended_at is not None:
            raise Conflict("The tenant is suspended. Come back when it is resumed.")
        if user.email != held.email:
            raise Conflict("The invitation is for another address.")
        held.accepted_at = now
        held.save(update_fields=["accepted_at"])
        member = Membership.objects.filter(user=user).first()
        actor = f"user:{user.email}"
        if member is None or not member.is_at_least(Role(held.role)):
            tenants.join(user, held.tenant, Role(held.role), actor, client)
        else:
            audit.record(actor, "invitation.accepted", user.email, client)
        return Membership.objects.get(user=user)


def accept_as_new(invitation: Invitation, name: str, password: str, client: str = "") -> User:
    """Make an account for the invited person, with this password, and the person a member.

    Raises:
        Conflict: as `accept`; or the address has an account by now.
    """
    with tenant_scope(invitation.tenant_id):
        Invitation.objects.select_for_update().get(pk=invitation.pk)  # who sends the form twice makes one account
        if User.objects.filter(email=invitation.email).exists():
            raise Conflict("There is an account with this address. Log in with it.")
        user = User.objects.create_user(invitation.email, password, name=name)
        accept(invitation, user, client)
    return user
