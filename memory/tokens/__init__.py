"""Tokens: exact counts, prices, and what a tenant's contexts saved."""
