"""Texts as vectors: the local model, or an OpenAI-compatible service."""
