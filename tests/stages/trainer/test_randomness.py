from itertools import product
from unittest.mock import Mock

import torch
from lightning import LightningModule

from supcon.stages.trainer.randomness import mixing_generator, view_generator


def draw(*key: object) -> list[float]:
    return torch.rand(4, generator=view_generator(*key)).tolist()  # type: ignore[arg-type]


def test_the_same_step_draws_the_same_numbers() -> None:
    first = draw(3, "stage1", 7)
    torch.manual_seed(99)
    assert draw(3, "stage1", 7) == first


def test_every_seed_stage_and_step_draws_its_own() -> None:
    keys = list(product((0, 1, 10), ("stage1", "stage2"), (0, 1, 11)))
    assert len({tuple(draw(*key)) for key in keys}) == len(keys)


def test_parts_of_the_key_do_not_run_into_each_other() -> None:
    assert draw(1, "stage1", 11) != draw(11, "stage1", 1)


def test_steps_are_independent() -> None:
    numbers = torch.tensor([draw(0, "stage1", step) for step in range(2000)])
    assert (numbers.mean(0) - 0.5).abs().max() < 0.03
    correlation = torch.corrcoef(torch.stack([numbers[:-1, 0], numbers[1:, 0]]))[0, 1]
    assert abs(correlation) < 0.08


def test_any_seed_will_do() -> None:
    assert draw(2**32 - 1, "stage1", 10**9) != draw(0, "stage1", 10**9)


def test_the_global_generator_is_left_alone() -> None:
    state = torch.get_rng_state()
    draw(0, "stage1", 0)
    assert torch.equal(torch.get_rng_state(), state)


def test_every_process_mixes_its_own_rows_and_one_process_goes_on_with_the_views_generator() -> None:
    def mixing(rank: int, step: int) -> torch.Generator:
        module = Mock(spec=LightningModule, global_rank=rank, global_step=step)
        return mixing_generator(module, view_generator(0, "stage1", step), seed=0)

    views = view_generator(0, "stage1", 4)
    first = torch.rand(4, generator=views).tolist()
    assert torch.rand(4, generator=mixing(0, 4)).tolist() == first
    others = [tuple(torch.rand(4, generator=mixing(rank, step)).tolist()) for rank in (1, 2) for step in (4, 5)]
    assert len({tuple(first), *others}) == 5
