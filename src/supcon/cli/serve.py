"""`supcon serve`: the model of a run behind HTTP, with a page to try it on."""

import os
from collections.abc import Sequence

from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.data import check_present

_ABOUT = """Serves the model of a finished run over HTTP: a page on which images are dropped, and /predict, /embed,
/search and /health. It listens on this machine only unless --host says otherwise, and ends on Ctrl-C or SIGTERM after
everything that was accepted is answered."""

_FIRST = ("--host", "--port", "--token", "--gallery")


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    if parsed.gallery is not None:
        check_present(parsed.gallery, parsed.data_root)
    token = parsed.token or os.environ.get("SUPCON_TOKEN")
    with waiting("starting"):
        try:
            from supcon.jobs import serve
            from supcon.serving import ServeLimits
        except ModuleNotFoundError as error:
            raise RequestError(
                f"supcon serve needs packages that are not installed ({error.name}); install them with `pip install "
                "'supcon[serve]'`."
            ) from error
    limits = ServeLimits(
        upload_megabytes=parsed.upload_megabytes,
        megapixels=parsed.megapixels,
        images=parsed.images,
        queue=parsed.queue,
        seconds=parsed.seconds,
        batch=parsed.batch,
    )
    serve(
        parsed.run,
        host=parsed.host,
        port=parsed.port,
        gallery=parsed.gallery,
        search=not parsed.no_search,
        token=token,
        limits=limits,
        device=parsed.device,
        data_root=parsed.data_root,
        started=lambda address: print(f"serving {parsed.run} at {address}", flush=True),
    )
    print("stopped; every request that was accepted has been answered")


def _parser() -> CommandParser:
    parser = CommandParser("serve", _ABOUT, "RUN [options]", examples=["runs/photos-supcon"], first=_FIRST)
    parser.add_run()
    parser.add_argument(
        "--host", type=str, default="127.0.0.1", metavar="ADDRESS", help="Address to listen on; 0.0.0.0 for all."
    )
    parser.add_argument("--port", type=int, default=8000, help="Port to listen on; 0 for any free one.")
    parser.add_argument(
        "--gallery",
        type=str | None,
        metavar="DATA",
        help="DATA whose images /search looks in; default: the run's training images.",
    )
    parser.add_argument("--no-search", action="store_true", help="Serve without images to search in.")
    parser.add_argument(
        "--token",
        type=str | None,
        help="Require this token, as `Authorization: Bearer TOKEN`; default: the environment variable SUPCON_TOKEN.",
    )
    parser.add_argument("--upload-megabytes", type=float, default=32.0, help="Largest request.")
    parser.add_argument("--megapixels", type=float, default=50.0, help="Largest image.")
    parser.add_argument("--images", type=int, default=64, help="Most images in a request.")
    parser.add_argument("--queue", type=int, default=512, help="Most images that wait for the model.")
    parser.add_argument("--seconds", type=float, default=30.0, help="Longest time of a request.")
    parser.add_argument("--batch", type=int, default=64, help="Most images that the model gets at once.")
    parser.add_data_root()
    parser.add_device()
    return parser
