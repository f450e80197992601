"""`supcon views`: a picture of what an augmentation does, to look at before training."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from supcon.base.errors import RequestError
from supcon.cli.parser import CommandParser
from supcon.data import DataConfig
from supcon.recipes import find_recipe
from supcon.views import AugmentationName, ViewsConfig


def run(arguments: Sequence[str]) -> None:
    """Parses twice, as `supcon train` does: the data decides which recipe's views are the defaults."""
    from supcon.jobs import fitting_recipe

    first = _parser(ViewsConfig()).parse(arguments)
    data = DataConfig(spec=first.where, root=first.data_root, download=first.download)
    parser = _parser(find_recipe(fitting_recipe(data)).views)
    parsed = parser.parse(arguments)
    if parsed.images < 1 or parsed.count < 1:
        raise RequestError(f"--images and --count must be at least 1, got {parsed.images} and {parsed.count}.")
    try:
        config = parser.instantiate(parsed).views
        config = replace(config, augmentation=parsed.augmentation or config.augmentation)
    except ValueError as error:
        raise RequestError(str(error)) from error
    _draw(config, data, Path(parsed.out), parsed.images, parsed.count, parsed.sweep, parsed.seed)


def _parser(views: ViewsConfig) -> CommandParser:
    about = "Draws images with several views each, and what was done to every view."
    parser = CommandParser("views", about, "[DATA] [--augmentation NAME] [--sweep] [--out F.png] ...")
    parser.add_argument("where", nargs="?", default="digits", metavar="DATA", help="A data set's name, a folder, ...")
    parser.add_argument("--augmentation", type=AugmentationName | None, help="Short for --views.augmentation.")
    parser.add_argument("--out", type=str, default="views.png", help="The picture.")
    parser.add_argument("--images", type=int, default=6, help="How many images.")
    parser.add_argument("--count", type=int, default=6, help="How many views of each.")
    parser.add_argument("--sweep", action="store_true", help="Rows along which only the magnitude grows.")
    parser.add_argument("--seed", type=int, default=0, help="Decides images and views.")
    parser.add_argument("--data-root", type=str | None, help="Where named data sets are.")
    parser.add_argument("--download", action="store_true", help="Fetch a named data set that is not there.")
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
        picture = draw_sweep(pixels, config, size, generator=generator)
    else:
        picture = draw_views(pixels, config, size, count=count, generator=generator)
    if out.suffix.lower() != ".png":
        raise RequestError(f"--out must end in .png, got {str(out)!r}.")
    out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, lambda file: picture.save(file, "PNG"))
    print(f"{config.augmentation}: {out}")
