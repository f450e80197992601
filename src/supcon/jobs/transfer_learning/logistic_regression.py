"""The linear protocol (Chen et al., 2020, B.8): regularised logistic regression on the frozen representations."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from supcon.jobs.transfer_learning.task_metrics import classification_loss

_ITERATIONS = 500


def fit_linear(
    representations: Float[Tensor, "image dim"],
    targets: Tensor,
    classes: int,
    penalty: float,
    start: nn.Linear | None = None,
) -> nn.Linear:
    """Minimises the summed cross-entropy + penalty / 2 x |weights|² by L-BFGS; the bias is not regularised.

    `start` is the initial value, such as the solution for a similar penalty.
    """
    rows = representations.double()
    layer = nn.Linear(rows.shape[1], classes, dtype=torch.float64, device=rows.device)
    if start is None:
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
    else:
        layer.load_state_dict(start.state_dict())
    optimizer = torch.optim.LBFGS(
        layer.parameters(),
        max_iter=_ITERATIONS,
        tolerance_grad=1e-7,
        tolerance_change=1e-10,
        line_search_fn="strong_wolfe",
    )

    def objective() -> Tensor:
        optimizer.zero_grad()
        # Divided by the number of images: the same minimum, with gradients of a scale that the tolerances suit.
        loss = classification_loss(layer(rows), targets) + penalty / 2 * layer.weight.square().sum() / len(rows)
        loss.backward()
        return loss

    with torch.enable_grad():
        optimizer.step(objective)
    return layer.requires_grad_(False)
