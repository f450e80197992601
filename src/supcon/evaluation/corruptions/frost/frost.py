"""Frost corruption, and the choice of its ice texture."""

from typing import Literal

from supcon.base.errors import RequestError
from supcon.evaluation.corruptions.draws import Draws
from supcon.evaluation.corruptions.frost.ice_photographs import photographed_ice, photographs_folder, photographs_name
from supcon.evaluation.corruptions.frost.own_ice import own_ice
from supcon.evaluation.corruptions.levels import Levels
from supcon.evaluation.corruptions.parameters import FrostTexture


def frost(images: Levels, parameters: tuple[float, float], draws: Draws, texture: FrostTexture = "own") -> Levels:
    """Adds a random piece of ice: of the photographs of the published sets, or of supcon's own texture.

    Both use the published weights. Results with the own texture are not comparable with published ones.
    """
    of_image, of_ice = parameters
    ice = photographed_ice(images, draws) if texture == "photographs" else own_ice(images, draws)
    return of_image * images + of_ice * ice


def frost_texture(wanted: FrostTexture | Literal["auto"] = "auto") -> FrostTexture:
    """The chosen texture; `auto` is the photographs if they are installed."""
    if wanted == "own":
        return "own"
    there = photographs_folder() is not None
    if wanted == "photographs" and not there:
        raise RequestError(
            "The photographs of ice come with the package imagecorruptions, which is not installed; run pip install "
            "'supcon[frost]', or choose the texture own."
        )
    return "photographs" if there else "own"


def frost_name(texture: FrostTexture) -> str:
    """Description of a texture in results."""
    return photographs_name() if texture == "photographs" else "a texture of supcon's own"
