"""Django's admin, for administrators of the installation alone. Here is all that it shows."""

from aresweb.administration.site import Administration

administration = Administration(name="admin")

from aresweb.administration import installation, tenants  # noqa: E402, F401  they register what they show
