"""Language models, which nothing needs and extraction is better with."""
