import { type CodePoints, profileOfCodePoints } from '../../code-points.ts';
import { ICC_FIELD } from '../../colour.ts';
import { rereadable } from '../../decoded-image.ts';
import { corruptImage, needsMoreMemory } from '../../errors.ts';
import { isMostlyFlat } from '../../pixel-facts.ts';
import { vipsMessage } from '../../source.ts';
import { hdrProfileOf } from '../../tone-mapping.ts';
import type { Image } from '../../vips.ts';

export interface JxlSettings {
  /** 1 to 100. */
  quality: number;
}

// The profile is part of the codestream, so it cannot be added later as in the other formats.
const KEEP = 'icc';

/**
 * Above this a lower effort is used: libjxl takes 155 bytes per pixel at effort 5, and 107 at effort 4 (measured with a
 * photograph of 8 megapixels), and all of it at once.
 */
const MAX_FULL_EFFORT_PIXELS = 6_000_000;

/**
 * Encodes lossy. The measurements behind the effort are in bench/encoders.md.
 * @throws Failure `image_too_large` if the encoder needs more memory than there is
 */
export const encodeJxl = (image: Image, { quality }: JxlSettings): Uint8Array =>
  save(image, { Q: quality, effort: image.width * image.height > MAX_FULL_EFFORT_PIXELS ? 4 : 5 });

/** Above this the better effort for flat images would take more than 3 s. */
const MAX_SLOW_PIXELS = 4_000_000;

/**
 * Encodes every sample losslessly, 8 or 16 bits. Compared with effort 3, effort 7 makes screenshots and print a third
 * to a half the size, and other flat images 60 to 95%, for two to five times the time. Photographs get 99% of the size
 * for seven times the time.
 */
export function encodeLosslessJxl(image: Image): Uint8Array {
  if (image.width * image.height > MAX_SLOW_PIXELS) return save(image, { lossless: true, effort: 3 });
  const held = rereadable(image, MAX_SLOW_PIXELS);
  return save(held, { lossless: true, effort: isMostlyFlat(held) ? 7 : 3 });
}

/**
 * Gives an image a profile by which libjxl recognises the code points, and writes them instead.
 * @returns the image itself if they are unknown
 */
export function withCodePoints(image: Image, codePoints: CodePoints): Image {
  const icc = hdrProfileOf(codePoints) ?? profileOfCodePoints(codePoints);
  if (!icc) return image;
  const coded = image.copy();
  coded.setBlob(ICC_FIELD, icc);
  return coded;
}

const ADD_FRAME_FAILED = /JxlEncoderAddImageFrame/;

type SaveOptions = Parameters<Image['jxlsaveBuffer']>[0];

function save(image: Image, options: SaveOptions): Uint8Array {
  try {
    return image.jxlsaveBuffer({ ...options, keep: KEEP });
  } catch (error) {
    if (isProfileDamaged(image)) throw corruptImage('ICC profile', vipsMessage(error));
    // libjxl gives no reason. Of an image that was decoded, only memory is left.
    if (ADD_FRAME_FAILED.test(vipsMessage(error))) throw needsMoreMemory();
    throw error;
  }
}

/**
 * Whether the profile is damaged. libjxl parses it, unlike other encoders, but its error says only that it could not
 * add the frame. So this writes one pixel with and without the profile.
 */
function isProfileDamaged(image: Image): boolean {
  if (image.getTypeof(ICC_FIELD) === 0) return false;
  const pixel = image.crop(0, 0, 1, 1);
  const writes = (keep: NonNullable<NonNullable<SaveOptions>['keep']>) => {
    try {
      pixel.jxlsaveBuffer({ keep });
      return true;
    } catch {
      return false;
    }
  };
  return !writes(KEEP) && writes('none');
}
