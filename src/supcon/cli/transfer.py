"""`supcon transfer`: transfers a run's encoder to other data sets, by the paper's protocol."""

from collections.abc import Sequence
from typing import Literal

from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.jobs import Grid, Protocol, TransferConfig, check_transfer

_ABOUT = """Fine-tunes a run's encoder on other data sets by the protocol of SimCLR, which the paper follows: learning
rate and weight decay are chosen on validation images; the chosen ones are used to train on training and validation
images, and that network is tested once."""


def run(arguments: Sequence[str]) -> None:
    parsed = _parser().parse_for_run(arguments)
    config = TransferConfig(
        steps=parsed.steps,
        batch_size=parsed.batch_size,
        micro_batch=parsed.micro_batch,
        image_size=parsed.image_size,
        grid=parsed.grid,
        crop_area=(parsed.smallest_crop, 1.0),
        flip_probability=parsed.flip_probability,
    )
    check_transfer(parsed.data, parsed.seed, parsed.data_root, download=parsed.download)
    with waiting("starting"):
        from supcon.cli.printing.print_transfer import print_transfer
        from supcon.jobs import transfer

    protocols: list[Protocol] = ["fine-tune", "linear"] if parsed.protocol == "both" else [parsed.protocol]
    print_transfer(
        transfer(
            parsed.run,
            parsed.data,
            protocols=protocols,
            config=config,
            seed=parsed.seed,
            device=parsed.device,
            data_root=parsed.data_root,
            download=parsed.download,
        )
    )


def _parser() -> CommandParser:
    examples = [
        "runs/photos-supcon pets/ --protocol linear  # minutes on a CPU",
        "runs/digits-supcon pets/ --grid small --steps 200",
    ]
    first = ("--protocol", "--steps", "--grid")
    parser = CommandParser("transfer", _ABOUT, "RUN DATA... [options]", examples=examples, first=first)
    parser.add_run()
    parser.add_argument("data", nargs="+", metavar="DATA", help="Names of data sets or folders of images.")
    parser.add_argument(
        "--protocol",
        type=Literal["fine-tune", "linear", "both"],
        default="fine-tune",
        help="`fine-tune` the whole network, fit a `linear` classifier (logistic regression) to the frozen "
        "representations, or `both`.",
    )
    defaults = TransferConfig()
    parser.add_argument("--steps", type=int, default=defaults.steps, help="Steps of each fine-tuning.")
    parser.add_argument("--batch-size", type=int, default=defaults.batch_size, help="Images per step.")
    parser.add_argument(
        "--micro-batch",
        type=int | None,
        help="Images that go through the network at once in fine-tuning; default: as many as fit into memory. Batch "
        "norm uses the statistics of each micro-batch.",
    )
    parser.add_argument("--image-size", type=int | None, help="Pixels of the input's side; default: those of the run.")
    parser.add_argument(
        "--grid",
        type=Grid,
        default=defaults.grid,
        help="Candidates to choose from: `paper` has 56 (linear: 45), `small` has 3 (linear: 7).",
    )
    parser.add_argument(
        "--smallest-crop", type=float, default=defaults.crop_area[0], help="Smallest share of an image in a crop."
    )
    parser.add_argument(
        "--flip-probability",
        type=float,
        default=defaults.flip_probability,
        help="Probability of a horizontal flip; use 0 if mirroring changes the class.",
    )
    parser.add_argument("--seed", type=int, default=0, help="Seed of training and of missing splits.")
    parser.add_data_root()
    parser.add_download()
    parser.add_device()
    return parser
