"""Who belongs to which tenant, and as what."""

from django.db import connection, models, transaction

from memory.models.tenant import Tenant
from memory.models.user import User
from memory.vocabulary import Role


class MembershipQuerySet(models.QuerySet["Membership"]):
    """Memberships are asked for before a tenant is known, by their own user."""

    def of(self, user: User) -> list["Membership"]:
        """All memberships of one user, with their tenants, in the order of the tenants' names."""
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('aresweb.user_id', %s, true)", [str(user.pk)])
            found = list(self.filter(user=user).select_related("tenant").order_by("tenant__name"))
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('aresweb.user_id', '', true)")
            return found


class Membership(models.Model):
    """One user's place in one tenant."""

    tenant = models.ForeignKey(Tenant, models.CASCADE, db_index=False)
    user = models.ForeignKey(User, models.CASCADE)
    role = models.CharField(max_length=20, choices=[(role, role) for role in Role], default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tenant", "user"], name="membership_once")]

    def is_at_least(self, role: Role) -> bool:
        """Whether the member may do what this role may."""
        return list(Role).index(Role(self.role)) >= list(Role).index(role)
