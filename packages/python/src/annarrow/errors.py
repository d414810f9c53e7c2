"""The errors of this package: the classes of the library, which are also Python's own classes nearest to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class AnnarrowError(Exception):
    """Base of all errors: an element of a file, and what is wrong with it."""

    def __init__(self, problem: str, source: str | None = None, element: str | None = None) -> None:
        # All arguments stay in `args`, so that errors of other processes (Spark, Ray) can be pickled.
        super().__init__(problem, source, element)
        self.problem = problem
        self.source = source
        """The file, folder or address."""
        self.element = element
        """The path of the element in it."""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.source, self.element, self.problem) if part)


class NotFoundError(AnnarrowError, LookupError):
    """A requested file, table or column does not exist."""


class InvalidDataError(AnnarrowError, ValueError):
    """The bytes break their own format: truncated, inconsistent, out of range."""


class UnsupportedError(AnnarrowError, NotImplementedError):
    """The input is legal, but not readable: an unknown encoding, filter or type."""


class InvalidInputError(AnnarrowError, ValueError):
    """The caller gave an input that makes no sense: rows outside a table, an unknown option."""


class MissingDependencyError(AnnarrowError, ImportError):
    """An optional package is not installed; the message names it."""


_CLASSES: Mapping[str | None, type[AnnarrowError]] = {
    one.__name__: one
    for one in (NotFoundError, InvalidDataError, UnsupportedError, InvalidInputError, MissingDependencyError)
}


def error_of(found: Mapping[str, str | None]) -> AnnarrowError:
    """The exception of an error that Node has sent."""
    problem = found.get("problem") or f"{found.get('message')} (unexpected)"
    return _CLASSES.get(found.get("tag"), AnnarrowError)(problem, found.get("source"), found.get("element"))


def shortened(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let the errors of a caller's mistake, or of a file, leave a public function without the lines of this package.

    Errors of the base class are unexpected: they keep the lines, which tell where they come from.
    """

    @wraps(function)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return function(*args, **kwargs)
        except AnnarrowError as error:
            if type(error) is AnnarrowError:
                raise
            raise error.with_traceback(None) from error.__cause__

    return called
