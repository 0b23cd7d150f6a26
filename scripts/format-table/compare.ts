/** Measures the difference between two decoded images. */
import { FINGERPRINT_SIDE, fingerprint, fingerprintDistance } from '../../engine/quality/fingerprint.ts';
import type { Raster } from './raster.ts';

export interface Difference {
  /** Largest difference of a sample, in units of 8 bits. */
  largest: number;
  /** Mean absolute difference of the samples, in units of 8 bits. */
  mean: number;
  /** Bits in which the perceptual hashes differ. */
  distance: number;
}

const FULL = 65_535;
const EIGHT_BITS = 257;

/**
 * Compares two images of the same size. Colours are weighted by their opacity; alpha is compared only if both decoders
 * return it.
 */
export function compareRasters(one: Raster, other: Raster): Difference {
  const bothAlpha = one.hasAlpha && other.hasAlpha;
  let largest = 0;
  let sum = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    const alphas = [one.data[at + 3]!, other.data[at + 3]!] as const;
    const weight = (bothAlpha ? Math.max(...alphas) : Math.min(...alphas)) / FULL;
    const alpha = bothAlpha ? Math.abs(alphas[0] - alphas[1]) : 0;
    if (alpha > largest) largest = alpha;
    sum += alpha;
    for (let channel = at; channel < at + 3; channel++) {
      const difference = Math.abs(one.data[channel]! - other.data[channel]!) * weight;
      if (difference > largest) largest = difference;
      sum += difference;
    }
  }
  const samples = (one.data.length / 4) * (bothAlpha ? 4 : 3);
  return {
    largest: largest / EIGHT_BITS,
    mean: sum / samples / EIGHT_BITS,
    distance: fingerprintDistance(hash(one, other), hash(other, one)),
  };
}

/** Hashes the image on white, unless the other decoder returns no alpha. */
function hash(raster: Raster, { hasAlpha }: Raster): string {
  const side = FINGERPRINT_SIDE;
  const luminances = new Uint8Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      luminances[row * side + column] = meanLuminance(raster, hasAlpha, column / side, row / side, 1 / side);
    }
  }
  return fingerprint(luminances);
}

/**
 * Mean luminance of the pixels whose corner is in a square of the image, or of the nearest pixel if there is none; 0 to
 * 255.
 */
function meanLuminance(raster: Raster, withAlpha: boolean, left: number, top: number, share: number): number {
  const { width, height, data } = raster;
  const fromX = Math.floor(left * width);
  const fromY = Math.floor(top * height);
  const toX = Math.max(fromX + 1, Math.floor((left + share) * width));
  const toY = Math.max(fromY + 1, Math.floor((top + share) * height));
  let sum = 0;
  for (let y = fromY; y < toY; y++) {
    for (let x = fromX; x < toX; x++) {
      const at = (y * width + x) * 4;
      const grey = 0.299 * data[at]! + 0.587 * data[at + 1]! + 0.114 * data[at + 2]!;
      const opacity = withAlpha ? data[at + 3]! / FULL : 1;
      sum += grey * opacity + FULL * (1 - opacity);
    }
  }
  return sum / ((toX - fromX) * (toY - fromY)) / EIGHT_BITS;
}
