"""``scanir doctor``: versions, devices and flags, as a report of a problem needs them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from importlib import metadata

import click

from scanir.cli.options import CONTEXT, stdout_is_for_the_report, traceback_option

PACKAGES = ("jax", "jaxlib", "numpy", "rapidfuzz", "click", "rich")
#: Environment variables that change what JAX and XLA make of a program.
_PREFIXES = ("JAX_", "XLA_", "LIBTPU_", "TF_CPP_")
#: Settings of JAX that change what it makes of a program.
_SETTINGS = ("jax_enable_x64", "jax_default_matmul_precision", "jax_default_prng_impl", "jax_threefry_partitionable",
             "jax_numpy_dtype_promotion", "jax_disable_jit", "jax_enable_compilation_cache")  # fmt: skip


@click.command("doctor", context_settings=CONTEXT, short_help="Show versions, devices and flags.")
@traceback_option
def command() -> int:
    """Show versions, devices and flags. Exit codes: 0, or 2 if JAX does not start."""
    from scanir import __version__

    _row("scanir", __version__)
    _row("python", f"{platform.python_version()} ({platform.system()} {platform.machine()})")
    for package in PACKAGES:
        _row(package, _version(package))
    flags = [(name, value) for name, value in sorted(os.environ.items()) if name.startswith(_PREFIXES)]
    with stdout_is_for_the_report():
        rows, healthy = _jax()
    for name, value in rows + flags:
        _row(name, value)
    return 0 if healthy else 2


def _row(name: str, value: str) -> None:
    from scanir.render.words import clean

    click.echo(f"{clean(name):30}{clean(value)}")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _jax() -> tuple[list[tuple[str, str]], bool]:
    try:
        return list(_facts()), True
    # A broken installation may fail in any way, and this command is there to say so.
    except Exception as problem:  # noqa: BLE001
        return [("jax does not start", f"{type(problem).__name__}: {str(problem).partition(chr(10))[0]}")], False


def _facts() -> Iterator[tuple[str, str]]:
    import jax

    yield "devices", ", ".join(f"{device.platform}:{device.id} {device.device_kind}" for device in jax.devices())
    for name in _SETTINGS:
        if hasattr(jax.config, name):
            yield name, str(getattr(jax.config, name))
