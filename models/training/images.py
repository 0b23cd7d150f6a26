"""Images for training and for judging: reading, halving, degrading, and the measures."""

import io
import math
import random

import numpy as np
import torch
from PIL import Image, ImageFilter

SUFFIXES = {".png", ".webp", ".jpg", ".jpeg"}
LUMA = (65.481 / 255, 128.553 / 255, 24.966 / 255)  # ITU-R BT.601, RGB in 0..255 to luma in 16..235


def read_folder(folder):
    """The images of a folder by name, uint8 [H, W, 3] each, cut to even sides."""
    images = []
    for path in sorted(p for p in folder.iterdir() if p.suffix.lower() in SUFFIXES):
        image = np.asarray(Image.open(path).convert("RGB"))
        images.append(image[: image.shape[0] // 2 * 2, : image.shape[1] // 2 * 2])
    if not images:
        raise ValueError(f"{folder} holds no images")
    return images


def halved(image, resample=Image.BICUBIC):
    height, width = image.shape[:2]
    return np.asarray(Image.fromarray(image).resize((width // 2, height // 2), resample))


def through_jpeg(image, quality, subsampling=2):
    """The image saved as JPEG and read back; subsampling 2 is 4:2:0, 0 is 4:4:4."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality, subsampling=subsampling)
    return np.asarray(Image.open(file).convert("RGB"))


def random_jpeg(image):
    return through_jpeg(image, random.randint(60, 97), random.choice([0, 2, 2]))


def random_flaw(image):
    """The half of an image by another filter, or slightly blurred, or slightly noisy; sometimes JPEG on top."""
    kind = random.randrange(3)
    if kind == 0:
        small = halved(image, random.choice([Image.LANCZOS, Image.BOX, Image.HAMMING]))
    else:
        small = halved(image)
    if kind == 1:
        small = np.asarray(Image.fromarray(small).filter(ImageFilter.GaussianBlur(random.uniform(0.2, 0.6))))
    if kind == 2:
        noise = np.random.normal(0, random.uniform(0.5, 4), small.shape)
        small = np.clip(np.round(small + noise), 0, 255).astype(np.uint8)
    return random_jpeg(small) if random.random() < 0.3 else small


def to_tensor(images):
    """uint8 [N, H, W, 3] to float32 [N, 3, H, W] in 0..1, channels last in memory."""
    return torch.from_numpy(np.array(images)).permute(0, 3, 1, 2).float() / 255


def to_image(tensor):
    """float32 [1, 3, H, W] in 0..1 to uint8 [H, W, 3]."""
    return (tensor[0].clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()


def luma(image, border=2):
    """Luma as float64 [H, W] in 16..235, without `border` pixels at each side."""
    return (image.astype(np.float64) @ np.array(LUMA) + 16)[border:-border, border:-border]


def psnr(image, reference):
    """Peak signal-to-noise ratio of the luma in dB, 2 pixels of border left out, as is usual for x2."""
    error = np.mean((luma(image) - luma(reference)) ** 2)
    return 10 * math.log10(255**2 / error) if error else math.inf


def ssim(image, reference):
    """Structural similarity of the luma (Wang et al. 2004): Gaussian window of 11, sigma 1.5, K 0.01 and 0.03."""
    x, y = (torch.from_numpy(luma(p))[None, None] for p in (image, reference))
    window = torch.exp(-((torch.arange(11, dtype=torch.float64) - 5) ** 2) / (2 * 1.5**2))
    window = window / window.sum()

    def mean(z):
        rows = torch.nn.functional.conv2d(z, window.view(1, 1, 11, 1))
        return torch.nn.functional.conv2d(rows, window.view(1, 1, 1, 11))

    mx, my = mean(x), mean(y)
    vx, vy, vxy = mean(x * x) - mx**2, mean(y * y) - my**2, mean(x * y) - mx * my
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    score = (2 * mx * my + c1) * (2 * vxy + c2) / ((mx**2 + my**2 + c1) * (vx + vy + c2))
    return score.mean().item()
