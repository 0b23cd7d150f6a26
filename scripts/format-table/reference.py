"""Decodes one page with a library of Python: reference.py LIBRARY FILE PAGE OUT.png; prints the number of pages.

LIBRARY is pillow, managed (Pillow, to sRGB by the profile of the file), nibabel or astropy; `version LIBRARY` prints its version.
"""
import io
import math
import sys

import numpy as np
from PIL import Image, ImageCms, ImageOps, WalImageFile


def pillow(path, page, managed=False):
    image = WalImageFile.open(path) if path.endswith(".wal") else Image.open(path)
    pages = getattr(image, "n_frames", 1)
    if page > 1:
        image.seek(page - 1)
    image = ImageOps.exif_transpose(image)
    if managed:
        image = to_srgb(image)
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    if image.mode in ("CMYK", "YCbCr", "HSV", "LAB"):
        image = image.convert("RGB")
    image.info = {}
    return pages, image


def to_srgb(image):
    """As the profile of the file says, with the perceptual intent."""
    srgb = ImageCms.createProfile("sRGB")
    if image.mode == "LAB":
        profile = ImageCms.createProfile("LAB")
    else:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info["icc_profile"]))
    alpha = image.getchannel("A") if "A" in image.getbands() else None
    if alpha:
        image = image.convert(image.mode[:-1])
    image = ImageCms.profileToProfile(image, profile, srgb, 0, outputMode="RGB")
    if alpha:
        image.putalpha(alpha)
    return image


def to_grey(plane, low, high):
    scaled = (plane.astype(np.float64) - low) / (high - low) * 255
    return Image.fromarray(np.uint8(np.clip(np.nan_to_num(scaled), 0, 255) + 0.5))


def nibabel(path, page):
    """Planes of the first volume in storage order, what is anterior or superior up, windowed by the header or by 99.8 % of the voxels."""
    import nibabel as nib

    volume = nib.load(path)
    shape = volume.shape + (1,) * (3 - len(volume.shape))
    stored = np.asarray(volume.dataobj)
    planes = stored.reshape(shape[0], shape[1], -1, order="F")
    plane = planes[:, :, page - 1].T
    if nib.aff2axcodes(volume.affine)[1] in ("A", "S", "R"):
        plane = plane[::-1]
    header = volume.header
    low, high = (float(header["cal_min"]), float(header["cal_max"])) if "cal_max" in header else (0, 0)
    if low >= high:
        finite = np.sort(stored[np.isfinite(stored)].ravel())
        last = len(finite) - 1
        low, high = finite[math.floor(last * 0.001)], finite[math.ceil(last * 0.999)]
        if low == high:
            low, high = finite[0], finite[-1]
    return shape[2], to_grey(plane, low, high)


def astropy(path, page):
    """The picture bottom up, from its least to its greatest value."""
    from astropy.io import fits

    data = fits.getdata(path)
    planes = data.reshape(-1, data.shape[-2], data.shape[-1])
    plane = planes[page - 1][::-1]
    return len(planes), to_grey(plane, plane.min(), plane.max())


if sys.argv[1] == "version":
    print(__import__("PIL" if sys.argv[2] in ("pillow", "managed") else sys.argv[2]).__version__)
else:
    _, library, path, page, out = sys.argv
    managed = library == "managed"
    if library == "pillow" or managed:
        pages, picture = pillow(path, int(page), managed)
    else:
        pages, picture = {"nibabel": nibabel, "astropy": astropy}[library](path, int(page))
    picture.save(out)
    print(pages)
