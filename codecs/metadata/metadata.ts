import type { GainMap } from './gain-map.ts';

/**
 * What an image file carries besides its pixels. Every block is the bare payload without the wrapper of its container,
 * so that it can move to another container.
 */
export interface Metadata {
  /** ICC profile. */
  icc?: Uint8Array;
  /** EXIF as a TIFF stream: starts with the byte order mark `II` or `MM`, without `Exif\0\0`. */
  exif?: Uint8Array;
  /** XMP packet, UTF-8. */
  xmp?: Uint8Array;
  /** IPTC IIM records (starting with 0x1c), without the Photoshop resource wrapper. */
  iptc?: Uint8Array;
  density?: Density;
  gainMap?: GainMap;
}

/** Resolution in dots per inch. */
export interface Density {
  x: number;
  y: number;
}
