"""Frost: ice over the image, and which ice it is."""

from typing import Literal

from supcon.base.errors import RequestError
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.frost.ice_photographs import photographed_ice, photographs_folder, photographs_name
from supcon.evaluation.corruptions.frost.own_ice import own_ice
from supcon.evaluation.corruptions.levels import Levels
from supcon.evaluation.corruptions.parameters import FrostTexture


def frost(images: Levels, parameters: tuple[float, float], draws: Draws, texture: FrostTexture = "own") -> Levels:
    """Ice over the image, a random piece: of the photographs of the published sets, or of a texture of our own.

    The weights are the published ones with both. Figures with our own texture are not comparable with published ones.
    """
    of_image, of_ice = parameters
    ice = photographed_ice(images, draws) if texture == "photographs" else own_ice(images, draws)
    return of_image * images + of_ice * ice


def frost_texture(wanted: FrostTexture | Literal["auto"] = "auto") -> FrostTexture:
    """The texture that is asked for; `auto` takes the photographs where they are installed."""
    if wanted == "own":
        return "own"
    there = photographs_folder() is not None
    if wanted == "photographs" and not there:
        raise RequestError(
            "The photographs of ice come with the package imagecorruptions, which is not installed; give pip install "
            "supcon[frost], or choose the texture own."
        )
    return "photographs" if there else "own"


def frost_name(texture: FrostTexture) -> str:
    """What results say of a texture."""
    return photographs_name() if texture == "photographs" else "a texture of supcon's own"
