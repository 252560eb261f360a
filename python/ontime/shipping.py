"""How a mapper gets to the workers.

* ``"words.py"`` or ``"words.py:count"``: the file is sent along.
* ``"package.module:count"``: imported there, so it must be installed on the workers.
* A module: its file is sent along, or, if it is installed here, it is imported there.
* A function or another callable: pickled by cloudpickle, if that is installed. Functions of modules that are not
  installed are pickled by value. Without cloudpickle the source file of the function is sent along, which needs a
  function at the top level of a file.
"""

from __future__ import annotations

import importlib.metadata
import io
import sys
import sysconfig
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from .errors import BadRequest

DEFAULT_NAME = "map"


@dataclass
class Shipment:
    """What is sent along with a job, and what the mapper's process learns about it."""

    how: str  # "cloudpickle", "file" or "module"
    spec: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.how == "cloudpickle":
            return "pickled by cloudpickle " + importlib.metadata.version("cloudpickle")
        if self.how == "file":
            return f"{self.spec['name']} of the file {self.spec['file']}"
        return f"{self.spec['name']} of the module {self.spec['module']}"


def ship(
    mapper: str | ModuleType | Callable[..., Any], combine: str | Callable[..., Any] | None = None, merges: bool = True
) -> Shipment:
    """Decides how. ``combine`` goes the same way as the mapper. A module's is not used where nothing merges."""
    if isinstance(mapper, str):
        return _named(mapper, combine)
    if isinstance(mapper, ModuleType):
        name = "combine" if merges and combine is None and hasattr(mapper, "combine") else None
        if not callable(getattr(mapper, DEFAULT_NAME, None)):
            raise BadRequest(f"the module {mapper.__name__} has no function {DEFAULT_NAME}(line)")
        return _of_module(mapper, DEFAULT_NAME, name or _name_of(combine, mapper.__name__))
    if not callable(mapper):
        raise BadRequest(f"a mapper is a function, a module, or the name of one, not {mapper!r:.100}")
    if isinstance(combine, str):
        raise BadRequest("combine is a function where the mapper is one")
    try:
        import cloudpickle
    except ImportError:
        module = sys.modules.get(getattr(mapper, "__module__", None) or "")
        if module is None:
            raise BadRequest("this callable has no module; install cloudpickle to send it to workers") from None
        name = _name_of(mapper, module.__name__)
        assert name is not None
        return _of_module(module, name, _name_of(combine, module.__name__))
    return _pickled(cloudpickle, mapper, combine)


def _named(mapper: str, combine: str | Callable[..., Any] | None) -> Shipment:
    where, _, name = mapper.partition(":")
    if combine is not None and not isinstance(combine, str):
        raise BadRequest("a mapper that is named by a text combines by a function of the same file: combine='name'")
    name = name or DEFAULT_NAME
    if where.endswith(".py"):
        try:
            content = Path(where).read_bytes()
        except OSError as error:
            raise BadRequest(f"the mapper's file {where} cannot be read: {error.strerror}") from None
        return _file(Path(where).name, content, Path(where).stem, name, combine)
    return Shipment("module", {"how": "module", "module": where, "name": name, "combine": combine})


def _of_module(module: ModuleType, name: str, combine: str | None) -> Shipment:
    spec = {"how": "module", "module": module.__name__, "name": name, "combine": combine}
    source = getattr(module, "__file__", None)
    if module.__name__ != "__main__" and (_is_installed(module) or "." in module.__name__):
        return Shipment("module", spec)
    if not source or not source.endswith(".py"):
        raise BadRequest(f"{name} is defined in no file that could be sent to workers; install cloudpickle")
    # The guard of a script is not to be true there.
    shipped = "ontime_main" if module.__name__ == "__main__" else module.__name__
    return _file(Path(source).name, Path(source).read_bytes(), shipped, name, combine)


def _file(file: str, content: bytes, module: str, name: str, combine: str | None) -> Shipment:
    spec = {"how": "file", "file": file, "module": module, "name": name, "combine": combine}
    return Shipment("file", spec, {file: content})


def _name_of(function: str | Callable[..., Any] | None, module: str) -> str | None:
    if function is None or isinstance(function, str):
        return function
    name = getattr(function, "__qualname__", "<object>")
    is_bound = getattr(function, "__self__", None) is not None  # the object would not be sent
    if is_bound or "<" in name or getattr(function, "__module__", None) != module:
        raise BadRequest(
            f"{name} is not at the top level of the module {module}, so its name says nothing to workers; install "
            "cloudpickle"
        )
    return str(name)


def _pickled(cloudpickle: ModuleType, mapper: Callable[..., Any], combine: Callable[..., Any] | None) -> Shipment:
    known = cloudpickle.list_registry_pickle_by_value()
    modules = {module.__name__: module for module in _modules_of(mapper, combine) if not _is_installed(module)}
    registered = [module for name, module in modules.items() if name not in known]
    for module in registered:
        cloudpickle.register_pickle_by_value(module)
    try:
        content = cloudpickle.dumps((mapper, combine))
    except Exception as error:  # whatever an object says that cannot be pickled
        raise BadRequest(f"the mapper cannot be pickled: {error}") from error
    finally:
        for module in registered:
            cloudpickle.unregister_pickle_by_value(module)
    spec = {"how": "cloudpickle", "version": list(sys.version_info[:2])}
    files = {"ontime_mapper.pickle": content, "ontime_cloudpickle.zip": _zipped(cloudpickle)}
    return Shipment("cloudpickle", spec, files)


def _modules_of(*functions: Callable[..., Any] | None) -> Iterable[ModuleType]:
    for function in functions:
        name = getattr(function, "__module__", None) or type(function).__module__
        module = sys.modules.get(name)
        if function is not None and module is not None and name != "__main__":
            yield module


def _is_installed(module: ModuleType) -> bool:
    source = getattr(module, "__file__", None)
    if source is None:
        return module.__name__ != "__main__"  # built in
    paths = sysconfig.get_paths()
    return any(Path(paths[kind]) in Path(source).resolve().parents for kind in ("stdlib", "purelib", "platlib"))


def _zipped(package: ModuleType) -> bytes:
    """The package as an archive that Python imports from: workers need not have it."""
    folder = Path(str(package.__file__)).parent
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for source in sorted(folder.glob("*.py")):
            files.writestr(zipfile.ZipInfo(f"{folder.name}/{source.name}"), source.read_bytes(), zipfile.ZIP_DEFLATED)
    return archive.getvalue()
