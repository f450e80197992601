"""Which loss a method minimises, and what it is worth when everything has collapsed."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import normalize

from references.batches import make_batch
from supcon.base.errors import RequestError
from supcon.losses import (
    LossConfig,
    MemoryQueue,
    SupConLoss,
    n_pairs_loss,
    supcon_in_loss,
    supcon_out_loss,
    triplet_loss,
)
from supcon.recipes import find_recipe
from supcon.stages.contrastive_loss import collapsed_loss, make_contrastive_loss

BATCH = make_batch([0, 0, 1, 1, 2, 2], views=2)
FUNCTIONS: dict[Any, Any] = {
    "supcon-out": supcon_out_loss,
    "supcon-in": supcon_in_loss,
    "n-pairs": n_pairs_loss,
    "triplet": triplet_loss,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(("rescale", "factor"), [("none", 1.0), ("temperature", 0.2), (0.07, 0.2 / 0.07)])
def test_a_name_gives_its_function_at_the_recipes_temperature(name: Any, rescale: Any, factor: float) -> None:
    draws = [torch.Generator().manual_seed(3) for _ in range(2)]
    contrast = make_contrastive_loss(name, LossConfig(temperature=0.2, rescale=rescale))
    found = contrast(BATCH.projections, BATCH.labels, generator=draws[0])
    expected = FUNCTIONS[name](BATCH.projections, BATCH.labels, temperature=0.2, generator=draws[1])
    assert found.item() == pytest.approx(factor * expected.item(), rel=1e-9)


def test_the_options_of_the_family_reach_the_loss() -> None:
    config = LossConfig(temperature=0.2, denominator="negatives", max_positives=1, rescale="none")
    expected = SupConLoss(0.2, denominator="negatives", max_positives=1)(BATCH.projections, BATCH.labels)
    assert torch.equal(make_contrastive_loss("supcon-out", config)(BATCH.projections, BATCH.labels), expected)


def test_a_recipe_can_look_from_first_views_alone() -> None:
    losses = [
        make_contrastive_loss("supcon-out", LossConfig(anchors=anchors, rescale="none"))(
            BATCH.projections, BATCH.labels
        )
        for anchors in ("all", "first_view")
    ]
    expected = SupConLoss(0.1, anchors="first_view")(BATCH.projections, BATCH.labels)
    assert torch.equal(losses[1], expected)
    assert not torch.allclose(losses[0], losses[1])
    with pytest.raises(RequestError, match=r"n-pairs does not support loss.anchors, got first_view"):
        replace(find_recipe("digits", "n-pairs"), loss=LossConfig(anchors="first_view"))


@pytest.mark.parametrize("name", ["n-pairs", "triplet"])
def test_drawn_pairs_refuse_what_they_have_no_meaning_for(name: Any) -> None:
    contrast = make_contrastive_loss(name, LossConfig())
    for labels, options in (
        (None, {}),
        (BATCH.labels, {"pair_weights": torch.eye(12)}),
        (BATCH.labels, {"queue": MemoryQueue(4, 5)}),
    ):
        with pytest.raises(ValueError, match="needs labels and takes neither pair_weights nor a queue"):
            contrast(BATCH.projections, labels, **options)


# The value of a collapsed loss


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.integers(1, 4), st.floats(0.01, 10), st.sampled_from([0, 5, 64]))
def test_collapsed_embeddings_give_log_of_the_other_rows(batch: int, views: int, temperature: float, size: int) -> None:
    expected = math.log(batch * views - 1 + size)
    for rescale, factor in (("none", 1.0), ("temperature", temperature), (0.07, temperature / 0.07)):
        config = LossConfig(temperature=temperature, rescale=rescale, queue_size=size)  # type: ignore[arg-type]
        for name in ("supcon-out", "supcon-in"):
            found = collapsed_loss(name, config, torch.arange(batch) // 2, views)
            assert found == pytest.approx(factor * expected, rel=1e-5, abs=1e-6 * factor)


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 12), st.integers(2, 3), st.integers(0, 1000), st.sampled_from(list(FUNCTIONS)))
def test_labels_do_not_change_the_collapsed_value(batch: int, views: int, seed: int, name: Any) -> None:
    generator = torch.Generator().manual_seed(seed)
    labels = torch.cat([torch.tensor([0, 0, 1, 1]), torch.randint(0, 3, (batch - 4,), generator=generator)])
    embeddings = normalize(torch.ones(batch, views, 5), dim=2)
    config = LossConfig(rescale="temperature")
    found = make_contrastive_loss(name, config)(embeddings, labels, generator=generator).item()
    assert found == pytest.approx(collapsed_loss(name, config, labels, views), rel=1e-4)


@pytest.mark.parametrize(
    ("options", "others"),
    [
        ({"denominator": "negatives"}, 90),
        ({"denominator": "one_positive"}, 91),
        ({"max_positives": 1}, 91),
        ({"anchors": "first_view"}, 99),
        ({"denominator": "negatives", "queue_size": 50}, 135),
    ],
)
@pytest.mark.filterwarnings("error")
def test_with_one_view_the_collapsed_value_is_that_of_a_batch_of_many_classes(
    options: dict[str, Any], others: int
) -> None:
    config = LossConfig(rescale="none", **options)
    assert collapsed_loss("supcon-out", config, torch.arange(100) % 10, 1) == pytest.approx(math.log(others), rel=1e-5)


@pytest.mark.filterwarnings("error")
def test_the_collapsed_value_of_other_labels() -> None:
    config = LossConfig(rescale="none")
    several = torch.eye(6)[torch.arange(12) // 2]
    assert collapsed_loss("supcon-out", config, several, 2) == pytest.approx(math.log(23), rel=1e-5)
    assert collapsed_loss("supcon-out", config, torch.full((12,), -1), 2) == pytest.approx(math.log(23), rel=1e-5)
    assert collapsed_loss("supcon-out", config, torch.arange(12), 1) == 0
    state = torch.get_rng_state()
    collapsed_loss("supcon-out", LossConfig(max_positives=1), torch.arange(12) // 2, 2)
    assert torch.equal(torch.get_rng_state(), state)
