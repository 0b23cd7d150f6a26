/** Rotates bitmaps upright. */
import type { Bitmap } from './bitmap.ts';
import type { Turn } from './jpeg/requantize.ts';

/** Orientations from here on swap width and height (EXIF 2.32, tag 274). */
const SIDEWAYS_FROM = 5;

export const isSideways = (orientation: number): boolean => orientation >= SIDEWAYS_FROM && orientation <= 8;

/** Returns the size of an image after it is rotated upright. */
export const uprightSize = ({ width, height }: { width: number; height: number }, orientation: number) =>
  isSideways(orientation) ? { width: height, height: width } : { width, height };

/** Returns the turn that makes an image with an EXIF orientation upright. Any value but 2 to 8 counts as upright. */
export function turnOf(orientation: number): Turn {
  return {
    transposes: isSideways(orientation),
    mirrorsAcross: orientation === 2 || orientation === 3 || orientation === 6 || orientation === 7,
    mirrorsDown: orientation === 3 || orientation === 4 || orientation === 7 || orientation === 8,
  };
}

/** Combines two turns. */
export function composeTurns(first: Turn, { transposes, mirrorsAcross, mirrorsDown }: Turn): Turn {
  const [across, down] = transposes
    ? [first.mirrorsDown, first.mirrorsAcross]
    : [first.mirrorsAcross, first.mirrorsDown];
  return {
    transposes: first.transposes !== transposes,
    mirrorsAcross: across !== mirrorsAcross,
    mirrorsDown: down !== mirrorsDown,
  };
}

/**
 * Rotates a bitmap upright.
 * @param orientation of EXIF, 1 to 8: where the first stored row and column belong; any other value counts as upright
 */
export function orient<B extends Bitmap>(bitmap: B, orientation: number): B {
  if (!(orientation >= 2 && orientation <= 8)) return bitmap;
  const { data, width, height, channels, density } = bitmap;
  const { transposes: sideways, mirrorsAcross: mirrorX, mirrorsDown: mirrorY } = turnOf(orientation);
  const size = uprightSize(bitmap, orientation);
  const upright = data instanceof Uint16Array ? new Uint16Array(data.length) : new Uint8Array(data.length);
  const stepX = (sideways ? width : 1) * (mirrorX ? -1 : 1) * channels;
  const stepY = (sideways ? 1 : width) * (mirrorY ? -1 : 1) * channels;
  const startX = mirrorX ? (sideways ? (height - 1) * width : width - 1) : 0;
  const startY = mirrorY ? (sideways ? width - 1 : (height - 1) * width) : 0;
  let row = (startX + startY) * channels;
  let to = 0;
  for (let y = 0; y < size.height; y++, row += stepY) {
    for (let x = 0, from = row; x < size.width; x++, from += stepX) {
      for (let channel = 0; channel < channels; channel++) upright[to++] = data[from + channel]!;
    }
  }
  const turned = density && sideways ? { x: density.y, y: density.x } : density;
  return { ...bitmap, data: upright, ...size, density: turned };
}
