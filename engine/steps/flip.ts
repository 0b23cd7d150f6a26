import type { Image } from '../../codecs/vips.ts';

export type Flip = 'none' | 'h' | 'v' | 'hv';

/** Mirrors left to right (h), top to bottom (v) or both. */
export function flip(image: Image, how: Flip): Image {
  const mirrored = how.includes('h') ? image.flipHor() : image;
  return how.includes('v') ? mirrored.flipVer() : mirrored;
}
