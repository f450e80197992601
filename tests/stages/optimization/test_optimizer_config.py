"""Settings of an optimizer; `test_config` has those that are refused."""

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest

from supcon.stages.config import OptimizerConfig


def test_the_defaults_are_plain_sgd_with_a_cosine() -> None:
    config = OptimizerConfig()
    assert (config.name, config.momentum, config.nesterov, config.schedule) == ("sgd", 0.9, False, "cosine")
    assert (config.clip_norm, config.ema_decay, config.lr_end) == (None, 0.0, 0.0)


def test_a_config_does_not_change_and_needs_no_torch() -> None:
    with pytest.raises(FrozenInstanceError):
        OptimizerConfig().lr = 1.0  # type: ignore[misc]
    code = "import sys; import supcon.stages.optimization.optimizer_config; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
