"""Four estimators of the class of every image, which do not use its own label: probabilities [image, class]."""

import warnings

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from supcon.evaluation import usual_neighbours
from supcon.serving.cosine_search import Neighbours, most_similar_rows

Rows = NDArray[np.float32]
Classes = NDArray[np.int64]

TEMPERATURE = 0.1
"""All similarities are divided by it, as in the loss."""
_BATCH = 1024
_ROUNDS = 2
_FOLDS = 5
_MOST_FITTED = 20_000
"""Largest number of images that a classifier is fitted to, which limits the time."""


def other_neighbours(rows: Rows, k: int) -> Neighbours:
    """The `k` nearest other images of every image; rows have unit norm."""
    found = most_similar_rows(rows, rows, min(k + 1, len(rows)))
    own = found.rows == np.arange(len(rows))[:, None]
    own[~own.any(1), -1] = True  # an image with more than k copies may not be among its own neighbours
    return Neighbours(*(part[~own].reshape(len(rows), -1) for part in found))


def by_neighbours(near: Neighbours, labels: Classes, classes: int) -> Rows:
    """Votes of the nearest other images, each weighted by exp(similarity / temperature)."""
    k = min(usual_neighbours(len(labels)), near.rows.shape[1])
    similarity, rows = (torch.from_numpy(part[:, :k]) for part in near)
    weight = ((similarity - similarity[:, :1]) / TEMPERATURE).exp()
    votes = torch.zeros(len(rows), classes).scatter_add_(1, torch.from_numpy(labels)[rows], weight)
    return _shares(votes)


def by_prototypes(rows: Rows, labels: Classes, classes: int) -> Rows:
    """Softmax of the similarities to the mean of every class; the image itself is left out of its class's mean."""
    units, numbers = torch.from_numpy(rows), torch.from_numpy(labels)
    sums = torch.zeros(classes, rows.shape[1]).index_add_(0, numbers, units)
    scores = units @ torch.nn.functional.normalize(sums, dim=1).T
    others = torch.nn.functional.normalize(sums[numbers] - units, dim=1)
    scores[torch.arange(len(rows)), numbers] = (units * others).sum(1)
    return (scores / TEMPERATURE).softmax(1).numpy()


def by_gradient(rows: Rows, labels: Classes, classes: int, seed: int = 0) -> Rows:
    """P_ix of the loss, summed over the images x of each class, in random batches.

    For the image's own class this is one minus its share in the gradient: the part of P that falls on negatives.
    P_ix does not depend on labels; that of `pair_gradient_weights` does: it is 0 for an image without positives.
    """
    units, numbers = torch.from_numpy(rows), torch.from_numpy(labels)
    generator = torch.Generator().manual_seed(seed)
    sums = torch.zeros(len(rows), classes)
    for _ in range(_ROUNDS):
        for batch in torch.randperm(len(rows), generator=generator).split(_BATCH):
            similarity = units[batch] @ units[batch].T
            p = (similarity / TEMPERATURE).fill_diagonal_(-torch.inf).softmax(1)
            p = p.nan_to_num(0)  # a batch of one image has no others
            sums[batch] += p @ torch.nn.functional.one_hot(numbers[batch], classes).to(p.dtype)
    return _shares(sums)


def by_classifier(rows: Rows, labels: Classes, classes: int, seed: int = 0) -> Rows:
    """Probabilities of logistic regression by five-fold cross-validation."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    generator = np.random.default_rng(seed)
    folds = _folds(labels, generator)
    probabilities = np.zeros((len(rows), classes), dtype=np.float32)
    for fold in range(_FOLDS):
        inside = generator.permutation(np.flatnonzero(folds != fold))[:_MOST_FITTED]
        asked = np.flatnonzero(folds == fold)
        if not len(asked):
            continue
        known = np.unique(labels[inside])
        if len(known) < 2:
            probabilities[np.ix_(asked, known)] = 1
            continue
        with warnings.catch_warnings():
            # A fit that has not converged will do: its probabilities are one of four estimates.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(max_iter=200).fit(rows[inside], labels[inside])
        probabilities[np.ix_(asked, known)] = model.predict_proba(rows[asked])
    return probabilities


def _folds(labels: Classes, generator: np.random.Generator) -> NDArray[np.int64]:
    """The fold of every image; classes are spread evenly, so that the two of a class of two are never in one fold."""
    folds = np.zeros(len(labels), dtype=np.int64)
    for number in np.unique(labels):
        indices = generator.permutation(np.flatnonzero(labels == number))
        folds[indices] = (np.arange(len(indices)) + number) % _FOLDS
    return folds


def _shares(votes: Tensor) -> Rows:
    """Scales rows to sum 1; rows of zeros become uniform."""
    total = votes.sum(1, keepdim=True)
    return torch.where(total > 0, votes / total.clamp_min(1e-30), 1 / votes.shape[1]).numpy()
