"""Models of options: each option is a field, declared once as Typer takes it, with marks for what else holds for it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields
from enum import Enum
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple, Self, get_args, get_type_hints

from typer.models import ArgumentInfo, ParameterInfo

from banzuke.cli.official import line_options
from banzuke.cli.options import WrittenNumber

Command = Callable[..., None]


class OptionMark(Enum):
    """Marks of options. `run` and `evaluate` take an unmarked option, and its value is part of the run's identity."""

    RUN = "`run` takes it, and `evaluate` does not"
    EVALUATE = "`evaluate` takes it, and `run` does not"
    SCREEN = "`screen` takes it as well"
    UNDERSTOOD = "the benchmarks, the request or the machine have what it comes to, which counts in its place"
    BESIDE = "it changes nothing that is measured"


@dataclass(frozen=True, kw_only=True)
class OptionsModel:
    """Options that a command was called with, in the order of its help; a field may be a model of further ones."""

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> Self:
        """Return the options from a command's parameters: an empty list counts as not given, a missing one as its
        default.
        """
        values = {}
        for name, annotation in get_type_hints(cls).items():
            if is_model(annotation):
                values[name] = annotation.of(parameters)
            elif name in parameters:
                values[name] = None if parameters[name] == () else parameters[name]  # the parser's empty list
        return cls(**values)


def is_model(annotation: Any) -> bool:
    """Return whether a field of this type is itself a model of options."""
    return isinstance(annotation, type) and issubclass(annotation, OptionsModel)


class Declared(NamedTuple):
    """A field of a model of options."""

    name: str
    annotation: Any
    default: Any
    marks: tuple[Any, ...]

    def taken_by(self, command: str) -> bool:
        alone = {OptionMark.RUN, OptionMark.EVALUATE}.intersection(self.marks)
        return OptionMark[command.upper()] in self.marks or (command != "screen" and not alone)

    def words(self, value: Any) -> list[str]:
        """Return the command-line words that set the option to `value`."""
        (typed,) = (mark for mark in self.marks if isinstance(mark, ParameterInfo))
        several = value if isinstance(value, list) else [value]
        texts = [item.text if isinstance(item, WrittenNumber) else str(item) for item in several]
        if isinstance(typed, ArgumentInfo):
            return texts
        option = str(typed.default)  # Typer keeps the option's name there if the option is in an annotation
        if isinstance(value, bool):
            return [option] if value else []
        return [word for text in texts for word in (option, text)]


def declared(model: type[OptionsModel]) -> Iterator[Declared]:
    """Yield each field; for a field that is itself a model, that model's fields instead."""
    defaults = {field.name: field.default for field in fields(model)}
    for name, annotation in get_type_hints(model, include_extras=True).items():
        if is_model(annotation):
            yield from declared(annotation)
        else:
            default = Parameter.empty if defaults[name] is MISSING else defaults[name]
            yield Declared(name, annotation, default, get_args(annotation)[1:])


def with_options(
    model: type[OptionsModel], command: str | None = None, **own: tuple[Any, Any]
) -> Callable[[Command], Command]:
    """Return a decorator that makes a command of a function, which gets the model's options as its parameter `options`.

    `command`: takes the options that are marked as its own; None: all. `own`: annotation and default of each option
    that this command declares differently.
    """
    options: list[Parameter] = []
    for option in (option for option in declared(model) if command is None or option.taken_by(command)):
        annotation, default = own.get(option.name, (option.annotation, option.default))
        if option.name == "command_lines":
            options += line_options()
        else:
            options.append(Parameter(option.name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))

    def taking(function: Command) -> Command:
        """Return the command that Typer sees instead of the function."""
        others = [parameter for parameter in signature(function).parameters.values() if parameter.name != "options"]

        @wraps(function)
        def called(**values: Any) -> None:
            rest = {parameter.name: values.pop(parameter.name) for parameter in others}
            function(options=model.of(values), **rest)

        parameters = [*options, *(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in others)]
        called.__dict__["__signature__"] = Signature(parameters)
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return taking
