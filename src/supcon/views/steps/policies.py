"""AutoAugment's policies: sub-policies of two operations, each with its probability and level."""

from supcon.views.config import PolicyName
from supcon.views.kernels.operations import NAMES, Operation, OperationName, authors_operation, torchvision_operation

SubPolicy = tuple[tuple[Operation, float], ...]
"""Operations one after the other, each with its probability."""

_IMAGENET_V0 = """
equalize .8 1, shear-y .8 4; colour .4 9, equalize .6 3; colour .4 1, rotate .6 8; solarize .8 3, equalize .4 7;
solarize .4 2, solarize .6 2; colour .2 0, equalize .8 8; equalize .4 8, solarize-add .8 3; shear-x .2 9, rotate .6 8;
colour .6 1, equalize 1 2; invert .4 9, rotate .6 0; equalize 1 9, shear-y .6 3; colour .4 7, equalize .6 0;
posterize .4 6, autocontrast .4 7; solarize .6 8, colour .6 9; solarize .2 4, rotate .8 9; rotate 1 7, translate-y .8 9;
shear-x 0 0, solarize .8 4; shear-y .8 0, colour .6 4; colour 1 0, rotate .6 2; equalize .8 4, equalize 0 8;
equalize 1 4, autocontrast .6 2; shear-y .4 7, solarize-add .6 7; posterize .8 2, solarize .6 10;
solarize .6 8, equalize .6 1; colour .8 6, rotate .4 5
"""
"""Policy v0 of the TF models, which the authors used; levels are 0 to 10."""

_TORCHVISION: dict[PolicyName, str] = {
    "imagenet": """
posterize .4 8, rotate .6 9; solarize .6 5, autocontrast .6 0; equalize .8 0, equalize .6 0;
posterize .6 7, posterize .6 6; equalize .4 0, solarize .2 4; equalize .4 0, rotate .8 8; solarize .6 3, equalize .6 0;
posterize .8 5, equalize 1 0; rotate .2 3, solarize .6 8; equalize .6 0, posterize .4 6; rotate .8 8, colour .4 0;
rotate .4 9, equalize .6 0; equalize 0 0, equalize .8 0; invert .6 0, equalize 1 0; colour .6 4, contrast 1 8;
rotate .8 8, colour 1 2; colour .8 8, solarize .8 7; sharpness .4 7, invert .6 0; shear-x .6 5, equalize 1 0;
colour .4 0, equalize .6 0; equalize .4 0, solarize .2 4; solarize .6 5, autocontrast .6 0; invert .6 0, equalize 1 0;
colour .6 4, contrast 1 8; equalize .8 0, equalize .6 0
""",
    "cifar10": """
invert .1 0, contrast .2 6; rotate .7 2, translate-x .3 9; sharpness .8 1, sharpness .9 3;
shear-y .5 8, translate-y .7 9; autocontrast .5 0, equalize .9 0; shear-y .2 7, posterize .3 7;
colour .4 3, brightness .6 7; sharpness .3 9, brightness .7 9; equalize .6 0, equalize .5 0;
contrast .6 7, sharpness .6 5; colour .7 7, translate-x .5 8; equalize .3 0, autocontrast .4 0;
translate-y .4 3, sharpness .2 6; brightness .9 6, colour .2 8; solarize .5 2, invert 0 0;
equalize .2 0, autocontrast .6 0; equalize .2 0, equalize .6 0; colour .9 9, equalize .6 0;
autocontrast .8 0, solarize .2 8; brightness .1 3, colour .7 0; solarize .4 5, autocontrast .9 0;
translate-y .9 9, translate-y .7 9; autocontrast .9 0, solarize .8 3; equalize .8 0, invert .1 0;
translate-y .7 9, autocontrast .9 0
""",
    "svhn": """
shear-x .9 4, invert .2 0; shear-y .9 8, invert .7 0; equalize .6 0, solarize .6 6; invert .9 0, equalize .6 0;
equalize .6 0, rotate .9 3; shear-x .9 4, autocontrast .8 0; shear-y .9 8, invert .4 0; shear-y .9 5, solarize .2 6;
invert .9 0, autocontrast .8 0; equalize .6 0, rotate .9 3; shear-x .9 4, solarize .3 3; shear-y .8 8, invert .7 0;
equalize .9 0, translate-y .6 6; invert .9 0, equalize .6 0; contrast .3 3, rotate .8 4; invert .8 0, translate-y 0 2;
shear-y .7 6, solarize .4 8; invert .6 0, rotate .8 4; shear-y .3 7, translate-x .9 3; shear-x .1 6, invert .6 0;
solarize .7 2, translate-y .6 7; shear-y .8 4, invert .8 0; shear-x .7 9, translate-y .8 3;
shear-y .8 5, autocontrast .7 0; shear-x .7 2, invert .1 0
""",
}
"""The policies of the AutoAugment paper as in torchvision; levels are 0 to 9."""

_V0_TRANSLATION = 250 / 224
"""The TF models translate by up to 250 of 224 pixels, so translate-y at level 9 of v0 shows only mirrored pixels."""


def read_policy(name: PolicyName) -> list[SubPolicy]:
    """The sub-policies of a policy."""
    if name == "imagenet-v0":
        return [
            tuple((authors_operation(op, level, _V0_TRANSLATION), probability) for op, probability, level in row)
            for row in _rows(_IMAGENET_V0)
        ]
    return [
        tuple((torchvision_operation(op, level / 9), probability) for op, probability, level in row)
        for row in _rows(_TORCHVISION[name])
    ]


def _rows(text: str) -> list[list[tuple[OperationName, float, float]]]:
    numbers = {str(name): name for name in NAMES}
    rows = [[entry.split() for entry in row.split(",")] for row in text.split(";")]
    return [[(numbers[name], float(probability), float(level)) for name, probability, level in row] for row in rows]
