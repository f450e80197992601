"""HTTP requests over plain sockets, so that tests can stall, break off and count what they like."""

import json
import socket
from collections.abc import Mapping, Sequence
from typing import Any

BOUNDARY = "supcon-test"


def multipart(files: Sequence[tuple[str, bytes]], field: str = "images") -> bytes:
    """The body of a form with files."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
        + content
        + b"\r\n"
        for name, content in files
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def post(path: str, files: Sequence[tuple[str, bytes]], headers: Mapping[str, str] | None = None) -> bytes:
    """A whole request, after which the server closes the connection."""
    body = multipart(files)
    lines = {
        "Host": "127.0.0.1",
        "Connection": "close",
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Content-Length": str(len(body)),
        **(headers or {}),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def get(path: str, host: str = "127.0.0.1") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()


def answer(port: int, request: bytes, seconds: float = 60) -> tuple[int, Any]:
    """Status and JSON of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(request)
        return read_answer(connection)


def read_answer(connection: socket.socket) -> tuple[int, Any]:
    """Reads until the server closes the connection."""
    content = b""
    while part := connection.recv(65536):
        content += part
    head, _, body = content.partition(b"\r\n\r\n")
    assert head, "the server closed the connection without an answer"
    text = body.decode()
    try:
        return int(head.split()[1]), json.loads(text)
    except ValueError:
        return int(head.split()[1]), text
