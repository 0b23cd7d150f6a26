#!/usr/bin/env python3
"""Trains the x2 upscaler, from scratch or from the ONNX file of an earlier training.

Progress counts steps and never the clock, so that a run may be paused (SIGSTOP), killed and started again with the same
command: it goes on from its last checkpoint. The checkpoint holds the running state and the averaged weights.
"""

import argparse
import math
import os
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from network import Upscaler, deepen, fold, read_onnx, unfold
from images import LUMA, halved, psnr, random_flaw, random_jpeg, read_folder, through_jpeg, to_image, to_tensor


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crops", type=Path, required=True, help="folder of training images, all of one square size")
    parser.add_argument("--check", type=Path, required=True, help="folder of images that only judge")
    parser.add_argument("--checkpoint", type=Path, required=True, help="file to write, and to go on from if it exists")
    parser.add_argument("--start", type=Path, help="ONNX file or checkpoint whose weights to start from; default: from scratch")
    parser.add_argument("--channels", type=int, default=24, help="width when from scratch")
    parser.add_argument("--depth", type=int, default=7, help="body layers; a shallower --start is deepened without a change of function")
    parser.add_argument("--steps", type=int, default=80_000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--patch", type=int, default=64, help="side of the small patches in pixels")
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate; cosine to --final-rate")
    parser.add_argument("--final-rate", type=float, default=1e-6)
    parser.add_argument("--loss", choices=["charbonnier", "squares"], default="charbonnier")
    parser.add_argument("--luma", type=float, default=1.0, help="weight of the loss on luma, beside 1 on RGB")
    parser.add_argument("--average", type=float, default=0.999, help="decay of the averaged weights per step")
    parser.add_argument("--jpeg", type=float, default=0.5, help="share of patches that went through JPEG 60 to 97")
    parser.add_argument("--flaws", type=float, default=0.08, help="share of patches with another filter, blur or noise")
    parser.add_argument("--swaps", type=float, default=0.15, help="share of the clean patches whose channels change places")
    parser.add_argument("--places", type=int, default=2, help="places to choose the hardest patch of a crop from")
    parser.add_argument("--variants", type=int, default=10, help="JPEG versions kept of each crop")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--report", type=int, default=1000, help="steps between checkpoints")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def summed(table, y, x, side):
    """The sum over a square from an integral image."""
    return table[y + side, x + side] - table[y, x + side] - table[y + side, x] + table[y, x]


class Patches:
    """Random pairs of patches. Every degraded version is made once at the start, so that training waits for no codec.

    Photographs are smooth for the most part, and smooth patches teach little: of `places` in a crop, the one where bicubic
    enlargement is furthest off is taken.
    """

    def __init__(self, crops, arguments):
        variants = arguments.variants
        self.large = np.stack(crops)
        self.clean = np.stack([halved(crop) for crop in crops])
        self.jpegs = [np.stack([random_jpeg(small) for small in self.clean]) for _ in range(variants)]
        self.flawed = [np.stack([random_flaw(crop) for crop in crops]) for _ in range(max(1, variants // 3))]
        self.jpeg = arguments.jpeg
        self.flaws = arguments.flaws
        self.swaps = arguments.swaps
        self.places = arguments.places
        self.difficulty = np.stack([self.summed_error(small, large) for small, large in zip(self.clean, self.large)])

    @staticmethod
    def summed_error(small, large):
        """The integral image of the error of bicubic enlargement, [h + 1, w + 1] on the grid of the small image."""
        height, width = small.shape[:2]
        enlarged = np.asarray(Image.fromarray(small).resize((2 * width, 2 * height), Image.BICUBIC))
        error = np.abs(enlarged.astype(np.float32) - large).reshape(height, 2, width, 2, 3).mean((1, 3, 4))
        return np.pad(error.cumsum(0).cumsum(1), ((1, 0), (1, 0)))

    def place(self, index, side):
        """Where the patch starts in the small image: y, x."""
        table = self.difficulty[index]
        places = [[random.randrange(length - side + 1) for length in self.clean.shape[1:3]] for _ in range(self.places)]
        return max(places, key=lambda p: summed(table, *p, side))

    def pair(self, side):
        draw = random.random()
        if draw < self.jpeg:
            source = random.choice(self.jpegs)
        elif draw < self.jpeg + self.flaws:
            source = random.choice(self.flawed)
        else:
            source = self.clean
        index = random.randrange(len(source))
        y, x = self.place(index, side)
        small = source[index, y : y + side, x : x + side]
        large = self.large[index, 2 * y : 2 * (y + side), 2 * x : 2 * (x + side)]
        turns, mirrored = random.randrange(4), random.random() < 0.5
        both = [np.rot90(patch, turns) for patch in (small, large)]
        if mirrored:
            both = [patch[:, ::-1] for patch in both]
        # Swapped channels teach colours that photographs lack. JPEG treats them unequally, hence clean patches only.
        if source is self.clean and random.random() < self.swaps:
            order = random.sample(range(3), 3)
            both = [patch[:, :, order] for patch in both]
        return both

    def batch(self, count, side):
        pairs = [self.pair(side) for _ in range(count)]
        return to_tensor(np.stack([pair[0] for pair in pairs])), to_tensor(np.stack([pair[1] for pair in pairs]))


def loss_of(output, target, kind, luma_weight):
    error = output - target
    luma_error = torch.einsum("nchw,c->nhw", error, error.new_tensor(LUMA))
    if kind == "squares":
        return error.square().mean() + luma_weight * luma_error.square().mean()
    return (error.square() + 1e-6).sqrt().mean() + luma_weight * (luma_error.square() + 1e-6).sqrt().mean()


def rate_at(step, arguments):
    warm = min(1, (step + 1) / 500)
    cosine = 0.5 * (1 + math.cos(math.pi * step / arguments.steps))
    return warm * (arguments.final_rate + (arguments.rate - arguments.final_rate) * cosine)


def judge(network, images, degrade):
    """The mean luma PSNR of the network over images halved and then degraded."""
    plain = fold(network)
    with torch.no_grad():
        return float(np.mean([psnr(to_image(plain(to_tensor(degrade(halved(p))[None]))), p) for p in images]))


def starting_network(arguments):
    if arguments.start is None:
        return Upscaler(arguments.channels, arguments.depth)
    if arguments.start.suffix == ".onnx":
        return unfold(deepen(read_onnx(arguments.start), arguments.depth))
    return load_averaged(arguments.start)


def load_averaged(checkpoint):
    """The network with the averaged weights of a checkpoint."""
    state = torch.load(checkpoint, map_location="cpu")
    network = Upscaler(state["channels"], state["depth"])
    network.load_state_dict(state["averaged"])
    return network.eval()


def main():
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    network = starting_network(arguments)
    averaged = {name: value.clone() for name, value in network.state_dict().items()}
    network.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(network.parameters(), arguments.rate, betas=(0.9, 0.99), foreach=True)
    step = 0
    if arguments.checkpoint.exists():
        state = torch.load(arguments.checkpoint, map_location="cpu")
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        averaged, step = state["averaged"], state["step"]
    random.seed(arguments.seed + step)
    np.random.seed(arguments.seed + step)
    torch.manual_seed(arguments.seed + step)
    patches = Patches(read_folder(arguments.crops), arguments)
    check = read_folder(arguments.check)
    judged = Upscaler(network.convs[0].bias.numel(), len(network.activations) - 1)

    def report(losses):
        """Judges the averaged weights and writes the checkpoint; `losses` are those since the last report."""
        judged.load_state_dict(averaged)
        clean = judge(judged, check, lambda small: small)
        compressed = judge(judged, check, lambda small: through_jpeg(small, 85))
        mean = f"loss {np.mean(losses):.6f}  " if losses else ""
        print(f"step {step}  {mean}clean {clean:.3f}  q85 {compressed:.3f}  cpu {time.process_time() / 60:.1f} min", flush=True)
        state = {
            "network": network.state_dict(),
            "optimizer": optimizer.state_dict(),
            "averaged": averaged,
            "step": step,
            "channels": judged.convs[0].bias.numel(),
            "depth": len(judged.activations) - 1,
        }
        draft = arguments.checkpoint.with_suffix(".part")
        torch.save(state, draft)
        os.replace(draft, arguments.checkpoint)

    print(" ".join(sys.argv), flush=True)
    report([])
    losses = []
    while step < arguments.steps:
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, arguments)
        small, large = patches.batch(arguments.batch, arguments.patch)
        loss = loss_of(network(small), large, arguments.loss, arguments.luma)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimizer.step()
        step += 1
        losses.append(loss.item())
        decay = min(arguments.average, step / (step + 50))
        with torch.no_grad():
            for name, value in network.state_dict().items():
                averaged[name].lerp_(value, 1 - decay)
        if step % arguments.report == 0 or step == arguments.steps:
            report(losses)
            losses = []


if __name__ == "__main__":
    main()
