/** DEEP, the true colour of TVPaint (Amiga Centre Scotland, "DEEP IFF Chunky Pixel Image", 1991). */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { corruptImage, unsupportedFormat } from '../../errors.ts';
import { Reader, viewOf } from '../../metadata/bytes.ts';
import type { IffImage } from './chunks.ts';
import { NAME } from './header.ts';

const UNPACKED = 0;
const RUN_LENGTH = 1;
const DELTA = 5;

const ELEMENTS = ['red', 'green', 'blue', 'alpha'] as const;
/** Real files have three or four. */
const MAX_ELEMENTS = 8;
/** Maximum expansion: a packet of runs becomes less than 128 times its bytes, a byte of deltas at most 16 bytes. */
const MAX_EXPANSION_RATIO = { runs: 128, deltas: 16 };

export interface DeepHeader extends Size {
  compression: number;
  pixelBytes: number;
  /** Byte offset of each element in a pixel; for 16 bits, that of the upper byte. */
  offsets: Partial<Record<(typeof ELEMENTS)[number], number>>;
  hasAlpha: boolean;
}

/** @throws Failure `corrupt_image`, `unsupported_format` */
export function readDeepHeader({ chunks }: IffImage): DeepHeader {
  const global = chunks.get('DGBL');
  const elements = chunks.get('DPEL');
  if (!global || !elements) throw corruptImage(NAME, 'DGBL or DPEL');
  const compression = new Reader(global.data, NAME).u16(4);
  // The body may be smaller or larger than the display that it was made for.
  const size = new Reader((chunks.get('DLOC') ?? global).data, NAME);
  const width = size.u16(0);
  const height = size.u16(2);
  if (width === 0 || height === 0) throw corruptImage(NAME, `${width} x ${height}`);

  const reader = new Reader(elements.data, NAME);
  const count = reader.u32(0);
  if (count === 0 || count > MAX_ELEMENTS) throw corruptImage(NAME, `${count} elements`);
  const offsets: DeepHeader['offsets'] = {};
  let pixelBytes = 0;
  for (let i = 0; i < count; i++) {
    const element = ELEMENTS[reader.u16(4 + i * 4) - 1];
    const bits = reader.u16(6 + i * 4);
    if (bits === 0 || bits % 8 !== 0 || bits > 32) throw unsupportedFormat(`an Amiga IFF of elements of ${bits} bits`);
    if (element) offsets[element] = pixelBytes;
    pixelBytes += bits / 8;
  }
  if (offsets.red === undefined || offsets.green === undefined || offsets.blue === undefined) {
    throw unsupportedFormat('an Amiga IFF whose colours are not red, green and blue');
  }
  return { width, height, compression, pixelBytes, offsets, hasAlpha: offsets.alpha !== undefined };
}

/** Decodes the image. The caller has checked that width x height is small enough to allocate. */
export function decodeDeep(image: IffImage): Bitmap {
  const header = readDeepHeader(image);
  const { width, height, pixelBytes, offsets, hasAlpha } = header;
  const body = image.chunks.get('DBOD')?.data;
  if (!body || body.length === 0) throw corruptImage(NAME, 'no body');
  const unpacked = unpack(image, header, body);
  const channels = hasAlpha ? 4 : 3;
  const data = new Uint8Array(width * height * channels);
  const present = Math.min(width * height, Math.floor(unpacked.length / pixelBytes));
  for (const [channel, element] of ELEMENTS.slice(0, channels).entries()) {
    const offset = offsets[element]!;
    for (let pixel = 0; pixel < present; pixel++)
      data[pixel * channels + channel] = unpacked[pixel * pixelBytes + offset]!;
  }
  return { data, width, height, channels, truncated: present < width * height };
}

function unpack({ chunks }: IffImage, header: DeepHeader, body: Uint8Array): Uint8Array {
  const { compression } = header;
  if (compression === UNPACKED) return body;
  if (compression === RUN_LENGTH) return unpackRuns(body, header);
  const table = chunks.get('TVDC')?.data;
  if (compression !== DELTA) throw unsupportedFormat(`an Amiga IFF of compression ${compression}`);
  if (!table || table.length < 32) throw corruptImage(NAME, 'TVDC');
  return unpackDeltas(body, header, table);
}

/** Expands ByteRun1 with whole pixels as units. */
function unpackRuns(body: Uint8Array, { width, height, pixelBytes }: DeepHeader): Uint8Array {
  const out = new Uint8Array(Math.min(width * height * pixelBytes, body.length * MAX_EXPANSION_RATIO.runs));
  let write = 0;
  for (let read = 0; read < body.length && write < out.length; ) {
    const packet = body[read++]!;
    if (packet < 128) {
      const part = body.subarray(read, read + Math.min((packet + 1) * pixelBytes, out.length - write));
      out.set(part, write);
      read += part.length;
      write += part.length;
    } else {
      const end = Math.min(out.length, write + (257 - packet) * pixelBytes);
      if (read + pixelBytes > body.length) break;
      for (let i = 0; write < end; i++) out[write++] = body[read + (i % pixelBytes)]!;
      read += pixelBytes;
    }
  }
  return out.subarray(0, write);
}

/**
 * Expands deltas of four bits. Each row stores its elements one after the other, each starting from value 0 and at a
 * whole byte. A nibble selects one of 16 differences. After a difference of 0, the next nibble is the number of further
 * repetitions.
 */
function unpackDeltas(body: Uint8Array, { width, height, pixelBytes }: DeepHeader, table: Uint8Array): Uint8Array {
  const view = viewOf(table);
  const differences = Int16Array.from({ length: 16 }, (_, i) => view.getInt16(i * 2));
  const rowBytes = width * pixelBytes;
  const out = new Uint8Array(Math.min(height * rowBytes, body.length * MAX_EXPANSION_RATIO.deltas + rowBytes));
  const nibbles = body.length * 2;
  const nibbleAt = (index: number) => (body[index >> 1]! >> (index & 1 ? 0 : 4)) & 0x0f;
  let nibble = 0;
  for (let line = 0; line < height * pixelBytes; line++) {
    const row = Math.floor(line / pixelBytes) * rowBytes;
    let write = row + (line % pixelBytes);
    const end = write + rowBytes;
    let value = 0;
    while (write < end) {
      if (nibble >= nibbles) return out.subarray(0, row);
      const difference = differences[nibbleAt(nibble++)]!;
      value = (value + difference) & 0xff;
      let count = 1;
      if (difference === 0 && nibble < nibbles) count = nibbleAt(nibble++) + 1;
      for (; count > 0 && write < end; count--, write += pixelBytes) out[write] = value;
    }
    nibble += nibble & 1;
  }
  return out;
}
