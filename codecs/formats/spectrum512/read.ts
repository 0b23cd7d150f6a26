/**
 * Reads images of Spectrum 512, which has 48 colours in each line (David Baggett, "ST Picture Formats", 1991, "Spectrum
 * 512").
 */
import type { Size } from '../../../base/geometry.ts';
import type { Bitmap } from '../../bitmap.ts';
import { stillFormat } from '../../legacy/still.ts';
import {
  interleaved,
  type PlaneLayout,
  RESOLUTIONS,
  readPalette,
  readPlanes,
  SCREEN_BYTES,
} from '../../screens/atari-st.ts';

const LOW = RESOLUTIONS[0]!;
const { width: WIDTH, height: HEIGHT } = LOW;
/** The first line cannot be coloured and is black. */
const LINES = HEIGHT - 1;
const COLOURS = 16;
/** Palettes per line. */
const PALETTES = 3;
const PALETTE_BYTES = LINES * PALETTES * COLOURS * 2;
const PLAIN_BYTES = SCREEN_BYTES + PALETTE_BYTES;

const MAGIC = [0x53, 0x50];
const PACKED_HEADER_BYTES = 12;
const PACKED_PLANE_BYTES = (LINES * WIDTH) / 8;

interface SpectrumHeader extends Size {
  packed: boolean;
}

interface Planes {
  data: Uint8Array;
  layout: PlaneLayout;
  palettes: Uint8Array;
}

/** Safe on the main thread. */
export function isSpectrum512(bytes: Uint8Array): boolean {
  const header = readHeader(bytes);
  return header !== undefined && (!header.packed || unpack(bytes) !== undefined);
}

function readHeader(bytes: Uint8Array): SpectrumHeader | undefined {
  const packed = bytes[0] === MAGIC[0] && bytes[1] === MAGIC[1] && bytes[2] === 0 && bytes[3] === 0;
  if (bytes.length !== PLAIN_BYTES && (!packed || bytes.length > PLAIN_BYTES)) return undefined;
  return { width: WIDTH, height: HEIGHT, packed: packed && bytes.length !== PLAIN_BYTES };
}

/**
 * Unpacks the planes of lines 1 to 199, stored one after the other and compressed by bytes, then the palettes without
 * their black colours.
 */
function unpack(bytes: Uint8Array): Planes | undefined {
  if (bytes.length < PACKED_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const palettesAt = PACKED_HEADER_BYTES + view.getUint32(4);
  const data = new Uint8Array(PACKED_PLANE_BYTES * 4);
  let write = 0;
  for (let read = PACKED_HEADER_BYTES; read < Math.min(palettesAt, bytes.length) && write < data.length; ) {
    const packet = bytes[read++]!;
    // Runs are one longer than in PackBits.
    const count = packet < 128 ? packet + 1 : 258 - packet;
    if (packet < 128) data.set(bytes.subarray(read, read + Math.min(count, data.length - write)), write);
    else data.fill(bytes[read]!, write, write + count);
    read += packet < 128 ? count : 1;
    write += count;
  }
  const palettes = unpackPalettes(bytes, palettesAt);
  if (write < data.length || !palettes) return undefined;
  // The line above the first stored one is black and not contained in the planes.
  const layout: PlaneLayout = (y, plane, column) =>
    y === 0 ? -1 : plane * PACKED_PLANE_BYTES + ((y - 1) * WIDTH) / 8 + column;
  return { data, layout, palettes };
}

/** Unpacks palettes. A word marks which colours of a palette follow, the first one in the lowest bit. */
function unpackPalettes(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const palettes = new Uint8Array(PALETTE_BYTES);
  let read = at;
  for (let palette = 0; palette < LINES * PALETTES; palette++) {
    if (read + 2 > bytes.length) return undefined;
    const present = (bytes[read]! << 8) | bytes[read + 1]!;
    read += 2;
    for (let colour = 0; colour < COLOURS; colour++) {
      if ((present & (1 << colour)) === 0) continue;
      if (read + 2 > bytes.length) return undefined;
      palettes.set(bytes.subarray(read, read + 2), (palette * COLOURS + colour) * 2);
      read += 2;
    }
  }
  return palettes;
}

/**
 * Returns which of the three palettes of the line applies. The time of a register change, and so its position, depends
 * on the colour number.
 */
function paletteAt(x: number, colour: number): number {
  const change = 10 * colour + (colour & 1 ? -5 : 1);
  if (x < change) return 0;
  return x < change + 160 ? 1 : 2;
}

function readPixels(bytes: Uint8Array, { packed }: SpectrumHeader): Bitmap | undefined {
  const plain = { data: bytes, layout: interleaved(LOW), palettes: bytes.subarray(SCREEN_BYTES) };
  const planes = packed ? unpack(bytes) : plain;
  if (!planes) return undefined;
  const colours = readPalette(planes.palettes, 0, LINES * PALETTES * COLOURS);
  const pixels = readPlanes(planes.data, LOW, planes.layout);
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 1; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const pixel = y * WIDTH + x;
      const colour = pixels[pixel]!;
      const at = (((y - 1) * PALETTES + paletteAt(x, colour)) * COLOURS + colour) * 3;
      data[pixel * 3] = colours[at]!;
      data[pixel * 3 + 1] = colours[at + 1]!;
      data[pixel * 3 + 2] = colours[at + 2]!;
    }
  }
  return { data, width: WIDTH, height: HEIGHT, channels: 3 };
}

export const still = stillFormat<SpectrumHeader>({ readHeader, readPixels });
