#!/usr/bin/env python3
"""Folds a trained upscaler into plain convolutions and writes it as ONNX.

Refuses to write where the folded network, or the file read back, differs from the branches run one by one by more than
rounding.
"""

import argparse
import sys
from pathlib import Path

import torch

from network import fold, read_onnx, write_onnx
from train import load_averaged

TOLERANCE = 1e-4  # of 0..1: float32 rounding over nine layers stays below a tenth of this


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path, help="checkpoint of train.py")
    parser.add_argument("onnx", type=Path, help="file to write")
    arguments = parser.parse_args()
    trained = load_averaged(arguments.checkpoint)
    plain = fold(trained)
    draft = arguments.onnx.with_suffix(".part")
    write_onnx(plain, str(draft))
    sample = torch.rand(1, 3, 40, 56)
    with torch.no_grad():
        expected = trained(sample, folded=False)
        folding = (plain(sample) - expected).abs().max().item()
        reading = (read_onnx(draft)(sample) - expected).abs().max().item()
    print(f"greatest difference after folding {folding:.2e}, after reading back {reading:.2e}")
    if max(folding, reading) > TOLERANCE:
        draft.unlink()
        sys.exit("the folded network differs from the trained one")
    draft.replace(arguments.onnx)
    weights = sum(parameter.numel() for parameter in plain.parameters())
    print(f"{arguments.onnx}: {weights} weights, {arguments.onnx.stat().st_size} bytes")


if __name__ == "__main__":
    main()
