"""Texts as embedding models take them. Pure."""


def readable(text: str, most: int) -> str:
    """The first `most` characters, as valid UTF-8 without NUL; a full stop where that is nothing, since services refuse
    what is empty."""
    clean = text[:most].replace("\x00", " ").encode("utf-8", "replace").decode()
    return clean if clean.strip() else "."
