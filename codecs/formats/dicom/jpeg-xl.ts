/** Decodes JPEG XL with libvips. */
import { corruptImage } from '../../errors.ts';
import { isDecodeError, vipsMessage } from '../../source.ts';
import type { Image, VipsApi } from '../../vips.ts';
import { FORMATS } from '../registry.ts';

const MAX_SAMPLE = 65_535;
const CONTAINER = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20];

/** Whether the bytes start like a JPEG XL codestream or container. */
export const isJpegXl = (bytes: Uint8Array): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0x0a) || CONTAINER.every((byte, index) => bytes[index] === byte);

export interface JpegXlSamples {
  /** Interleaved, right-aligned. */
  values: Uint8Array | Uint16Array;
  precision: number;
  truncated: false;
}

/** Opens the header of a frame. @throws Failure `corrupt_image` */
export function openJpegXl(vips: VipsApi, bytes: Uint8Array): Image {
  const open = (file: Uint8Array) => vips.Image.jxlloadBuffer(file, { fail_on: 'truncated' });
  // Fragments are padded to an even length, but libjxl refuses bytes behind a codestream.
  const padded = bytes.at(-1) === 0;
  return attempt(() => open(bytes), padded ? () => open(bytes.subarray(0, -1)) : undefined);
}

/**
 * Decodes the samples.
 * @param image from {@link openJpegXl}, whose size has been checked
 * @param bits number of bits used, as declared in the data set
 * @throws Failure `corrupt_image`
 */
export function decodeJpegXl(image: Image, bits: number): JpegXlSamples {
  const values = attempt(() => image.writeToMemory() as Uint8Array | Uint16Array);
  if (values.BYTES_PER_ELEMENT === 1) return { values, precision: 8, truncated: false };
  // libvips scales samples of less than 16 bits to the full range.
  const precision = Math.min(16, bits);
  const factor = (2 ** precision - 1) / MAX_SAMPLE;
  if (factor < 1) for (let at = 0; at < values.length; at++) values[at] = Math.round(values[at]! * factor);
  return { values, precision, truncated: false };
}

/** Converts decode errors; traps and bugs are rethrown. */
function attempt<T>(work: () => T, otherwise?: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    if (otherwise) return attempt(otherwise);
    throw corruptImage(FORMATS.dicom.name, vipsMessage(error));
  }
}
