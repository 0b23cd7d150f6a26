import type { Image } from './vips.ts';

export interface JxlSettings {
  /** 1 to 100. */
  quality: number;
}

// The profile is part of the codestream, so it cannot be written later as in the other formats.
const KEEP = 'icc';

/** Encodes lossy. Figures behind the effort: bench/encoders.md. */
export function encodeJxl(image: Image, { quality }: JxlSettings): Uint8Array {
  return image.jxlsaveBuffer({ Q: quality, effort: 5, keep: KEEP });
}

/** Encodes every sample as it is, 8 or 16 bits. */
export function encodeLosslessJxl(image: Image): Uint8Array {
  return image.jxlsaveBuffer({ lossless: true, effort: 3, keep: KEEP });
}
