"""`supcon serve`: the model of a run behind HTTP."""

from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

import numpy as np

from supcon.base.errors import RequestError
from supcon.base.progress import bar, say
from supcon.jobs.inference.run_gallery import open_gallery
from supcon.runs import open_complete_run
from supcon.serving import Device, Model, ServeLimits, ShownGallery, listening, load, make_app, run_server, torch_device


def serve(
    run: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    gallery: str | None = None,
    search: bool = True,
    token: str | None = None,
    limits: ServeLimits | None = None,
    device: Device = "auto",
    data_root: str | None = None,
    started: Callable[[str], object] = lambda _: None,
) -> None:
    """Answers over HTTP until SIGTERM or Ctrl-C, then ends when everything that was accepted is answered.

    /search looks in the training images of the run, or in any DATA given as `gallery`; without `search`, in none.
    `started(address)` is called when the server accepts connections; a `port` of 0 is any free one.
    """
    opened, bounds, local = open_complete_run(Path(run)), limits or ServeLimits(), is_loopback(host)
    if not local and not token:
        say(f"Anyone who can reach {host} can use this server; --token TOKEN restricts it.")
    with listening(host, port) as listener:  # first, because a port in use should not wait for the gallery
        model = load(opened.path, torch_device(device))
        shown = _gallery(opened.path, model, gallery, data_root) if search else None
        names = ["127.0.0.1", "localhost", host] if local and ":" not in host else None
        app = make_app(model, opened.name, gallery=shown, limits=bounds, token=token, hosts=names)
        at = f"[{host}]" if ":" in host else host
        run_server(app, listener, bounds.seconds, lambda number: started(f"http://{at}:{number}"))


def is_loopback(host: str) -> bool:
    """Whether only programs on this machine can connect.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _gallery(run: Path, model: Model, data: str | None, data_root: str | None) -> ShownGallery | None:
    """The images to search in; a run whose training images are no longer there is served without."""
    try:
        gallery, images = open_gallery(run, model, data, data_root=data_root, progress=bar)
    except RequestError as error:
        if data is not None:
            raise
        say(f"There are no training images to search in ({error}); /search gives predictions alone.")
        return None
    if data is None:
        train_rows = np.flatnonzero(np.array(gallery.splits) == "train")
        images = images.pick(train_rows)
        gallery = replace(
            gallery,
            representations=gallery.representations[train_rows],
            names=images.names,
            labels=images.labels,
            splits=images.splits,
        )
    return ShownGallery(gallery, images.picture)
