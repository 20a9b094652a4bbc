"""Groups of options that become one value, so that a command has few parameters.

A group is a decorator: it adds its options to the command, and hands the command one keyword
argument made of them, when all are parsed.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

_Command: TypeAlias = Callable[..., None]
_Decorator: TypeAlias = Callable[[_Command], _Command]


def option_group(
    name: str, make: Callable[..., object], options: Sequence[_Decorator]
) -> _Decorator:
    """Return a decorator that adds `options` and passes `make` of their values as `name`.

    `make` takes each option by its parameter's name.
    """

    def decorate(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_group(*args: Any, **values: Any) -> None:  # noqa: ANN401 (click's own values)
            mine = {key: values.pop(key) for key in keys}
            command(*args, **values, **{name: make(**mine)})

        before = len(_params_of(with_group))
        for option in reversed(options):
            option(with_group)
        keys = [str(param.name) for param in _params_of(with_group)[before:]]
        return with_group

    return decorate


def _params_of(command: _Command) -> list[click.Parameter]:
    # Where click's decorators keep what they were given, until a command is made of it.
    params: list[click.Parameter] = getattr(command, "__click_params__", [])
    return params
