"""Database servers of their own for single tests, from Debian's packages; tests are skipped where these are absent."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# A server's output would be read through pipes that it keeps open.
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}


@pytest.fixture
def postgresql() -> Iterator[str]:
    """The URL of a server that is reachable by a socket alone."""
    pytest.importorskip("psycopg")
    where = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not where:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    with_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    folder = _folder("postgres")
    control = [*with_user, str(where[-1].with_name("pg_ctl")), "-D", str(folder / "data"), "-w"]
    create = [*with_user, str(where[-1]), "-D", str(folder / "data"), "-U", "supcon", "-A", "trust"]
    subprocess.run(create, check=True, **QUIET)  # type: ignore[call-overload]
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    subprocess.run([*control, "-o", options, "start"], check=True, **QUIET)  # type: ignore[call-overload]
    try:
        yield f"postgresql://supcon@/postgres?host={folder}"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, **QUIET)  # type: ignore[call-overload]
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def mysql() -> Iterator[str]:
    """The URL of a MariaDB server, which speaks MySQL's protocol, reachable by a socket alone."""
    pytest.importorskip("pymysql")
    install, server = shutil.which("mariadb-install-db"), shutil.which("mariadbd", path="/usr/sbin:/usr/bin")
    if install is None or server is None:
        pytest.skip("MariaDB is not installed (Debian: apt-get install mariadb-server)")
    as_root = os.geteuid() == 0
    folder = _folder("mysql")
    own = ["--no-defaults", f"--datadir={folder / 'data'}", *(["--user=mysql"] if as_root else [])]
    create = [install, *own, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(create, check=True, **QUIET)  # type: ignore[call-overload]
    path = folder / "socket"
    words = [server, *own, f"--socket={path}", "--skip-networking", f"--pid-file={folder / 'pid'}"]
    process = subprocess.Popen(words, **QUIET)  # type: ignore[call-overload]
    try:
        _create_database(path)
        yield f"mysql://root@localhost/supcon?unix_socket={path}"
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _create_database(path: Path) -> None:
    import pymysql

    _wait_for(path)
    with pymysql.connect(unix_socket=str(path), user="root") as connection:
        connection.cursor().execute("CREATE DATABASE supcon")


def _wait_for(path: Path) -> None:
    """Until a server listens; a failed connection of PyMySQL's own would leave its socket open."""
    for _ in range(1500):
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.connect(str(path))
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("MariaDB does not answer")


def _folder(user: str) -> Path:
    """A folder that belongs to the server's user; pytest's own folder is closed to other users."""
    folder = Path(tempfile.mkdtemp(prefix=user))
    if os.geteuid() == 0:
        shutil.chown(folder, user)
    return folder
