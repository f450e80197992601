"""Random numbers for views that depend on nothing but seed, stage, step and process: resuming needs no saved state."""

import hashlib

import torch


def view_generator(seed: int, stage: str, step: int, process: int) -> torch.Generator:
    """The generator of one step's views; on the CPU, so that every device gets the same views.

    >>> a, b = (view_generator(0, "stage1", 7, 0) for _ in range(2))
    >>> bool((torch.rand(3, generator=a) == torch.rand(3, generator=b)).all())
    True
    """
    # Hashed, because neighbouring integer seeds would give neighbouring states to weak generators.
    digest = hashlib.blake2b(f"{seed}/{stage}/{step}/{process}".encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)
