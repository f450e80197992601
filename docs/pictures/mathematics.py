"""The plots of docs/mathematics.md: python docs/pictures/mathematics.py (needs `pip install 'supcon[reproduce]'`)."""

from pathlib import Path

import matplotlib
import torch
from matplotlib.axes import Axes
from torch import Tensor

from supcon.data import DataConfig, load_data
from supcon.encoder import make_encoder
from supcon.losses import pair_gradient_weights, supcon_in_loss, supcon_out_loss
from supcon.projection import Projection

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
BLUE, ORANGE, GREY = "#3b6fb6", "#c77f1a", "#6b7785"
STYLE = {
    "font.size": 9,
    "svg.hashsalt": "supcon",
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def rows_at(similarities: list[float]) -> Tensor:
    """An anchor, and rows with these similarities to it that are otherwise orthogonal to each other."""
    rows = torch.zeros(len(similarities) + 1, len(similarities) + 1, dtype=torch.float64)
    rows[0, 0] = 1
    for place, similarity in enumerate(similarities, 1):
        rows[place, 0], rows[place, place] = similarity, (1 - similarity**2) ** 0.5
    return rows


def out_and_in(left: Axes, right: Axes) -> None:
    """An easy positive at 0.9, a second positive that moves, eight negatives at 0."""
    labels, at = torch.tensor([0, 0, 0, *range(1, 9)]), torch.linspace(-0.9, 0.9, 61).tolist()
    batches = [rows_at([0.9, similarity, *[0.0] * 8]) for similarity in at]
    for name, loss, colour in (("L_out", supcon_out_loss, BLUE), ("L_in", supcon_in_loss, ORANGE)):
        values = [float(loss(rows, labels, temperature=0.1, reduction="none")[0]) for rows in batches]
        left.plot(at, values, color=colour, label=f"${name.replace('_', '_{')}}}$")
        summation = "out" if name == "L_out" else "in"
        target = [float(pair_gradient_weights(rows, labels, summation=summation, rows=[0]).x[0, 2]) for rows in batches]
        right.plot(at, target, color=colour)
    left.set(xlabel="similarity of the second positive", ylabel="loss of the anchor")
    right.set(xlabel="similarity of the second positive", ylabel="its target probability $X_{ip}$", ylim=(-0.02, 1))
    left.legend(frameon=False)


def hard_pairs(axes: Axes) -> None:
    """One row of each kind moves; 4 more positives at 0.8 and 32 negatives at 0 stay."""
    at = torch.linspace(-0.99, 0.99, 199).tolist()
    for name, label, colour in (("positive", 0, BLUE), ("negative", 1, ORANGE)):
        labels = torch.tensor([0, label, *[0] * 4, *range(2, 34)])
        batches = [rows_at([similarity, *[0.8] * 4, *[0.0] * 32]) for similarity in at]
        weights = [float(pair_gradient_weights(rows, labels, rows=[0]).weights[0, 1]) for rows in batches]
        axes.plot(at, weights, color=colour, label=name)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.set(xlabel="similarity of the pair", ylabel="its term in the gradient")
    axes.legend(frameon=False)


def similarities(centre: bool) -> Tensor:
    """Cosine similarities of the projections of different digits, before any training."""
    torch.manual_seed(0)
    batch, _ = load_data(DataConfig(spec="digits"), 0).train[torch.arange(512)]
    encoder = make_encoder("small-resnet", channels=1, image_size=8, mean=(0.3,), std=(0.4,), width=32)
    rows = Projection(encoder.width, centre=centre)(encoder(batch)).detach()
    return (rows @ rows.t())[~torch.eye(len(rows), dtype=torch.bool)]


def cone(axes: Axes, plain: Tensor, centred: Tensor) -> None:
    for values, name, colour in ((plain, "as initialised", ORANGE), (centred, "centred", BLUE)):
        axes.hist(values.numpy(), bins=60, range=(-1, 1), density=True, color=colour, alpha=0.75, label=name)
    axes.set(xlabel="similarity of two images, before training", ylabel="density", xlim=(-1, 1))
    axes.legend(frameon=False)


def effective_share(values: Tensor, temperature: float) -> float:
    """The exponential of the entropy of P over the 511 other rows of the batch, as a share of them."""
    log_p = (values.view(512, 511) / temperature).log_softmax(1)
    return float((-(log_p.exp() * log_p).sum(1)).exp().mean()) / 511


def effective_rows(axes: Axes, plain: Tensor, centred: Tensor) -> None:
    temperatures = torch.logspace(-2, 0, 40).tolist()
    for values, colour in ((plain, ORANGE), (centred, BLUE)):
        axes.semilogx(temperatures, [effective_share(values, tau) for tau in temperatures], color=colour)
    axes.axvline(0.1, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(xlabel="temperature", ylabel="effective share of the rows", ylim=(0, 1.02))


def save(name: str) -> None:
    plt.tight_layout()
    plt.savefig(HERE / f"{name}.svg", metadata={"Date": None})
    plt.close()


def main() -> None:
    plt.rcParams.update(STYLE)
    out_and_in(*plt.subplots(1, 2, figsize=(7.2, 2.7))[1])
    save("out-and-in")
    hard_pairs(plt.subplots(figsize=(4.6, 2.8))[1])
    save("hard-pairs")
    plain, centred = similarities(centre=False), similarities(centre=True)
    left, right = plt.subplots(1, 2, figsize=(7.2, 2.7))[1]
    cone(left, plain, centred)
    effective_rows(right, plain, centred)
    save("narrow-cone")
    for name, values in (("as initialised", plain), ("centred", centred)):
        print(
            f"{name}: mean similarity {values.mean():.3f}, effective share {100 * effective_share(values, 0.1):.1f} %"
        )


if __name__ == "__main__":
    main()
