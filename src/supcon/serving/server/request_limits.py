"""Ends requests that are too large or too slow, before and while they are read."""

import asyncio
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CLOSE = {"connection": "close"}
"""The rest of a request that was refused is not read, so the connection cannot be used again."""


_DISCARDED = 4
"""A larger request is read and discarded up to this multiple of the largest accepted one."""


class RequestLimits:
    """ASGI middleware: 413 above `largest` bytes, 408 if the request and 504 if the answer takes over `seconds`."""

    def __init__(self, app: ASGIApp, largest: int, seconds: float) -> None:
        self.app, self.largest, self.seconds = app, largest, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = _Request(receive, send, self.largest)
        given = dict(scope["headers"]).get(b"content-length", b"0")
        try:
            async with asyncio.timeout(self.seconds):
                if given.isdigit() and int(given) > self.largest:
                    await request.discard()
                    await request.refuse(413, too_large(self.largest))
                    return
                await self.app(scope, request.receive, request.send)
        except TimeoutError:
            if request.complete:
                await request.refuse(504, f"The answer took longer than {self.seconds:g} seconds; try again later.")
            else:
                await request.refuse(408, f"The request took longer than {self.seconds:g} seconds to arrive.")


def too_large(largest: int) -> str:
    return f"The request has more than {largest / 1e6:g} MB; send fewer or smaller images."


class _Request:
    """What has arrived of a request, and whether an answer has begun."""

    def __init__(self, receive: Receive, send: Send, largest: int) -> None:
        self._receive, self._send, self.largest = receive, send, largest
        self.bytes, self.complete, self.answered = 0, False, False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self.bytes += len(message.get("body", b""))
            self.complete = not message.get("more_body", False)
            if self.bytes > self.largest:
                await self.discard()
                raise HTTPException(413, too_large(self.largest), headers=_CLOSE)
        return message

    async def discard(self) -> None:
        """Reads on, up to a bound: a client that is still sending when the connection closes never sees the answer."""
        while not self.complete and self.bytes <= _DISCARDED * self.largest:
            message = await self._receive()
            if message["type"] != "http.request":
                return
            self.bytes += len(message.get("body", b""))
            self.complete = not message.get("more_body", False)

    async def send(self, message: Message) -> None:
        self.answered = True
        await self._send(message)

    async def refuse(self, status: int, sentence: str) -> None:
        if self.answered:
            return
        body = json.dumps({"detail": sentence}).encode()
        headers: list[tuple[bytes, Any]] = [(b"content-type", b"application/json"), (b"connection", b"close")]
        headers.append((b"content-length", str(len(body)).encode()))
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})
