"""Table 4 of the paper: results of ImageNet encoders on twelve data sets after fine-tuning. Imports no torch."""

from typing import Final

ROWS: Final = ("SupCon-50", "Xent-50", "SimCLR-50", "SupCon-200", "Xent-200")
"""Loss and depth of the ResNet, pretrained on ImageNet."""

TABLE_4: Final[dict[str, tuple[float, float, float, float, float]]] = {
    "food101": (87.23, 87.38, 88.20, 88.62, 89.36),
    "cifar10": (97.42, 96.50, 97.70, 98.28, 97.96),
    "cifar100": (84.27, 84.93, 85.90, 87.28, 86.49),
    "birdsnap": (75.15, 74.70, 75.90, 76.26, 76.50),
    "sun397": (58.04, 63.15, 63.50, 60.46, 64.36),
    "stanford-cars": (91.69, 89.57, 91.30, 91.78, 90.01),
    "fgvc-aircraft": (84.09, 80.80, 88.10, 88.68, 84.22),
    "voc2007": (85.17, 85.36, 84.10, 85.18, 86.27),
    "dtd": (74.60, 76.86, 73.20, 74.26, 76.76),
    "oxford-pets": (93.47, 92.35, 89.20, 93.12, 93.48),
    "caltech101": (91.04, 92.34, 92.10, 94.91, 93.84),
    "oxford-flowers": (96.00, 96.93, 97.00, 96.97, 97.20),
}
"""In percent, by data set; the columns are `ROWS`."""

PRINTED_MEANS: Final = (84.27, 84.67, 84.81, 85.67, 85.77)
"""The means over the twelve sets printed in the paper. They are not the means of its values (84.85, 85.07, 85.52,
86.32, 86.37), which is what ours are compared with; these are only mentioned."""
