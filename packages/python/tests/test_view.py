"""The page that `annarrow.view` starts: answered for those who have its address, until it is closed or Python ends."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import annarrow
import anndata as ad
import pyarrow as pa
import pytest


def ask(url: str, token: str, **request: object) -> bytes:
    """Send a request of the page."""
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    sent = urllib.request.Request(f"{url}ask", json.dumps(request).encode(), headers)
    with urllib.request.urlopen(sent) as response:
        return response.read()


def test_the_page_of_a_file(path: Path, data: ad.AnnData) -> None:
    """The page is there, its data is what anndata has, and it ends with `close`."""
    with annarrow.view(path) as view:
        url, token = view.url.split("#token=")
        with urllib.request.urlopen(url) as response:
            policy = response.headers["content-security-policy"]
            assert b'<div id="page"' in response.read() or response.status == 200
        assert policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:*")
        rows = ask(url, token, call="rows", input=path.name, table="obs", columns=["cell_type"])
        with pa.ipc.open_stream(rows) as reader:
            assert reader.read_all()["cell_type"].to_pylist() == data.obs["cell_type"].tolist()
        statement = "select count(*) as n from obs where doublet"
        with pa.ipc.open_stream(ask(url, token, call="sql", input=path.name, sql=statement)) as reader:
            assert reader.read_all()["n"].to_pylist() == [int(data.obs["doublet"].sum())]
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(url, token[:-1], call="inputs")
        assert refused.value.code == 401
        assert view.is_running
    assert not view.is_running
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)
    # A second time does nothing.
    view.close()


def test_the_frame_of_a_notebook(path: Path) -> None:
    """A notebook shows a frame of the page, of the height that is asked for, and afterwards that it was closed."""
    view = annarrow.view(path, height=432, frame_origins=["https://hub.example.org"])
    try:
        shown = view._repr_html_()
        assert shown.startswith("<iframe ") and f'src="{view.url}"' in shown and 'height="432"' in shown
        with urllib.request.urlopen(view.url.split("#")[0]) as response:
            assert response.headers["content-security-policy"].endswith("frame-ancestors https://hub.example.org")
        assert repr(view) == f"<annarrow.View {view.url}>"
    finally:
        view.close()
    assert "iframe" not in view._repr_html_()
    assert repr(view) == "<annarrow.View closed>"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """The error is the one of the command."""
    with pytest.raises(annarrow.AnnarrowError, match=r"missing\.h5ad"):
        annarrow.view(tmp_path / "missing.h5ad")
    with pytest.raises(annarrow.AnnarrowError, match="give a file"):
        annarrow.view()
    # A name that begins as an option does is a name.
    with pytest.raises(annarrow.AnnarrowError, match="--help"):
        annarrow.view("--help")


@pytest.mark.parametrize("end", ["", "import os; os.kill(os.getpid(), 9)"])
def test_it_ends_with_python(path: Path, end: str) -> None:
    """No server outlives the Python that has started it, however that ends."""
    code = f"import annarrow; v = annarrow.view({str(path)!r}); print(v._process.pid, flush=True); {end}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    pid = int(done.stdout)
    assert eventually(lambda: not exists(pid))


def exists(pid: int) -> bool:
    """Whether a process is there that has not ended."""
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self/stat").exists():
        return subprocess.run(["ps", "-p", str(pid)], capture_output=True).returncode == 0
    return stat.exists() and stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def eventually(holds: Callable[[], bool]) -> bool:
    """Whether it holds within ten seconds."""
    for _ in range(100):
        if holds():
            return True
        time.sleep(0.1)
    return False
