/** Reads images of Degas and Degas Elite (David Baggett, "ST Picture Formats", 1991, "DEGAS"). */
import type { Size } from '../../../base/geometry.ts';
import { unpackBits } from '../../legacy/packbits-read.ts';
import { stillFormat } from '../../legacy/still.ts';
import {
  atariScreen,
  interleaved,
  PALETTE_BYTES,
  RESOLUTIONS,
  type Resolution,
  rowByRow,
  SCREEN_BYTES,
  shownSize,
} from '../../screens/atari-st.ts';

const HEADER_BYTES = 2 + PALETTE_BYTES;
const PACKED = 0x80;
/** Data for colour animation, which Elite appends. */
const ANIMATION_BYTES = 32;
/**
 * The rows of planes are packed separately, so each starts with a new packet. Packing adds at most one byte per 128.
 */
const MAX_PACKED_BYTES = HEADER_BYTES + SCREEN_BYTES + SCREEN_BYTES / 40 + ANIMATION_BYTES;

interface DegasHeader extends Size {
  resolution: Resolution;
  packed: boolean;
}

/** Safe on the main thread. */
export function isDegas(bytes: Uint8Array): boolean {
  const header = readHeader(bytes);
  return header !== undefined && (!header.packed || expand(bytes).length === SCREEN_BYTES);
}

function readHeader(bytes: Uint8Array): DegasHeader | undefined {
  const resolution = RESOLUTIONS[bytes[1] ?? -1];
  const packed = bytes[0] === PACKED;
  if (!resolution || (!packed && bytes[0] !== 0)) return undefined;
  const plainBytes = HEADER_BYTES + SCREEN_BYTES;
  const fits = packed
    ? bytes.length > HEADER_BYTES && bytes.length <= MAX_PACKED_BYTES
    : bytes.length === plainBytes || bytes.length === plainBytes + ANIMATION_BYTES;
  return fits ? { ...shownSize(resolution), resolution, packed } : undefined;
}

function expand(bytes: Uint8Array): Uint8Array {
  const screen = new Uint8Array(SCREEN_BYTES);
  const { write } = unpackBits(bytes, HEADER_BYTES, bytes.length, screen, 0, SCREEN_BYTES);
  return screen.subarray(0, write);
}

export const still = stillFormat<DegasHeader>({
  readHeader,
  readPixels(bytes, { resolution, packed }) {
    if (!packed) return atariScreen(bytes, 2, bytes.subarray(HEADER_BYTES), resolution, interleaved(resolution));
    const screen = expand(bytes);
    return screen.length === SCREEN_BYTES ? atariScreen(bytes, 2, screen, resolution, rowByRow(resolution)) : undefined;
  },
});
