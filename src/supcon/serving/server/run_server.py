"""Runs the application: closes stalled connections, and ends on SIGTERM after everything accepted is answered."""

import asyncio
import signal
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import uvicorn
from fastapi import FastAPI

from supcon.base.errors import RequestError

_ROUNDS = 20
"""Iterations of the event loop after SIGTERM, to accept and read the connections that were already made."""


class _Server(uvicorn.Server):
    """uvicorn's server, which has no limit on how long a request's first lines may take."""

    def __init__(self, config: uvicorn.Config, seconds: float, started: Callable[[int], object]) -> None:
        super().__init__(config)
        self.seconds, self.when_started = seconds, started
        self._without_request: WeakKeyDictionary[Any, float] = WeakKeyDictionary()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            self.when_started(sockets[0].getsockname()[1])

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            self._close_stalled(time.monotonic())
        return await super().on_tick(counter)

    def _close_stalled(self, now: float) -> None:
        """Closes connections on which no request has begun for `seconds`; those that have are timed by the app."""
        for connection in list(self.server_state.connections):
            cycle = getattr(connection, "cycle", None)
            if cycle is not None and not cycle.response_complete:
                self._without_request.pop(connection, None)
            elif now - self._without_request.setdefault(connection, now) > self.seconds:
                connection.transport.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await _rounds()
        for server in self.servers:
            server.close()
        await _rounds()
        await super().shutdown(sockets)


async def _rounds() -> None:
    """Lets the event loop accept and read what has arrived; under load that takes a while.

    Without it, uvicorn closes connections whose request is still in the socket's buffer.
    """
    for _ in range(_ROUNDS):
        await asyncio.sleep(0.01)


def run_server(app: FastAPI, listener: socket.socket, seconds: float, started: Callable[[int], object]) -> None:
    """Serves on a socket of `listening` until SIGTERM or SIGINT; `started(port)` is called when it answers."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=int(seconds) + 1,
        lifespan="on",
    )
    warnings.filterwarnings("ignore", module="PIL")  # about damaged uploads and large ones, which are answered
    with _signals_end_quietly():
        _Server(config, seconds, started).run(sockets=[listener])


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that is bound; a port that is in use is one sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise RequestError(
                f"{host}:{port} cannot be listened on ({reason}); choose another --port or --host."
            ) from error
        yield listener


@contextmanager
def _signals_end_quietly() -> Iterator[None]:
    """uvicorn raises the signal again after the server has ended; it is ignored, since the server has ended."""
    previous = {number: signal.signal(number, _ignore) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def _ignore(*_: object) -> None:
    """Does nothing."""
