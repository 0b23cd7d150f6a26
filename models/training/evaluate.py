#!/usr/bin/env python3
"""Judges an upscaler on a folder of images, against bicubic enlargement.

Each image is halved with Pillow's bicubic filter, kept clean or saved as JPEG (Pillow's defaults, 4:2:0), enlarged, and
compared with the original: PSNR and SSIM of the luma without 2 pixels of border, and the shift of the mean of each channel
against the enlarged image's own small original, in levels of 255. With --tile it also tells by how much enlargement in
overlapping tiles differs from enlargement in one piece.
"""

import argparse
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from network import SCALE, fold, read_onnx
from images import halved, psnr, read_folder, ssim, through_jpeg, to_image, to_tensor
from train import load_averaged

DEGRADATIONS = {"clean": None, "q95": 95, "q85": 85, "q75": 75}


def load_runner(path):
    """A function from a small image to an enlarged one: onnxruntime for .onnx if it is there, torch otherwise."""
    if path.suffix == ".onnx":
        try:
            import onnxruntime
        except ImportError:
            network = read_onnx(path)
        else:
            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
            return lambda small: to_image(torch.from_numpy(session.run(None, {"rgb": to_tensor(small[None]).numpy()})[0]))
    else:
        network = fold(load_averaged(path))

    def run(small):
        with torch.no_grad():
            return to_image(network(to_tensor(small[None])))

    return run


def bicubic(small):
    height, width = small.shape[:2]
    return np.asarray(Image.fromarray(small).resize((SCALE * width, SCALE * height), Image.BICUBIC))


def in_tiles(run, small, tile, overlap):
    """Enlarges in tiles that see `overlap` pixels beyond their share on every side."""
    height, width = small.shape[:2]
    large = np.empty((SCALE * height, SCALE * width, 3), np.uint8)
    for y in range(0, height, tile):
        for x in range(0, width, tile):
            top, left = max(0, y - overlap), max(0, x - overlap)
            bottom, right = min(height, y + tile), min(width, x + tile)
            part = run(small[top : bottom + overlap, left : right + overlap])
            rows = slice(SCALE * (y - top), SCALE * (bottom - top))
            columns = slice(SCALE * (x - left), SCALE * (right - left))
            large[SCALE * y : SCALE * bottom, SCALE * x : SCALE * right] = part[rows, columns]
    return large


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", type=Path, help=".onnx file or checkpoint of train.py")
    parser.add_argument("images", type=Path, help="folder of original images")
    parser.add_argument("--tile", type=int, help="side of the tiles in pixels of the small image")
    parser.add_argument("--overlap", type=int, default=16)
    arguments = parser.parse_args()
    run = load_runner(arguments.network)
    originals = read_folder(arguments.images)
    print(f"{len(originals)} images       PSNR   bicubic     SSIM  bicubic   mean shift R, G, B")
    for name, quality in DEGRADATIONS.items():
        smalls = [halved(image) for image in originals]
        smalls = [small if quality is None else through_jpeg(small, quality) for small in smalls]
        ours, theirs = [run(small) for small in smalls], [bicubic(small) for small in smalls]
        figures = [np.mean([measure(*pair) for pair in zip(enlarged, originals)]) for measure in (psnr, ssim) for enlarged in (ours, theirs)]
        shift = np.array([large.mean((0, 1)) - small.mean((0, 1)) for large, small in zip(ours, smalls)])
        widest = shift[np.abs(shift).argmax(0), range(3)]
        print(
            "{:10} {:8.3f}  {:8.3f} {:8.4f} {:8.4f}  ".format(name, *figures),
            "mean {:+.3f} {:+.3f} {:+.3f}, widest {:+.3f} {:+.3f} {:+.3f}".format(*shift.mean(0), *widest),
        )
    if arguments.tile:
        small = halved(originals[0])
        difference = np.abs(in_tiles(run, small, arguments.tile, arguments.overlap).astype(int) - run(small)).max()
        print(f"tiles of {arguments.tile} with {arguments.overlap} beyond: at most {difference} levels off")


if __name__ == "__main__":
    main()
