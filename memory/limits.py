"""Settings as they hold for the tenant of the scope: its own value where it has set one, else the installation's."""

from memory import conf
from memory.errors import Invalid
from memory.models import TenantSetting
from memory.tenancy import current_tenant_id


def value(name: str) -> int:
    """A whole number that holds for this tenant."""
    return int(_effective(name))


def fraction(name: str) -> float:
    """A fraction that holds for this tenant."""
    return float(_effective(name))


def names(name: str) -> frozenset[str]:
    """Some of a setting's choices that hold for this tenant."""
    return conf.split(str(_effective(name)))


def own() -> dict[str, conf.Value]:
    """What this tenant has set for itself, by name."""
    rows = TenantSetting.objects.values_list("name", "value")
    return {name: conf.SETTINGS[name].parse(text) for name, text in rows if name in conf.SETTINGS}


def put(name: str, text: str) -> None:
    """Set a value for this tenant; an empty text gives back the installation's. Who may is for the door to decide.

    Raises:
        Invalid: there is no such setting for a tenant, or the value is not of its type and bounds.
    """
    setting = conf.SETTINGS.get(name)
    if setting is None or not setting.per_tenant:
        raise Invalid(f"{name!r} is no setting of a tenant.")
    if not text:
        TenantSetting.objects.filter(name=name).delete()
        return
    parsed = str(setting.parse(text))
    TenantSetting.objects.update_or_create(tenant_id=current_tenant_id(), name=name, defaults={"value": parsed})


def _effective(name: str) -> conf.Value:
    setting = conf.SETTINGS[name]
    text = TenantSetting.objects.filter(name=name).values_list("value", flat=True).first()
    if text is not None and setting.per_tenant:
        return setting.parse(text)
    return conf.effective(name)
