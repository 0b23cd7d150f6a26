/** The picture of a pack, from which every icon is made by itself: drawn anew, or resized from the pixels of the file. */
import { hasAlpha, toRgb, withAlpha } from '../../../codecs/colour.ts';
import { decode, type Source, WHOLE_PICTURE } from '../../../codecs/source.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { planResize } from '../../steps/resize.ts';
import type { Size } from '../../steps/step.ts';
import { isStreamed } from '../decoding.ts';
import { checkSourceSize } from '../source-size.ts';
import { noIconFrom } from './errors.ts';

export interface Artwork {
  /** Its longer side in pixels; infinite for a drawing, which has none of its own. */
  longerSide: number;
  /** A wider or other colour space became sRGB. */
  converted: boolean;
  /**
   * The whole picture as large as it fits into a square of `side` pixels, but not enlarged.
   * @returns 8-bit sRGB with alpha
   */
  fit(side: number): Promise<Image>;
}

const inSquare = (side: number, enlarge: boolean) => ({ width: side, height: side, fit: 'inside' as const, enlarge });

/**
 * @param tolerant take what can be read of a damaged file
 * @throws Failure `unsupported_output`, `image_too_large`, `corrupt_image`; a decode error
 */
export async function openArtwork(context: WorkerContext, source: Source, tolerant: boolean): Promise<Artwork> {
  return source.scaled ? openDrawing(source, source.scaled, tolerant) : openPixels(context, source, tolerant);
}

async function openDrawing(
  { header }: Source,
  scaled: NonNullable<Source['scaled']>,
  tolerant: boolean,
): Promise<Artwork> {
  const draw = (side: number) => {
    const { factors } = planResize(header, inSquare(side, true));
    return scaled(factors.horizontal).open({ ...WHOLE_PICTURE, tolerant });
  };
  return {
    longerSide: Infinity,
    converted: false,
    fit: async (side) => withAlpha(toRgb((await draw(side)).frames[0])).copyMemory(),
  };
}

/**
 * Pixels are averaged in linear light, as the eye does it from afar: averaged as stored, fine light lines on a dark
 * ground all but vanish from a small icon.
 */
async function openPixels(context: WorkerContext, source: Source, tolerant: boolean): Promise<Artwork> {
  const { header } = source;
  checkSourceSize(context, source, 1);
  if (Math.min(header.width, header.height) < 2) throw noIconFrom(header);
  const sequential = isStreamed(context, source, { frames: 1, shrink: 1, inOrder: true });
  const opened = await decode(context.vips, source, { ...WHOLE_PICTURE, sequential, tolerant });
  const [frame] = opened.frames;
  const reduction = wholeReduction(header);
  const master = linear(frame).shrink(reduction, reduction, { ceil: true }).copyMemory();
  // Shrinking rounds up; what is left over has no part in the picture.
  const size = { width: header.width / reduction, height: header.height / reduction };
  return {
    longerSide: Math.max(header.width, header.height),
    converted: opened.converted,
    fit: async (side) => {
      const { scaled } = planResize(header, inSquare(side, false));
      return withAlpha(toSrgb(resized(master, size, scaled))).copyMemory();
    },
  };
}

/** Twice the largest icon: what is left for the kernel to do, as libvips leaves it too. */
const MASTER_SIDE = 1024;

/** By how much the picture can be shrunk once for all icons: a whole number, so that no pixel counts more than another. */
function wholeReduction({ width, height }: Size): number {
  return Math.max(1, Math.floor(Math.max(width, height) / MASTER_SIDE));
}

/** Linear light in floating point, multiplied by its alpha. */
function linear(image: Image): Image {
  const light = toRgb(image).colourspace('scrgb');
  return hasAlpha(light) ? light.premultiply() : light;
}

function toSrgb(image: Image): Image {
  return (hasAlpha(image) ? image.unpremultiply() : image).colourspace('srgb');
}

/**
 * Not Lanczos3: its second lobe puts one percent of light beside an edge, which on black is a grey ghost that everybody
 * sees. Not sharpened afterwards: looked at side by side, icons of 16 and 32 pixels get halos from it and no detail.
 */
const KERNEL = 'lanczos2';

function resized(master: Image, from: Size, { width, height }: Size): Image {
  const sized = master.resize(width / from.width, { vscale: height / from.height, kernel: KERNEL });
  if (sized.width === width && sized.height === height) return sized;
  // libvips has rounded a side the other way: the planned size wins.
  return master.resize(width / master.width, { vscale: height / master.height, kernel: KERNEL });
}
