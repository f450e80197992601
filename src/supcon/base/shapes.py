"""Types of the tensors in the package, by the paper's names.

`Float[Tensor, "batch view dim"]` is a floating-point tensor with these three axes. Within one call the same axis name
must have the same length. The tests check this at run time; otherwise the annotations have no cost.
"""

from jaxtyping import Float, Int, UInt8
from torch import Tensor

Images = UInt8[Tensor, "batch channel height width"]
"""Stored images, as decoded."""

Views = UInt8[Tensor, "batch view channel height width"]
"""A multiviewed batch: `view` random augmentations of every image."""

Inputs = Float[Tensor, "batch channel height width"]
"""Normalised images, the input of an encoder."""

Representations = Float[Tensor, "batch representation"]
"""Outputs of the encoder, of dimension D_E."""

Projections = Float[Tensor, "batch view projection"]
"""Outputs of the projection head, of dimension D_P."""

Labels = Int[Tensor, "batch"]
"""Class indices; -1 means unlabelled."""

MultiLabels = Int[Tensor, "batch class"]
"""Several labels per image: 1 if a class is present, 0 if it is absent, -1 if it is not scored."""

Logits = Float[Tensor, "batch class"]
"""Unnormalised log-probabilities of a linear classifier."""
