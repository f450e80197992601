"""How the server ends and which clients it cuts off is tested in test_app.py, with processes."""

import socket

import pytest

from supcon.base.errors import RequestError
from supcon.serving import listening


def test_a_free_port_is_found() -> None:
    with listening("127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_in_use_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with (
            pytest.raises(RequestError, match=rf"127\.0\.0\.1:{port} cannot be listened on \(Address already in use\)"),
            listening("127.0.0.1", port),
        ):
            pass


@pytest.mark.parametrize(("host", "port"), [("no.such.host.invalid", 0), ("127.0.0.1", 70_000)])
def test_an_address_that_does_not_exist_is_refused(host: str, port: int) -> None:
    with pytest.raises(RequestError, match=f"{host}:{port} cannot be listened on"), listening(host, port):
        pass
