/** The header of an X window dump (X11/XWDFile.h, version 7): 25 numbers of 32 bits. Main-thread safe. */

/** Without the name of the window. */
export const HEADER_BYTES = 100;

const VERSION = 7;
const MAX_NAME_BYTES = 4096;

/** Places of the numbers. */
export const FIELD = {
  headerBytes: 0,
  version: 1,
  layout: 2,
  depth: 3,
  width: 4,
  height: 5,
  byteOrder: 7,
  unit: 8,
  bitOrder: 9,
  bitsPerPixel: 11,
  stride: 12,
  visual: 13,
  masks: 14,
  colours: 19,
} as const;

/** How pixels are stored: one plane of a bitmap, one plane for each bit, or the bits of a pixel together. */
export const LAYOUT = { bitmap: 0, planes: 1, pixels: 2 } as const;

const MAX_BITS = 32;
const UNITS: readonly number[] = [8, 16, 32];

/** The numbers are in the byte order of the machine that wrote them. */
export const isLittleEndian = (view: DataView): boolean => view.getUint32(FIELD.version * 4, true) === VERSION;

/** There is no signature, so all values that are limited are checked. */
export function hasHeader(view: DataView): boolean {
  const little = isLittleEndian(view);
  const number = (field: number) => view.getUint32(field * 4, little);
  const headerBytes = number(FIELD.headerBytes);
  const bitsPerPixel = number(FIELD.bitsPerPixel);
  return (
    number(FIELD.version) === VERSION &&
    headerBytes >= HEADER_BYTES &&
    headerBytes <= HEADER_BYTES + MAX_NAME_BYTES &&
    number(FIELD.layout) <= LAYOUT.pixels &&
    number(FIELD.depth) >= 1 &&
    number(FIELD.depth) <= MAX_BITS &&
    bitsPerPixel >= 1 &&
    bitsPerPixel <= MAX_BITS &&
    UNITS.includes(number(FIELD.unit)) &&
    number(FIELD.byteOrder) <= 1 &&
    number(FIELD.bitOrder) <= 1
  );
}
