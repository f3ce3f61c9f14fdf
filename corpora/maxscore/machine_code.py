"""The functions that rank, cut snippets, read and fingerprint texts, as machine code in the user's cache folder.

numba makes it once a machine, in some seconds; from then on llvmlite, which numba brings, loads it: numba itself takes
half a second and 50 MB a process, this a twentieth of a second and 6 MB.
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Callable
from functools import cache, partial
from hashlib import blake2b
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.runtime.files import cache_folder, replace_file

_SOURCES = (
    "kernel.py",
    "cutting.py",
    "shingling.py",
    "tokenizing.py",
    "layout.py",
    "../snippets.py",
    "../deduplication.py",
)
_FOLDER = "machine-code"
_UNUSED = ctypes.c_void_p()  # where numba's functions say what they return, and which error they raise: none


class MachineCode(NamedTuple):
    """The functions; each takes the address of its 64-bit numbers.

    Attributes:
        rank: :func:`webenv.corpora.maxscore.kernel.rank`.
        cut: :func:`webenv.corpora.maxscore.cutting.cut`.
        shingle: :func:`webenv.corpora.maxscore.shingling.shingle`.
        tokenize: :func:`webenv.corpora.maxscore.tokenizing.tokenize`.
        spell: :func:`webenv.corpora.maxscore.tokenizing.spell`.
        engine: what owns the code.
    """

    rank: Callable[[int], int]
    cut: Callable[[int], int]
    shingle: Callable[[int], int]
    tokenize: Callable[[int], int]
    spell: Callable[[int], int]
    engine: object


@cache
def machine_code(make: bool = True) -> MachineCode | None:
    """The functions, loaded, or compiled where they are not in the cache; ``None`` where that cannot be done here.

    Args:
        make: whether to compile; else ``None`` where that was never done.
    """
    if find_spec("numba") is None or find_spec("llvmlite") is None:
        return None
    try:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        host = f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
        machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=3,
            codemodel="jitdefault",
            jit=True,
        )
        path = cache_folder() / _FOLDER / f"maxscore-{_digest(host)}.o"
        code = _kept(path)
        if not code and not make:
            return None
        if not code:
            path.parent.mkdir(parents=True, exist_ok=True)
            code = _compiled(llvm, machine)
            replace_file(path, code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        unused = ctypes.addressof(_UNUSED)
        functions = [
            partial(function(engine.get_function_address(name)), unused, unused) for name in MachineCode._fields[:-1]
        ]  # they let go of Python's lock
    except (ImportError, RuntimeError, OSError):
        return None
    return MachineCode._make([*functions, engine])


def call(function: Callable[[int], int], *arrays: npt.NDArray[Any]) -> None:
    """Gives a function the addresses and lengths of arrays, which are contiguous."""
    given = np.array([number for one in arrays for number in (one.ctypes.data, one.size)], np.int64)
    function(given.ctypes.data)


def _digest(host: str) -> str:
    """What the machine code was made from: another is never loaded."""
    told = blake2b(digest_size=16)
    for name in _SOURCES:
        told.update(Path(__file__).parent.joinpath(name).read_bytes())
    told.update(f"{version('numba')} {version('llvmlite')} {host}".encode())
    return told.hexdigest()


def _kept(path: Path) -> bytes:
    """The machine code that this user has kept; empty where there is none, or another could have written it."""
    try:
        with open(path, "rb") as file:
            about = os.fstat(file.fileno())
            mine = os.name != "posix" or (
                about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
            )
            return file.read() if mine and stat.S_ISREG(about.st_mode) else b""
    except OSError:
        return b""


def _compiled(llvm: Any, machine: Any) -> bytes:
    """The functions alone, without the wrappers that numba puts around them: they need nothing of it."""
    from numba import cfunc, types

    from webenv.corpora.maxscore.cutting import cut
    from webenv.corpora.maxscore.kernel import rank
    from webenv.corpora.maxscore.shingling import shingle
    from webenv.corpora.maxscore.tokenizing import spell, tokenize

    whole = llvm.parse_assembly("")
    for one in (rank, cut, shingle, tokenize, spell):
        made = cfunc(types.void(types.voidptr), error_model="numpy")(one)
        module = llvm.parse_assembly(made.inspect_llvm())
        native = made.native_name.removeprefix("cfunc.")
        for function in module.functions:
            if not function.is_declaration:
                function.linkage = "external" if function.name == native else "internal"
        module.get_function(native).name = one.__name__
        passes = llvm.create_new_module_pass_manager()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
        whole.link_in(module)
    if any(function.is_declaration and function.name.startswith("NRT_") for function in whole.functions):
        raise RuntimeError("a function needs numba's runtime, which is not there when it is loaded")
    code: bytes = machine.emit_object(whole)
    return code
