"""`annarrow.view`: files in a page, which notebooks show in a frame."""

from __future__ import annotations

import atexit
import html
import os
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from typing import Any

from annarrow._process import command, end_process
from annarrow.errors import AnnarrowError

#: Notebooks of this machine.
_LOCAL = ("http://localhost:*", "http://127.0.0.1:*")


class View:
    """A page that shows files: `url` is for the browser, a notebook shows the object itself as a frame.

    Its server ends with `close()`, with the `with` that it is in, and with Python.
    """

    def __init__(self, arguments: Sequence[str], height: int) -> None:
        """Start the server. `annarrow.view` is the way to it."""
        self._height = height
        # Ctrl-C is for Python.
        own: dict[str, Any] = {"creationflags": 0x200} if os.name == "nt" else {"start_new_session": True}
        with tempfile.TemporaryFile() as errors:
            self._process = subprocess.Popen(
                command("view", "--until-eof", *arguments),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                **own,
            )
            assert self._process.stdout is not None
            with self._process.stdout as answer:
                self.url = answer.readline().decode().strip()
            if not self.url:
                self._process.wait()
                errors.seek(0)
                text = errors.read().decode(errors="replace").strip()
                raise AnnarrowError(text.removeprefix("annarrow: ") or "the server of the page could not be started")
        _running.add(self)

    @property
    def is_running(self) -> bool:
        """Whether the page is answered."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the server of the page."""
        _running.discard(self)
        end_process(self._process, 10)

    def _repr_html_(self) -> str:
        if not self.is_running:
            return "<p>The page was closed.</p>"
        url = html.escape(self.url, quote=True)
        return f'<iframe src="{url}" title="annarrow" width="100%" height="{self._height}" style="border: 0"></iframe>'

    def __repr__(self) -> str:
        """Say where the page is."""
        return f"<annarrow.View {self.url if self.is_running else 'closed'}>"

    def __enter__(self) -> View:
        """Return the page, which is closed at the end of the `with`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the page."""
        self.close()


_running: weakref.WeakSet[View] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for view in list(_running):
        view.close()


def view(
    *paths: str | os.PathLike[str],
    port: int = 0,
    height: int = 700,
    frame_origins: Sequence[str] = _LOCAL,
    options: Sequence[str] = (),
) -> View:
    """Show files in a page: tables, embeddings, SQL, and parts of them to save.

        annarrow.view("pbmc.h5ad")             # the last line of a cell: the page is below it
        annarrow.view("data/").url             # for a browser

    The page is answered by a process of Node.js at a port of this machine, for those alone who have the token in its
    address. `frame_origins` are the origins whose pages may show it in a frame, by default notebooks of this machine;
    `options` are further ones of the command `annarrow view`, as `["--companion", "off"]`.
    """
    if not paths:
        raise AnnarrowError("give a file, a folder or a URL")
    own = ["--port", str(port), *(part for origin in frame_origins for part in ("--frame-origin", origin)), *options]
    return View([*own, "--", *(os.fspath(path) for path in paths)], height)
