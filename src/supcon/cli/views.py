"""`supcon views`: draws the views that an augmentation makes, to check it before training."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.base.progress import waiting
from supcon.cli.parser import CommandParser
from supcon.data import DataConfig
from supcon.recipes import find_recipe
from supcon.views import AugmentationName, ViewsConfig, check_sheet


def run(arguments: Sequence[str]) -> None:
    """Parses twice, like `supcon train`: the data selects the recipe whose views are the defaults."""
    first = _parser(ViewsConfig()).parse(arguments)
    if Path(first.out).suffix.lower() != ".png":
        raise RequestError(f"--out must end in .png, got {first.out!r}.")
    with waiting("starting"):
        from supcon.jobs import fitting_recipe

    data = DataConfig(spec=first.where, root=first.data_root, download=first.download)
    parser = _parser(find_recipe(fitting_recipe(data)).views)
    parsed = parser.parse(arguments)
    if parsed.images < 1 or parsed.count < 1:
        raise RequestError(f"--images and --count must be at least 1, got {parsed.images} and {parsed.count}.")
    check_sheet(parsed.images, parsed.count)
    try:
        config = parser.instantiate(parsed).views
        config = replace(config, augmentation=parsed.augmentation or config.augmentation)
    except ValueError as error:
        raise RequestError(str(error)) from error
    _draw(config, data, Path(parsed.out), parsed.images, parsed.count, parsed.sweep, parsed.seed)


def _parser(views: ViewsConfig) -> CommandParser:
    about = "Draws images with several views of each, labelled with the operations applied to the view."
    examples = ["photos/ --augmentation rand-augment"]
    first = ("--augmentation", "--sweep", "--out", "--images", "--count")
    parser = CommandParser("views", about, "[DATA] [options]", examples=examples, first=first)
    parser.add_argument("where", nargs="?", default="digits", metavar="DATA", help="A data set's name, a folder, ...")
    parser.add_argument(
        "--augmentation", type=AugmentationName | None, help="The augmentation; default: that of the recipe for DATA."
    )
    parser.add_argument("--out", type=str, default="views.png", metavar="F.png", help="The PNG file to write.")
    parser.add_argument("--images", type=int, default=6, help="Number of images.")
    parser.add_argument("--count", type=int, default=6, help="Number of views of each image.")
    parser.add_argument("--sweep", action="store_true", help="Rows in which only the magnitude increases.")
    parser.add_argument("--seed", type=int, default=0, help="Seed of the images and views.")
    parser.add_data_root()
    parser.add_download()
    parser.add_class_arguments(ViewsConfig, "views")
    parser.set_defaults({f"views.{name}": value for name, value in asdict(views).items()})
    return parser


def _draw(config: ViewsConfig, data: DataConfig, out: Path, images: int, count: int, sweep: bool, seed: int) -> None:
    import torch

    from supcon.base.atomic_files import write_file
    from supcon.data import sample_images
    from supcon.views import draw_sweep, draw_views

    pixels, size = sample_images(data, images, seed)
    generator = torch.Generator().manual_seed(seed)
    if sweep:
        sheet = draw_sweep(pixels, config, size, generator=generator)
    else:
        sheet = draw_views(pixels, config, size, count=count, generator=generator)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, lambda file: sheet.save(file, "PNG"))
    print(f"{config.augmentation}: {out}")
