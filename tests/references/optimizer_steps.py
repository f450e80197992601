"""Optimizers as loops over numbers in float64, written from their definitions."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Weight = NDArray[np.float64]
Step = Callable[[Weight, Weight, float], Weight]
"""`step(weight, gradient, lr)` gives the next weight; it keeps its own state between calls."""


def norm(values: Weight) -> float:
    return math.sqrt(sum(float(value) ** 2 for value in values.flat))


def lars(momentum: float, decay: float, trust: float, adapt: bool) -> Step:
    """The authors' classic momentum: v = m v + lr ratio (g + decay w), w = w - v."""
    velocity: Weight = np.zeros(())

    def step(weight: Weight, gradient: Weight, lr: float) -> Weight:
        nonlocal velocity
        gradient = gradient + decay * weight
        known = adapt and norm(weight) > 0 and norm(gradient) > 0
        ratio = trust * norm(weight) / norm(gradient) if known else 1.0
        velocity = momentum * velocity + lr * ratio * gradient
        return weight - velocity

    return step


def rmsprop(momentum: float, decay: float, rho: float, epsilon: float) -> Step:
    """TensorFlow's: s = rho s + (1 - rho) g², v = m v + lr g / sqrt(s + epsilon), w = w - v, with s = 1 at first."""
    square: Weight = np.ones(())
    velocity: Weight = np.zeros(())

    def step(weight: Weight, gradient: Weight, lr: float) -> Weight:
        nonlocal square, velocity
        gradient = gradient + decay * weight
        square = rho * square + (1 - rho) * gradient**2
        velocity = momentum * velocity + lr * gradient / np.sqrt(square + epsilon)
        return weight - velocity

    return step


def sgd(momentum: float, decay: float, nesterov: bool) -> Step:
    """v = m v + g, w = w - lr v; Nesterov: w = w - lr (g + m v)."""
    velocity: Weight = np.zeros(())

    def step(weight: Weight, gradient: Weight, lr: float) -> Weight:
        nonlocal velocity
        gradient = gradient + decay * weight
        velocity = momentum * velocity + gradient
        return weight - lr * (gradient + momentum * velocity if nesterov else velocity)

    return step


def adamw(decay: float, betas: Sequence[float] = (0.9, 0.999), epsilon: float = 1e-8) -> Step:
    """Adam with the decay beside it (Loshchilov & Hutter, 2019): w = w - lr decay w - lr m / (sqrt(v) + epsilon)."""
    mean: Weight = np.zeros(())
    square: Weight = np.zeros(())
    steps = 0

    def step(weight: Weight, gradient: Weight, lr: float) -> Weight:
        nonlocal mean, square, steps
        steps += 1
        mean = betas[0] * mean + (1 - betas[0]) * gradient
        square = betas[1] * square + (1 - betas[1]) * gradient**2
        unbiased = mean / (1 - betas[0] ** steps), square / (1 - betas[1] ** steps)
        moved: Weight = lr * decay * weight + lr * unbiased[0] / (np.sqrt(unbiased[1]) + epsilon)
        return weight - moved

    return step
