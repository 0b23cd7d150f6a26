"""Decodes one page with a library of Python: reference.py LIBRARY FILE PAGE OUT.png; prints the number of pages.

LIBRARY is pillow, managed (Pillow, to sRGB by the profile of the file), nibabel, pydicom or astropy; `version LIBRARY` prints its version.
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
    if path.endswith(".wal"):
        # Pillow leaves the six bits of the palette as they are.
        image = image.convert("RGB").point(lambda value: min(255, round(value * 255 / 63)))
    image.info = {}
    return pages, image


def to_srgb(image):
    """As the profile of the file says, with the perceptual intent."""
    srgb = ImageCms.createProfile("sRGB")
    if image.mode == "LAB":
        profile = ImageCms.createProfile("LAB")
    else:
        profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info["icc_profile"]))
    alpha = image.getchannel("A") if image.mode in ("LA", "RGBA") else None
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
    stored = stored.reshape(shape[0], shape[1], shape[2], -1, order="F")[..., 0]
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


def pydicom(path, page):
    """In the first window of the file, or from its least to its greatest value."""
    import pydicom
    from pydicom.pixel_data_handlers import util

    file = pydicom.dcmread(path, force=True)
    pages = int(file.get("NumberOfFrames", 1))
    stored = file.pixel_array
    interpretation = file.PhotometricInterpretation
    if interpretation.startswith("PALETTE"):
        stored = util.apply_color_lut(stored, file)
    elif interpretation.startswith("YBR") and file.file_meta.TransferSyntaxUID not in pydicom.uid.JPEGTransferSyntaxes:
        stored = util.convert_color_space(stored, interpretation, "RGB")
    if pages > 1:
        stored = stored[page - 1]
    if stored.ndim == 3:
        high = 2 ** (8 * stored.dtype.itemsize) - 1
        return pages, Image.fromarray(np.uint8(stored.astype(np.float64) / high * 255 + 0.5))
    values = util.apply_modality_lut(stored, file)
    if "WindowCenter" in file or "VOILUTSequence" in file:
        values = util.apply_voi_lut(values, file, index=0)
        depth = file.BitsStored
        if "WindowCenter" in file:
            # pydicom scales windows to the range of what can be stored.
            least = -(2 ** (depth - 1)) if file.PixelRepresentation else 0
            span = np.array([least, least + 2**depth - 1])
            if "ModalityLUTSequence" not in file:
                span = span * float(file.get("RescaleSlope", 1)) + float(file.get("RescaleIntercept", 0))
        else:
            span = np.array([0, 2 ** file.VOILUTSequence[0].LUTDescriptor[2] - 1])
    else:
        span = np.array([values.min(), values.max()])
    image = to_grey(values, span[0], max(span[1], span[0] + 1))
    return pages, ImageOps.invert(image) if interpretation == "MONOCHROME1" else image


def astropy(path, page):
    """The image bottom up, from its least to its greatest value."""
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
        pages, image = pillow(path, int(page), managed)
    else:
        pages, image = {"nibabel": nibabel, "astropy": astropy, "pydicom": pydicom}[library](path, int(page))
    image.save(out)
    print(pages)
