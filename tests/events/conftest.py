"""Hypothesis without deadlines: a busy machine is no fault."""

from hypothesis import settings

settings.register_profile("aresweb", deadline=None, max_examples=40)
settings.load_profile("aresweb")
