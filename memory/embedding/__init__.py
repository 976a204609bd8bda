"""Texts → vectors."""
