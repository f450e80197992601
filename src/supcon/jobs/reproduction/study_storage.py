"""The storage of a study: a journal file, or a database that several machines can reach."""

import logging
import random
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from supcon.base.errors import RequestError, WorkError, system_reason

if TYPE_CHECKING:
    from optuna.storages import BaseStorage, RDBStorage
    from optuna.storages.journal import JournalFileBackend
    from sqlalchemy import URL
    from sqlalchemy.exc import InterfaceError, OperationalError

HEARTBEAT = 20
"""Seconds between two heartbeats in a database; after three times as many a worker counts as dead."""
_DRIVERS = {"postgresql": "psycopg", "mysql": "pymysql"}
"""What the extras `postgresql` and `mysql` install; SQLAlchemy's defaults are other packages."""
_ATTEMPTS = 20
"""Of creating the tables: MySQL creates each on its own, so that two machines can collide at every one of them."""


def open_storage(where: str, heartbeat: int = HEARTBEAT) -> "BaseStorage":
    """A journal file, given by its path, or a database with heartbeats, given by its URL."""
    try:
        import optuna
        from optuna.storages import RetryHeartbeatStaleTrialCallback  # noqa: F401  (new in 4.9)
    except ImportError as error:
        raise RequestError(
            "supcon reproduce needs Optuna 4.9 or newer; install it with `pip install 'supcon[reproduce]'`."
        ) from error
    optuna.logging.set_verbosity(logging.ERROR)
    with calm():
        return _open_database(_parsed(where), heartbeat) if "://" in where else _open_journal(Path(where))


def _open_journal(path: Path) -> "BaseStorage":
    from optuna.storages.journal import JournalFileBackend

    try:
        if path.is_dir():
            raise RequestError(
                f"--storage must be a journal file or the URL of a database, but {path} is a folder; give a file in "
                f"it, such as {path / 'study.journal'}."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
        # Optuna appends to any file and only then fails to read it.
        if path.exists() and not (path.is_file() and _begins_like_a_journal(path)):
            raise RequestError(f"--storage must be a journal file, but {path} is another file; choose another name.")
        return _read_journal(path, JournalFileBackend(str(path)))
    except OSError as error:
        raise RequestError(
            f"--storage {path} cannot be used as a journal file: {error.filename}: {system_reason(error)}; choose "
            "another name."
        ) from error


def _begins_like_a_journal(path: Path) -> bool:
    beginning = b'{"op_code"'
    with path.open("rb") as file:
        return file.read(len(beginning)) in (b"", beginning)


def _read_journal(path: Path, file: "JournalFileBackend") -> "BaseStorage":
    from optuna.storages import JournalStorage

    try:
        return JournalStorage(file)
    except (AssertionError, KeyError, ValueError) as error:  # Optuna's: a line was cut, by a full disk for example
        raise RequestError(
            f"The journal {path} is damaged; remove it and repeat the command: finished cells are kept in --out."
        ) from error


def _open_database(url: "URL", heartbeat: int, attempts: int = _ATTEMPTS) -> "BaseStorage":
    if url.drivername.startswith("sqlite") and not url.database:
        raise RequestError(f"--storage {_shown(url)} would be a database of each process alone; name a file.")
    driver = _DRIVERS.get(url.drivername)
    full = url.set(drivername=f"{url.drivername}+{driver}") if driver else url
    try:
        return _database(full.render_as_string(hide_password=False), heartbeat)
    except ImportError as error:
        package = driver or getattr(error.__cause__, "name", None) or url.drivername
        how = f" with `pip install 'supcon[{url.drivername}]'`" if driver else ""
        raise RequestError(f"--storage {_shown(url)} needs the Python package {package}; install it{how}.") from error
    except Exception as error:  # SQLAlchemy's, of many kinds
        if attempts > 1 and _others_create_tables(error):
            time.sleep(random.uniform(0.05, 0.3))
            return _open_database(url, heartbeat, attempts - 1)
        raise RequestError(f"--storage {_shown(url)} cannot be opened: {_reason(error, url)}") from error


def _database(url: str, heartbeat: int) -> "RDBStorage":
    from optuna.exceptions import StorageInternalError
    from optuna.storages import RDBStorage, RetryHeartbeatStaleTrialCallback
    from sqlalchemy.exc import SQLAlchemyError

    class Database(RDBStorage):
        def record_heartbeat(self, trial_id: int) -> None:
            """Leaves out a heartbeat that fails: its thread would print a traceback and send no more of them."""
            with suppress(StorageInternalError, SQLAlchemyError):
                super().record_heartbeat(trial_id)

    return Database(
        url,
        heartbeat_interval=heartbeat,
        grace_period=3 * heartbeat,
        heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(),
    )


def _others_create_tables(error: Exception) -> bool:
    """Whether the tables could not be created because another process was creating them at the same time."""
    from sqlalchemy.exc import DBAPIError, OperationalError

    if isinstance(error, OperationalError):  # mostly a server that cannot be reached
        return "already exists" in str(error)
    return isinstance(error, DBAPIError)


def _parsed(where: str) -> "URL":
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(where)
    except (ArgumentError, ValueError):
        # Without the URL, in which the password could not be found either.
        raise RequestError(
            "--storage must be a journal file or a URL such as postgresql://USER:PASSWORD@HOST/DB, but this URL cannot "
            "be read; in a password, write @ as %40, : as %3A and / as %2F."
        ) from None


def _shown(url: "URL") -> str:
    """The URL as it was given, with *** for passwords."""
    scheme, _, driver = url.drivername.partition("+")
    if driver == _DRIVERS.get(scheme):
        url = url.set(drivername=scheme)
    text = url.render_as_string(hide_password=True)
    for secret in _secrets(url):
        text = text.replace(f"={quote_plus(secret)}", "=***")
    return text


def _secrets(url: "URL") -> list[str]:
    """The passwords of the URL; drivers also take them from its query."""
    asked = [value for name, value in url.query.items() if "passw" in name and isinstance(value, str)]
    return [secret for secret in (url.password, *asked) if secret]


def _reason(error: Exception, url: "URL") -> str:
    """What the database says, without SQLAlchemy's additions and without the password."""
    text = " ".join(str(getattr(error, "orig", None) or error).split())
    for secret in _secrets(url):
        text = text.replace(secret, "***")
    return text[:300]


def _lost(error: BaseException | None) -> "OperationalError | InterfaceError | None":
    """The database's own error among those that led to this one: Optuna raises others while it handles it."""
    from sqlalchemy.exc import InterfaceError, OperationalError

    while error is not None and not isinstance(error, OperationalError | InterfaceError):
        error = error.__cause__ or error.__context__
    return error


@contextmanager
def calm() -> Iterator[None]:
    """Hides Optuna's warnings that heartbeats and journal files are experimental."""
    from optuna.exceptions import ExperimentalWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        yield


@contextmanager
def connected(storage: "BaseStorage") -> Iterator[None]:
    """Turns the errors of a database that stops during the work into one sentence."""
    from optuna.storages import RDBStorage
    from sqlalchemy import make_url

    try:
        yield
    except WorkError:
        raise
    except Exception as error:
        lost = _lost(error)
        if lost is None or not isinstance(storage, RDBStorage):
            raise
        url = make_url(storage.url)
        raise WorkError(
            f"The connection to --storage {_shown(url)} was lost ({_reason(lost, url)}); finished cells are kept, "
            "and the same command continues when the database can be reached again."
        ) from error
