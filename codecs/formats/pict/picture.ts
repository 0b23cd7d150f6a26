/**
 * The opcode stream of a Macintosh PICT: its header and the length of each opcode (Apple, "Inside Macintosh: Imaging
 * With QuickDraw", 1994, appendix A "Picture Opcodes").
 */
import { Reader } from '../../metadata/bytes.ts';
import { pixelsEnd, readPixelMap } from './pixels.ts';
import { type Rect, readRect } from './rect.ts';

export const NAME = 'Macintosh PICT';

export interface PictHeader {
  version: 1 | 2;
  /** At 72 dots per inch. */
  frame: Rect;
  /** The frame in the coordinates of the drawing. */
  space: Rect;
  /** Dots per inch of the drawing. */
  resolution: { x: number; y: number };
  /** Offset of the opcodes. */
  at: number;
}

const APPLICATION_BYTES = 512;
const VERSION_AT = 10;
const VERSION_1 = 0x1101;
const VERSION_2 = 0x001102ff;
const HEADER_OPCODE = 0x0c00;
const EXTENDED = 0xfffe;
const FRAME_DPI = 72;
const MAX_DPI = 2400;

/**
 * Detects PICT. Safe on the main thread. The signature follows the frame, and most files start with 512 bytes for the
 * application.
 */
export const isPict = (bytes: Uint8Array): boolean => pictureStart(bytes) !== undefined;

function pictureStart(bytes: Uint8Array): number | undefined {
  const reader = new Reader(bytes, NAME);
  for (const start of [APPLICATION_BYTES, 0]) {
    if (bytes.length < start + VERSION_AT + 4) continue;
    const frame = readRect(reader, start + 2);
    if (frame.bottom <= frame.top || frame.right <= frame.left) continue;
    if (reader.u32(start + VERSION_AT) === VERSION_2) return start;
    // Two bytes are a weak signature: without the first 512 bytes the stored 16 bits of the length must match too.
    const sure = start > 0 || reader.u16(start) === (bytes.length & 0xffff);
    if (reader.u16(start + VERSION_AT) === VERSION_1 && sure) return start;
  }
  return undefined;
}

export function readPictHeader(bytes: Uint8Array): PictHeader | undefined {
  const start = pictureStart(bytes);
  if (start === undefined) return undefined;
  const reader = new Reader(bytes, NAME);
  const frame = readRect(reader, start + 2);
  const plain = { frame, space: frame, resolution: { x: FRAME_DPI, y: FRAME_DPI } };
  const versionAt = start + VERSION_AT;
  if (reader.u16(versionAt) === VERSION_1) return { ...plain, version: 1, at: versionAt + 2 };
  const at = versionAt + 4;
  if (bytes.length < at + 26 || reader.u16(at) !== HEADER_OPCODE || reader.u16(at + 2) !== EXTENDED) {
    return { ...plain, version: 2, at };
  }
  const space = readRect(reader, at + 14);
  const x = reader.u32(at + 6) / 0x10000;
  const y = reader.u32(at + 10) / 0x10000;
  const usable =
    space.right > space.left && space.bottom > space.top && x >= 1 && x <= MAX_DPI && y >= 1 && y <= MAX_DPI;
  return usable ? { version: 2, frame, space, resolution: { x, y }, at } : { ...plain, version: 2, at };
}

/** Called with each opcode and the offset of its data. Returns true to end the walk. */
export type Visitor = (opcode: number, at: number) => boolean | undefined;

const END = 0xff;

/** @returns whether the walk ended normally, not at the end of the file or at unreadable data */
export function walkPicture(reader: Reader, { version, at: start }: PictHeader, visit: Visitor): boolean {
  const opcodeBytes = version;
  for (let at = start; at + opcodeBytes <= reader.length; ) {
    const opcode = version === 1 ? reader.u8(at) : reader.u16(at);
    if (opcode === END) return true;
    at += opcodeBytes;
    const end = dataEnd(reader, opcode, at);
    if (end === undefined || end > reader.length) return false;
    if (visit(opcode, at)) return true;
    // Opcodes of version 2 are aligned to 16 bits, counted from the start of the image, which is even.
    at = version === 2 ? end + (end & 1) : end;
  }
  return false;
}

