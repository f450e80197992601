from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor, nn

from supcon.losses import SupConLoss
from supcon.stages.optimization.optimizer_and_schedule import Optimization
from supcon.stages.pretrain import Pretrain
from supcon.stages.trainer.randomness import view_generator
from supcon.views import ViewMaker, ViewsConfig, make_view_maker, mixed_pair_weights, mixup


class Spy(nn.Module):
    """A loss that keeps what it was given."""

    def forward(self, projections: Tensor, labels: Tensor | None, **options: Any) -> Tensor:
        self.projections, self.labels, self.options = projections, labels, options
        return projections.sum()


def view_maker(count: int = 2) -> ViewMaker:
    return make_view_maker(ViewsConfig(count=count, crop_area=(0.5, 1.0)), 8, 1, (8, 8), "cpu")


def stage(parts: Any, loss: nn.Module, views: int = 2, **options: Any) -> Any:
    module: Any = Pretrain(parts[0], parts[1], loss, view_maker(views), Mock(spec=Optimization), **options)
    module.log_dict = Mock()
    return module


def batch(images: int = 6) -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(0, 200, (images, 1, 8, 8), generator=generator).to(torch.uint8), torch.arange(images) % 3]


def test_the_loss_is_that_of_the_projections_of_two_views(make_parts: Callable[..., Any]) -> None:
    encoder, projection, _ = parts = make_parts(0)
    images, labels = batch()
    views = view_maker()(images, view_generator(4, "stage1", 0))
    rows = projection(encoder(views.flatten(0, 1)))
    expected = SupConLoss(0.2)(rows.view(6, 2, -1), labels)
    module = stage(parts, SupConLoss(0.2), seed=4)
    found = module.training_step([images, labels], 0)
    assert torch.allclose(found, expected, rtol=1e-5)
    assert module.log_dict.call_args.args == ({"train/loss": found},)
    assert module.log_dict.call_args.kwargs["batch_size"] == 6


@pytest.mark.parametrize("count", [1, 2, 3])
def test_views_of_an_image_stay_together(make_parts: Callable[..., Any], count: int) -> None:
    parts, spy = make_parts(0), Spy()
    images, labels = batch()
    stage(parts, spy, count).eval().training_step([images, labels], 0)
    assert spy.projections.shape == (6, count, 8)
    views = view_maker(count)(images, view_generator(0, "stage1", 0))
    for view in range(count):
        expected = parts[1](parts[0](views[:, view]))
        assert torch.allclose(spy.projections[:, view], expected, atol=1e-5)
    assert torch.allclose(spy.projections.norm(dim=2), torch.ones(6, count), atol=1e-5)


@pytest.mark.parametrize("labelled", [True, False])
def test_labels_are_left_out_when_asked(make_parts: Callable[..., Any], labelled: bool) -> None:
    spy = Spy()
    images, labels = batch()
    stage(make_parts(0), spy, labelled=labelled).training_step([images, labels], 0)
    assert spy.labels is labels if labelled else spy.labels is None
    assert spy.options["pair_weights"] is None


@pytest.mark.parametrize("labelled", [True, False])
def test_mixed_rows_have_soft_positives_instead_of_labels(make_parts: Callable[..., Any], labelled: bool) -> None:
    parts, spy = make_parts(0), Spy()
    images, labels = batch()
    module = stage(parts, spy, labelled=labelled, mix=mixup)
    module.eval().training_step([images, labels], 0)
    generator = view_generator(0, "stage1", 0)
    mixed = mixup(view_maker()(images, generator).flatten(0, 1), generator=generator)
    expected = mixed_pair_weights(labels if labelled else None, mixed, 2)
    assert spy.labels is None
    assert torch.allclose(spy.options["pair_weights"], expected)
    assert torch.allclose(spy.projections.flatten(0, 1), parts[1](parts[0](mixed.images)), atol=1e-5)


def test_encoder_and_projection_are_trained_over_all_steps(make_parts: Callable[..., Any]) -> None:
    parts = make_parts(0)
    module = stage(parts, Spy())
    module._trainer = Mock(estimated_stepping_batches=12)
    module.configure_optimizers()
    module.optimization.configure.assert_called_once_with([parts[0], parts[1]], 12)


def test_views_change_with_the_step_and_belong_to_the_image(make_parts: Callable[..., Any]) -> None:
    spy = Spy()
    module = stage(make_parts(0), spy).eval()
    images, labels = batch()

    def seen(step: int, rank: int, own: slice, processes: int) -> Tensor:
        module._trainer = Mock(global_step=step, global_rank=rank, world_size=processes)
        module.training_step([images[own], labels[own]], 0)
        return spy.projections

    whole = seen(0, 0, slice(6), 1)
    assert torch.equal(whole, seen(0, 0, slice(6), 1))
    assert not torch.equal(whole, seen(1, 0, slice(6), 1))
    parts = [seen(0, rank, slice(2 * rank, 2 * rank + 2), 3) for rank in range(3)]
    assert torch.allclose(whole, torch.cat(parts), atol=1e-6)
