from pathlib import Path

import numpy as np
import pytest

from supcon.base.errors import RequestError
from supcon.jobs.stored_fingerprint import stored_fingerprint
from supcon.runs import Run


def test_the_hash_is_read_and_may_be_missing(tmp_path: Path) -> None:
    run = Run(tmp_path)
    np.savez(run.outputs_file, labels=np.arange(3), fingerprint=np.array("0f"))
    assert stored_fingerprint(run) == "0f"
    np.savez(run.outputs_file, labels=np.arange(3))
    assert stored_fingerprint(run) == ""


def test_a_cut_file_is_one_sentence(tmp_path: Path) -> None:
    run = Run(tmp_path)
    np.savez(run.outputs_file, fingerprint=np.array("0f"))
    run.outputs_file.write_bytes(run.outputs_file.read_bytes()[:-40])
    with pytest.raises(RequestError, match=r"test_outputs\.npz is damaged \(.*\); train the run again\.$"):
        stored_fingerprint(run)