/** Data bytes of the fixed-length opcodes below 0x24; -1: the first two bytes hold the size, including themselves. */
const REGION = -1;
// biome-ignore format: eight opcodes a line
const FIXED_BYTES = [
  0, REGION, 8, 2, 1, 2, 4, 4,
  2, 8, 8, 4, 4, 2, 4, 4,
  8, 2, 0, 0, 0, 2, 2, 0,
  0, 0, 6, 6, 0, 6, 0, 6,
  8, 4, 6, 2,
];
/**
 * Data bytes by the upper four bits: rectangle, round rectangle, oval, arc, polygon, region. The upper eight of 16
 * repeat the last shape.
 */
const SHAPE_BYTES = [8, 8, 8, 12, REGION, REGION];
const ARC = 6;
const SAME_ARC_BYTES = 4;

const FIRST_PIXEL_PATTERN = 0x12;
const LAST_PIXEL_PATTERN = 0x14;

/** Returns the end of an opcode's data; undefined when it is unknown. */
function dataEnd(reader: Reader, opcode: number, at: number): number | undefined {
  const counted = (sizeAt: number, bytes: 1 | 2 | 4) => {
    if (at + sizeAt + bytes > reader.length) return undefined;
    const size = bytes === 1 ? reader.u8(at + sizeAt) : bytes === 2 ? reader.u16(at + sizeAt) : reader.u32(at + sizeAt);
    return at + sizeAt + bytes + size;
  };
  const region = () => (at + 2 > reader.length ? undefined : at + Math.max(2, reader.u16(at)));

  if (opcode >= FIRST_PIXEL_PATTERN && opcode <= LAST_PIXEL_PATTERN) return pixelPatternEnd(reader, at);
  const fixed = FIXED_BYTES[opcode];
  if (fixed !== undefined) return fixed === REGION ? region() : at + fixed;
  if (opcode < 0x28) return counted(0, 2);
  if (opcode < 0x2c) return counted([4, 1, 1, 2][opcode - 0x28]!, 1);
  if (opcode < 0x30) return counted(0, 2);
  if (opcode < 0x90) {
    const shape = opcode >> 4;
    if (opcode & 8) return at + (shape === ARC ? SAME_ARC_BYTES : 0);
    const bytes = SHAPE_BYTES[shape - 3]!;
    return bytes === REGION ? region() : at + bytes;
  }
  if (isPixels(opcode)) {
    const pixels = readPixelMap(reader, opcode, at);
    return pixels && pixelsEnd(reader, pixels);
  }
  if (opcode < 0xa0) return counted(0, 2);
  if (opcode === 0xa0) return at + 2;
  if (opcode === 0xa1) return counted(2, 2);
  if (opcode < 0xb0) return counted(0, 2);
  if (opcode < 0xd0) return at;
  if (opcode < 0x100) return counted(0, 4);
  if (opcode < 0x8000) return at + 2 * (opcode >> 8);
  return opcode < 0x8100 ? at : counted(0, 4);
}

/** Whether the opcode is BitsRect, BitsRgn, PackBitsRect, PackBitsRgn, DirectBitsRect or DirectBitsRgn. */
export const isPixels = (opcode: number): boolean =>
  opcode === 0x90 || opcode === 0x91 || (opcode >= 0x98 && opcode <= 0x9b);

export const DITHERED_PATTERN = 2;

/** Returns the end of a pattern: its kind, its black and white form, and either one colour or a pixel map. */
function pixelPatternEnd(reader: Reader, at: number): number | undefined {
  if (at + 10 > reader.length) return undefined;
  if (reader.u16(at) === DITHERED_PATTERN) return at + 16;
  const pixels = readPixelMap(reader, FIRST_PIXEL_PATTERN, at + 10);
  return pixels && pixelsEnd(reader, pixels);
}
