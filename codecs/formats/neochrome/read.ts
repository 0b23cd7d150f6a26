/** Reads images of NEOchrome (David Baggett, "ST Picture Formats", 1991, "NEOchrome"). */
import type { Size } from '../../../base/geometry.ts';
import { stillFormat } from '../../legacy/still.ts';
import {
  atariScreen,
  interleaved,
  RESOLUTIONS,
  type Resolution,
  SCREEN_BYTES,
  shownSize,
} from '../../screens/atari-st.ts';

const HEADER_BYTES = 128;
const PALETTE_AT = 4;

interface NeochromeHeader extends Size {
  resolution: Resolution;
}

/** Safe on the main thread. */
export const isNeochrome = (bytes: Uint8Array): boolean => readHeader(bytes) !== undefined;

/** Reads a flag that is always zero, then the resolution. */
function readHeader(bytes: Uint8Array): NeochromeHeader | undefined {
  if (bytes.length !== HEADER_BYTES + SCREEN_BYTES || bytes[0] || bytes[1] || bytes[2]) return undefined;
  const resolution = RESOLUTIONS[bytes[3]!];
  return resolution && { ...shownSize(resolution), resolution };
}

export const still = stillFormat<NeochromeHeader>({
  readHeader,
  readPixels: (bytes, { resolution }) =>
    atariScreen(bytes, PALETTE_AT, bytes.subarray(HEADER_BYTES), resolution, interleaved(resolution)),
});
