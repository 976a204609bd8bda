"""The first start: a tenant, an administrator and an API key, so that there is something to log in to.

Password and key are random, kept for their owner alone in the home's `secrets/`, and told again at each start; no
default password exists.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from memory import tenants
from memory.models import ApiKey, Tenant, User
from memory.tenancy import tenant_scope

ADMIN_EMAIL = "admin@aresweb.local"
KEY_NAME = "first key"
DEMO_TENANT = "demo"


@dataclass(frozen=True, slots=True)
class Access:
    """What opens the installation: `password` is None once the administrator has chosen another one."""

    tenant: Tenant
    email: str
    password: str | None
    api_key: str


def ensure_access(home: Path, slug: str) -> Access:
    """The first administrator, tenant and key, made where they are missing."""
    folder = home / "secrets"
    folder.mkdir(mode=0o700, exist_ok=True)
    password = _password(folder / "admin_password")
    tenant, _ = tenants.get_or_open(slug)
    return Access(tenant, ADMIN_EMAIL, password, _api_key(folder / f"api_key_{slug}", tenant))


def kept_api_key(home: Path, slug: str) -> str:
    """The text of the key that was made for this tenant at its first start; empty where there is none."""
    return _kept(home / "secrets" / f"api_key_{slug}")


def _password(path: Path) -> str | None:
    user = User.objects.filter(email=ADMIN_EMAIL).first()
    if user is None:
        password = secrets.token_urlsafe(12)
        _keep(path, password)
        User.objects.create_superuser(ADMIN_EMAIL, password, name="Administrator")
        return password
    kept = _kept(path)
    return kept if kept and user.check_password(kept) else None


def _api_key(path: Path, tenant: Tenant) -> str:
    kept = _kept(path)
    key = ApiKey.objects.presented(kept)
    if key is not None and key.tenant_id == tenant.pk:
        return kept
    with tenant_scope(tenant.pk):
        _, text = ApiKey.objects.issue(tenant, KEY_NAME)
    _keep(path, text)
    return text


def _kept(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _keep(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text)
