"""Hints: suspicious steps of a run, found by rules that can be checked. Nothing here asks a model."""
