/** Reads and checks what a data set declares about its pixels (DICOM PS3.3, C.7.6.3). */
import type { Size } from '../../../base/geometry.ts';
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { FORMATS } from '../registry.ts';
import type { DataSet, Element } from './elements.ts';
import type { DicomFile } from './file.ts';
import { TAG } from './tags.ts';

/** What the samples of a pixel mean, and how they are laid out in native pixel data. */
export type ColourModel =
  | 'monochrome1'
  | 'monochrome2'
  | 'palette'
  | 'rgb'
  | 'ybr'
  | 'ybr422'
  | 'ybrPartial422'
  | 'ybrMct';

/** JPEG 2000 decoders undo the transforms YBR_RCT and YBR_ICT themselves. */
const MODELS: Readonly<Record<string, { model: ColourModel; samples: 1 | 3 }>> = {
  MONOCHROME1: { model: 'monochrome1', samples: 1 },
  MONOCHROME2: { model: 'monochrome2', samples: 1 },
  'PALETTE COLOR': { model: 'palette', samples: 1 },
  RGB: { model: 'rgb', samples: 3 },
  YBR_FULL: { model: 'ybr', samples: 3 },
  YBR_FULL_422: { model: 'ybr422', samples: 3 },
  YBR_PARTIAL_422: { model: 'ybrPartial422', samples: 3 },
  YBR_RCT: { model: 'ybrMct', samples: 3 },
  YBR_ICT: { model: 'ybrMct', samples: 3 },
};

const DIRECTORY_CLASS = '1.2.840.10008.1.3.10';
const MAX_ALLOCATED_BITS = 32;

export interface DicomImage extends Size {
  model: ColourModel;
  samples: 1 | 3;
  /** Whether the samples of each colour are stored together instead of pixel by pixel. */
  planar: boolean;
  /** Bits of a stored sample, and how many of them are used, from bit `shift` upwards. */
  bitsAllocated: number;
  bitsStored: number;
  shift: number;
  signed: boolean;
  floats: boolean;
  /** As declared; the file may contain fewer. */
  frames: number;
  /** Range of values that mark pixels outside of the scanned area. */
  padding: { from: number; to: number } | undefined;
  pixels: Element;
}

/**
 * @throws Failure `unsupported_format` for a file without an image, or with one that cannot be displayed;
 *   `corrupt_image`
 */
export function readImage({ dataSet, syntax }: DicomFile): DicomImage {
  const pixels = dataSet.get(TAG.pixels) ?? dataSet.get(TAG.floatPixels) ?? dataSet.get(TAG.doublePixels);
  if (!pixels) throw missingPixelsError(dataSet);
  if (syntax.coding === 'none') throw unsupportedFormat(`DICOM with the transfer syntax ${syntax.name}`);

  const width = dataSet.integer(TAG.columns) ?? 0;
  const height = dataSet.integer(TAG.rows) ?? 0;
  if (width === 0 || height === 0) throw corruptImage(FORMATS.dicom.name, `${width} x ${height} pixels`);

  const declaredSamples = dataSet.integer(TAG.samplesPerPixel) ?? 1;
  const photometric = dataSet.text(TAG.photometricInterpretation) || (declaredSamples === 3 ? 'RGB' : 'MONOCHROME2');
  const known = MODELS[photometric];
  if (!known) throw unsupportedFormat(`DICOM with the photometric interpretation ${photometric.slice(0, 32)}`);
  const { model, samples } = known;
  if (samples !== declaredSamples)
    throw corruptImage(FORMATS.dicom.name, `${declaredSamples} samples of ${photometric}`);

  const floats = pixels.tag !== TAG.pixels;
  if (floats && samples !== 1) throw corruptImage(FORMATS.dicom.name, 'colours in floating point');
  const signed = !floats && dataSet.integer(TAG.pixelRepresentation) === 1;
  return {
    width,
    height,
    model,
    samples,
    planar: samples > 1 && dataSet.integer(TAG.planarConfiguration) === 1,
    ...readDepth(dataSet, pixels, floats),
    signed,
    floats,
    frames: Math.max(1, Math.trunc(dataSet.decimals(TAG.numberOfFrames)[0] ?? 1)),
    padding: readPadding(dataSet, signed),
    pixels,
  };
}

function readDepth(dataSet: DataSet, pixels: Element, floats: boolean) {
  if (floats) {
    const bits = pixels.tag === TAG.doublePixels ? 64 : 32;
    return { bitsAllocated: bits, bitsStored: bits, shift: 0 };
  }
  const bitsAllocated = dataSet.integer(TAG.bitsAllocated) ?? 0;
  const bitsStored = dataSet.integer(TAG.bitsStored) || bitsAllocated;
  const shift = (dataSet.integer(TAG.highBit) ?? bitsStored - 1) + 1 - bitsStored;
  if (bitsAllocated < 1 || bitsAllocated > MAX_ALLOCATED_BITS || bitsStored > bitsAllocated) {
    throw corruptImage(FORMATS.dicom.name, `${bitsStored} of ${bitsAllocated} bits`);
  }
  // An impossible high bit is more often the wrong field than the other two.
  return { bitsAllocated, bitsStored, shift: shift < 0 || shift + bitsStored > bitsAllocated ? 0 : shift };
}

function readPadding(dataSet: DataSet, signed: boolean): DicomImage['padding'] {
  const read = (tag: number) => {
    const word = dataSet.words(tag)?.[0];
    return word !== undefined && signed ? (word << 16) >> 16 : word;
  };
  const value = read(TAG.pixelPadding);
  if (value === undefined) return undefined;
  const limit = read(TAG.pixelPaddingLimit) ?? value;
  return { from: Math.min(value, limit), to: Math.max(value, limit) };
}

function missingPixelsError(dataSet: DataSet) {
  if (dataSet.get(TAG.directoryRecords) || dataSet.text(TAG.sopClass) === DIRECTORY_CLASS) {
    return unsupportedFormat('a DICOM directory');
  }
  if (dataSet.get(TAG.encapsulatedDocument)) return unsupportedFormat('a document in a DICOM file');
  const modality = dataSet.text(TAG.modality);
  if (modality || dataSet.text(TAG.sopClass)) {
    return unsupportedFormat(
      `a DICOM file without pixel data${modality ? ` (modality ${modality.slice(0, 16)})` : ''}`,
    );
  }
  return corruptImage(FORMATS.dicom.name, 'no pixel data');
}
