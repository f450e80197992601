import torch

from supcon.evaluation import classification_measures, expected_calibration_error, top_k_accuracy
from supcon.evaluation.accuracy import mean_per_class_accuracy, negative_log_likelihood


def test_every_measure_has_its_contracted_name_and_its_own_value() -> None:
    generator = torch.Generator().manual_seed(0)
    logits, labels = torch.randn(50, 8, generator=generator), torch.randint(8, (50,), generator=generator)
    found = dict(classification_measures(logits, labels))
    assert found == {
        "test/top1": top_k_accuracy(logits, labels, 1),
        "test/top5": top_k_accuracy(logits, labels, 5),
        "test/mean_per_class": mean_per_class_accuracy(logits, labels),
        "test/nll": negative_log_likelihood(logits, labels),
        "test/ece": expected_calibration_error(logits.double().softmax(1), labels),
    }
    assert len(set(found.values())) == 5
    assert all(type(value) is float for value in found.values())


def test_the_split_is_in_the_name() -> None:
    names = [name for name, _ in classification_measures(torch.eye(3), torch.arange(3), "validation")]
    assert names == [f"validation/{name}" for name in ("top1", "top5", "mean_per_class", "nll", "ece")]
