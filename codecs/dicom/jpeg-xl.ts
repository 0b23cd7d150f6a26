/** JPEG XL through libvips. */
import { corruptImage } from '../errors.ts';
import { FORMATS } from '../formats.ts';
import { isDecodeError, vipsMessage } from '../source.ts';
import type { VipsApi } from '../vips.ts';

const DEEPEST = 65_535;
const CONTAINER = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20];

/** Whether the bytes start like a JPEG XL code stream or container. */
export function isJpegXl(bytes: Uint8Array): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0x0a) || CONTAINER.every((byte, index) => bytes[index] === byte);
}

/**
 * @param bits that the data set says are used
 * @returns the size of the picture, to be checked before its pixels are read
 * @throws Failure `corrupt_image`, also from `read`
 */
export function decodeJpegXl(vips: VipsApi, bytes: Uint8Array, bits: number) {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      if (!isDecodeError(cause)) throw cause;
      throw corruptImage(FORMATS.dicom.name, vipsMessage(cause));
    }
  };
  const image = attempt(() => vips.Image.jxlloadBuffer(bytes, { fail_on: 'truncated' }));
  return {
    width: image.width,
    height: image.height,
    components: image.bands,
    read: () =>
      attempt(() => {
        const values = image.writeToMemory() as Uint8Array | Uint16Array;
        if (values.BYTES_PER_ELEMENT === 1) return { values, precision: 8, truncated: false };
        // libvips spreads samples of less than 16 bits over all of them.
        const factor = (2 ** Math.min(16, bits) - 1) / DEEPEST;
        if (factor < 1) for (let at = 0; at < values.length; at++) values[at] = Math.round(values[at]! * factor);
        return { values, precision: Math.min(16, bits), truncated: false };
      }),
  };
}
