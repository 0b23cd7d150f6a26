/**
 * Reads DICOM: one frame as it should be displayed, in 8-bit grey or RGB. Frames are pages. Pixels that are not square
 * are not resampled; the resolution describes their shape. Overlays are not drawn.
 */
import { type Bitmap, checkPixels } from '../../bitmap.ts';
import { corruptImage, pageOutOfRange } from '../../errors.ts';
import type { FormatReader } from '../../format-reader.ts';
import { type Density, METRES_PER_INCH } from '../../samples.ts';
import { FORMATS } from '../registry.ts';
import { interleave, toBytes, toRgb } from './colour.ts';
import { decodeFrame, type Samples } from './decode.ts';
import type { DataSet } from './elements.ts';
import { type DicomFile, openDicom } from './file.ts';
import { type FrameIndex, indexFrames } from './frames.ts';
import { readPresentation, renderGrey } from './grey.ts';
import { type DicomImage, readImage } from './image.ts';
import { applyPalette, readPalette } from './palette.ts';
import { TAG } from './tags.ts';

const MILLIMETRES_PER_INCH = METRES_PER_INCH * 1000;

/** The samples are held three times: unpacked, as numbers of up to 32 bits, and as bytes. */
const SAMPLE_BYTES = 8;

function open(bytes: Uint8Array, page: number): { file: DicomFile; image: DicomImage; frames: FrameIndex } {
  const file = openDicom(bytes);
  const image = readImage(file);
  const frames = indexFrames(file.dataSet, image);
  if (!frames) throw corruptImage(FORMATS.dicom.name, 'empty pixel data');
  if (page > frames.count) throw pageOutOfRange(page, frames.count);
  return { file, image, frames };
}

export const reader: FormatReader = {
  probe(bytes, { page }) {
    const { image, frames } = open(bytes, page);
    const { width, height, samples, model, bitsStored } = image;
    return {
      width,
      height,
      pages: frames.count,
      depth: 8,
      storedDepth: bitsStored,
      hasAlpha: false,
      ...(samples === 1 && model !== 'palette' ? { channels: 1 } : {}),
      workingBytes: width * height * samples * SAMPLE_BYTES,
    };
  },

  async decode(bytes, { page, maxPixels }, context) {
    const { file, image, frames } = open(bytes, page);
    checkPixels(image, maxPixels);
    const frame = page - 1;
    const samples = await decodeFrame(file, image, frames.read(frame), context);
    if ('embedded' in samples) return samples;
    return { bitmap: render(file.dataSet, image, frame, samples) };
  },
};

function render(dataSet: DataSet, image: DicomImage, frame: number, samples: Samples): Bitmap {
  const { width, height } = image;
  const density = readDensity(dataSet, frame);
  const common = { width, height, density, truncated: samples.truncated };
  if (image.model === 'palette') {
    const data = applyPalette(samples.values, readPalette(dataSet, image.signed));
    return { ...common, data, channels: 3, icc: readProfile(dataSet) };
  }
  if (image.samples === 1) {
    const data = renderGrey(samples.values, samples.bits, image, readPresentation(dataSet, frame, image));
    return { ...common, data, channels: 1 };
  }
  const bytes = toBytes(samples.values, samples.bits);
  const pixels = samples.planar ? interleave(bytes) : bytes;
  const data = samples.model === 'rgb' ? pixels : new Uint8Array(toRgb(pixels, samples.model).buffer);
  return { ...common, data, channels: 3, icc: readProfile(dataSet) };
}

/** Returns the colour profile. Whole-slide images store it with their optical path. */
function readProfile(dataSet: DataSet): Uint8Array | undefined {
  const profile = dataSet.bytes(TAG.iccProfile) ?? dataSet.item(TAG.opticalPaths)?.bytes(TAG.iccProfile);
  return profile?.length ? profile : undefined;
}

/** Computes the density from the spacing of rows and columns in the patient, or else on the detector. */
function readDensity(dataSet: DataSet, frame: number): Density | undefined {
  const groups = [dataSet.item(TAG.perFrameGroups, frame), dataSet.item(TAG.sharedGroups)];
  const sources = [dataSet, ...groups.map((group) => group?.item(TAG.pixelMeasures))];
  for (const tag of [TAG.pixelSpacing, TAG.imagerPixelSpacing]) {
    for (const source of sources) {
      const [row, column] = source?.decimals(tag) ?? [];
      if (row && column && row > 0 && column > 0) {
        return { x: MILLIMETRES_PER_INCH / column, y: MILLIMETRES_PER_INCH / row };
      }
    }
  }
  return undefined;
}
