from torch import nn
from torch.optim import SGD, AdamW

from supcon.stages.optimization.parameter_rates import set_module_lr


def test_groups_keep_everything_but_the_rate() -> None:
    encoder, classifier = nn.Linear(3, 2), nn.Linear(2, 2)
    optimizer = SGD([*encoder.parameters(), *classifier.parameters()], lr=0.1, momentum=0.8, nesterov=True)
    set_module_lr(optimizer, classifier, 5.0)
    rest, own = optimizer.param_groups
    assert [id(p) for p in rest["params"]] == [id(p) for p in encoder.parameters()]
    assert [id(p) for p in own["params"]] == [id(p) for p in classifier.parameters()]
    assert (rest["lr"], own["lr"]) == (0.1, 5.0)
    assert own["momentum"] == 0.8
    assert own["nesterov"]


def test_decay_is_replaced_for_matrices_alone() -> None:
    encoder, classifier = nn.Linear(3, 2), nn.Linear(2, 2)
    modules = [encoder, classifier]
    groups = [
        {"params": [module.weight for module in modules], "weight_decay": 0.1, "adapt": True},
        {"params": [module.bias for module in modules], "weight_decay": 0.0, "adapt": False},
    ]
    optimizer = AdamW(groups, lr=0.1)
    set_module_lr(optimizer, classifier, 2.0, weight_decay=0.3)
    found = {id(p): (group["lr"], group["weight_decay"]) for group in optimizer.param_groups for p in group["params"]}
    assert found == {
        id(encoder.weight): (0.1, 0.1),
        id(encoder.bias): (0.1, 0.0),
        id(classifier.weight): (2.0, 0.3),
        id(classifier.bias): (2.0, 0.0),
    }
