"""The settings as their page shows and takes them. Needs a tenant's scope."""

from collections.abc import Mapping
from dataclasses import dataclass

from memory import conf, limits
from memory.conf import Setting
from memory.errors import Invalid

TENANT = "tenant"


@dataclass(frozen=True, slots=True)
class Row:
    """A setting: what holds, what holds without the tenant's own value, where the first comes from, what was typed,
    and what is wrong with that."""

    setting: Setting
    value: conf.Value
    installation: conf.Value
    origin: str
    typed: str
    error: str

    @property
    def is_settable(self) -> bool:
        """Whether the tenant's admins can set it for their tenant."""
        return is_settable(self.setting)


def is_settable(setting: Setting) -> bool:
    """Whether a tenant's admins can set it for their tenant; ceilings are the installation's to set."""
    return setting.per_tenant and not setting.ceiling


def rows(typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None) -> list[Row]:
    """Every setting; `typed` and `errors` are of a form that was refused, by the settings' names."""
    own = limits.own()
    return [_row(setting, own, typed, errors or {}) for setting in conf.SETTINGS.values()]


def save(typed: Mapping[str, str]) -> dict[str, str]:
    """Set every value of the tenant's that was typed, an empty text being the installation's; all of them or, where
    one is wrong, none. Returns what is wrong, by the settings' names."""
    given = {
        name: typed[name].strip() for name, setting in conf.SETTINGS.items() if is_settable(setting) and name in typed
    }
    errors = {}
    for name, text in given.items():
        try:
            if text:
                conf.SETTINGS[name].parse(text)
        except Invalid as error:
            errors[name] = error.detail
    if not errors:
        for name, text in given.items():
            limits.put(name, text)
    return errors


def _row(
    setting: Setting, own: Mapping[str, conf.Value], typed: Mapping[str, str] | None, errors: Mapping[str, str]
) -> Row:
    installation = conf.effective(setting.name)
    is_own = setting.per_tenant and setting.name in own
    kept = str(own[setting.name]) if is_own else ""
    return Row(
        setting=setting,
        value=own[setting.name] if is_own else installation,
        installation=installation,
        origin=TENANT if is_own else conf.origin(setting.name),
        typed=kept if typed is None else typed.get(setting.name, ""),
        error=errors.get(setting.name, ""),
    )
