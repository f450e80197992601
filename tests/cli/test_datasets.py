import pytest

from supcon.cli.main import main
from supcon.data.catalogue import CATALOGUE


def test_every_data_set_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets", "--data-root", "/nowhere"]) == 0
    shown = capsys.readouterr().out
    rows = {line.split()[0].rstrip("*"): line.split()[1] for line in shown.splitlines() if len(line.split()) > 1}
    assert all(entry.name in rows for entry in CATALOGUE)
    assert (rows["digits"], rows["cifar10"]) == ("yes", "no")
    assert "/nowhere" in shown
