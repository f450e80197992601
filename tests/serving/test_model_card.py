"""`model.json`."""

import json
from typing import Any

import pytest

from random_models import card
from supcon.base.errors import RequestError
from supcon.encoder.config import EncoderConfig
from supcon.serving.model_card import card_from_values


def test_the_card_builds_the_encoder_that_its_config_names() -> None:
    assert card(encoder=vars(EncoderConfig(name="small-resnet", width=8))).make_encoder().width == 32


def test_a_card_comes_back_from_its_json() -> None:
    values = json.loads(card().to_json())
    again, encoder = card_from_values(values, "model.json")
    assert again.to_json() == card().to_json()
    assert encoder.width == card().make_encoder().width
    assert (again.layout.image_size, again.layout.stored_size, again.layout.channels) == (14, 16, 3)


@pytest.mark.parametrize("changes", [{"encoder": {"name": "nothing"}}, {"unknown": 1}])
def test_values_of_no_model_are_refused(changes: dict[str, Any]) -> None:
    values = json.loads(card().to_json()) | changes
    with pytest.raises(RequestError, match=r"^model\.json does not describe a model \(.*\); train the run again\.$"):
        card_from_values(values, "model.json")
