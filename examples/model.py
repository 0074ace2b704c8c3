"""Stands for a model: prints what TT-XLA printed while it ran one, so that ttmem can be tried without a device."""
import pathlib
import sys

sys.stdout.buffer.write((pathlib.Path(__file__).parent / "transformer_profile.log").read_bytes())
