"""Limits of a server, so that neither a large request nor many requests exhaust it."""

from dataclasses import dataclass

from supcon.base.errors import RequestError


@dataclass(frozen=True, kw_only=True)
class ServeLimits:
    """What is refused, and when."""

    upload_megabytes: float = 32.0
    """Size of a request; larger ones get 413."""

    megapixels: float = 50.0
    """Pixels of an image; a larger one is an error of that image, before it is decoded."""

    images: int = 64
    """Images in a request; more get 413."""

    queue: int = 512
    """Images that are being decoded or wait for the model; requests beyond get 503."""

    seconds: float = 30.0
    """From the first byte of a request to its answer; a client that is too slow gets 408, a late answer is a 504."""

    batch: int = 64
    """Images that the model gets at once."""

    def __post_init__(self) -> None:
        for name in ("upload_megabytes", "megapixels", "images", "queue", "seconds", "batch"):
            if not getattr(self, name) > 0:
                raise RequestError(f"--{name.replace('_', '-')} must be above 0, got {getattr(self, name)}.")

    @property
    def upload_bytes(self) -> int:
        return int(self.upload_megabytes * 1e6)
