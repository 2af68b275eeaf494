"""Find the function that a command line names: ``kernel.py:attention`` or ``module:function``."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from attn_tui.compute.errors import InputError, inert

_EXPECTED = "FILE.py:FUNCTION or MODULE:FUNCTION, such as my_kernel.py:attention"


def loaded(text: str) -> Callable[..., Any]:
    """Return the function that a text names, after importing its module.

    Args:
        text: The file or the module, and the name of the function after the last colon.

    Raises:
        InputError: With field ``"function"``, if there is no such module or function.
    """
    place, colon, name = text.rpartition(":")
    if not (colon and place and name):
        raise InputError("function", f"{inert(text)} names none", _EXPECTED)
    module = _of_file(place) if place.endswith(".py") else _of_name(place)
    member: Any = module
    for part in name.split("."):
        member = getattr(member, part, None)
    if not callable(member):
        problem = f"{inert(place)} has no function {inert(name)}"
        raise InputError("function", problem, _EXPECTED)
    function: Callable[..., Any] = member
    return function


def _of_file(path: str) -> ModuleType:
    path = os.path.expanduser(path)
    if not os.path.isfile(path):
        raise InputError("function", f"there is no file {inert(path, 80)}", _EXPECTED)
    name = os.path.basename(path).removesuffix(".py")
    # What stands beside the file is imported by it as if it had been run.
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(name, module)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise _broken(path, error) from None
    return module


def _of_name(name: str) -> ModuleType:
    sys.path.insert(0, os.getcwd())
    try:
        return import_module(name)
    except Exception as error:
        raise _broken(name, error) from None


def _broken(name: str, error: BaseException) -> InputError:
    """Return the error for a module that cannot be imported."""
    said = f"{type(error).__name__}: {inert(str(error), 100)[1:-1]}"
    return InputError("function", f"{inert(name, 80)} cannot be imported: {said}", _EXPECTED)
