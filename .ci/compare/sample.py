"""A seeded choice for lanes that take a sample of their cases."""

from zlib import crc32


def chosen(name: str, seed: str, count: int) -> int:
    """Which of `count` cases the store of this name takes."""
    return crc32(f"{seed} {name}".encode()) % count
