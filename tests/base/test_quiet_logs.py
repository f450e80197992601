import logging

import pytest

from supcon.base.quiet_logs import quiet_logs


def test_messages_are_hidden_within_the_block_only(caplog: pytest.LogCaptureFixture) -> None:
    with quiet_logs("one", "two"):
        logging.getLogger("one").error("hidden")
        logging.getLogger("two").error("hidden too")
        logging.getLogger("other").error("shown")
    logging.getLogger("one").error("shown again")
    assert caplog.messages == ["shown", "shown again"]


def test_an_error_restores_the_levels() -> None:
    logger = logging.getLogger("one")
    logger.setLevel(logging.INFO)
    with pytest.raises(KeyError), quiet_logs("one"):
        raise KeyError
    assert logger.level == logging.INFO
