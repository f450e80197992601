"""The shapes that flow through the package, by the paper's names.

Read `Float[Tensor, "batch view dim"]` as: a floating-point tensor with those three axes. Within one call the same
axis name must mean the same length; the tests check that at run time, users pay nothing for it.
"""

from jaxtyping import Float, Int, UInt8
from torch import Tensor

Images = UInt8[Tensor, "batch channel height width"]
"""Stored images, as decoded."""

Views = UInt8[Tensor, "batch view channel height width"]
"""A multiviewed batch: `view` random augmentations of every image."""

Inputs = Float[Tensor, "batch channel height width"]
"""Normalised images, as an encoder takes them."""

Representations = Float[Tensor, "batch representation"]
"""What the encoder gives, D_E wide."""

Projections = Float[Tensor, "batch view projection"]
"""What the projection head gives, D_P wide."""

Labels = Int[Tensor, "batch"]
"""Class indices; -1 means unlabelled."""

MultiLabels = Int[Tensor, "batch class"]
"""Several labels an image: 1 where a class is there, 0 where it is not, -1 where it is not to be judged."""

Logits = Float[Tensor, "batch class"]
"""Unnormalised log-probabilities of a linear classifier."""
