"""`supcon push`: publishes the model of a run on the Hugging Face hub."""

from collections.abc import Sequence

from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser

_ABOUT = """Publishes the model of a finished run on the Hugging Face hub, with a model card made of the report's
figures. The account is that of `hf auth login` or of the environment variable HF_TOKEN."""


def run(arguments: Sequence[str]) -> None:
    parser = CommandParser(
        "push", _ABOUT, "RUN [OWNER/NAME] [options]", examples=["runs/photos-supcon someone/birds --private"]
    )
    parser.add_run()
    parser.add_argument("name", nargs="?", metavar="OWNER/NAME", help="The name on the hub; it is created if missing.")
    parser.add_argument(
        "--folder", type=str | None, metavar="FOLDER", help="Write what would be uploaded to this folder instead."
    )
    parser.add_argument("--private", action="store_true", help="Create the repository as a private one.")
    parser.add_argument("--license", type=str | None, help="License for the model card, such as apache-2.0.")
    parsed = parser.parse_for_run(arguments)
    with waiting("starting"):
        from supcon.jobs import push

    with waiting("pushing"):
        place = push(
            parsed.run, parsed.name, folder=parsed.folder, private=parsed.private or None, license=parsed.license
        )
    print(f"pushed: {place}" if parsed.folder is None else f"folder: {place}")
