/**
 * The source image of a pack. Each icon is made from it directly: rendered from a vector source, or resized from
 * pixels.
 */
import type { Size } from '../../../base/geometry.ts';
import { hasAlpha, toRgb, withAlpha } from '../../../codecs/colour.ts';
import { decode, type Source, WHOLE_IMAGE } from '../../../codecs/source.ts';
import type { Image, VipsApi } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import { planResize } from '../../steps/resize.ts';
import { isStreamed } from '../decoding.ts';
import { noIconFrom } from '../errors.ts';
import { checkSourceSize } from '../source-size.ts';

export interface SourceImage {
  /** Longer side in pixels; infinite for a vector source. */
  longerSide: number;
  /** Whether it was converted to sRGB from another colour space. */
  converted: boolean;
  /**
   * The whole image at the largest size that fits into a square of `side` pixels.
   * @returns 8-bit sRGB with alpha
   */
  fit(side: number): Promise<Image>;
}

const inSquare = (side: number) => ({ width: side, height: side, fit: 'inside' as const, enlarge: true });

/**
 * @param tolerant accept a damaged file as far as it can be read
 * @throws Failure `unsupported_output`, `image_too_large`, `corrupt_image`; a decode error
 */
export const openArtwork = async (context: WorkerContext, source: Source, tolerant: boolean): Promise<SourceImage> =>
  source.scaled ? openVector(source, source.scaled, tolerant) : openRaster(context, source, tolerant);

async function openVector(
  { header }: Source,
  scaled: NonNullable<Source['scaled']>,
  tolerant: boolean,
): Promise<SourceImage> {
  const draw = (side: number) => {
    const { factors } = planResize(header, inSquare(side));
    return scaled(factors.horizontal).open({ ...WHOLE_IMAGE, tolerant });
  };
  return {
    longerSide: Infinity,
    converted: false,
    fit: async (side) => withAlpha(toRgb((await draw(side)).frames[0])).copyMemory(),
  };
}

/**
 * Averages pixels in linear light, as the eye does from a distance. Averaged in sRGB, fine light lines on a dark
 * background almost vanish from a small icon.
 */
async function openRaster(context: WorkerContext, source: Source, tolerant: boolean): Promise<SourceImage> {
  const { header } = source;
  checkSourceSize(context, source, 1);
  if (Math.min(header.width, header.height) < 2) throw noIconFrom(header);
  const sequential = isStreamed(context, source, { frames: 1, shrink: 1, inOrder: true });
  const opened = await decode(context.vips, source, { ...WHOLE_IMAGE, sequential, tolerant });
  const [frame] = opened.frames;
  const reduction = wholeReduction(header);
  const master = linear(frame).shrink(reduction, reduction, { ceil: true }).copyMemory();
  // The size is rounded up; the remainder is not part of the image.
  const size = { width: header.width / reduction, height: header.height / reduction };
  return {
    longerSide: Math.max(header.width, header.height),
    converted: opened.converted,
    fit: async (side) => {
      const { scaled } = planResize(header, inSquare(side));
      const isLarger = scaled.width > header.width || scaled.height > header.height;
      const sized = isLarger ? enlarged(context.vips, master, scaled) : resized(master, size, scaled);
      return withAlpha(toSrgb(sized)).copyMemory();
    },
  };
}

/** Twice the largest icon, so that the kernel does the last factor of two, as in libvips. */
const MASTER_SIDE = 1024;

/**
 * Factor by which the image can be shrunk once for all icons: a whole number, so that all pixels have the same weight.
 */
const wholeReduction = ({ width, height }: Size): number =>
  Math.max(1, Math.floor(Math.max(width, height) / MASTER_SIDE));

/** Linear light in floating point, premultiplied by alpha. */
function linear(image: Image): Image {
  const light = toRgb(image).colourspace('scrgb');
  return hasAlpha(light) ? light.premultiply() : light;
}

const toSrgb = (image: Image): Image => (hasAlpha(image) ? image.unpremultiply() : image).colourspace('srgb');

/**
 * Not Lanczos3: its second lobe puts 1% of light beside an edge, which is clearly visible on black as a grey ghost. Not
 * sharpened afterwards: in a comparison, sharpening gave icons of 16 and 32 pixels halos and no detail.
 */
const KERNEL = 'lanczos2';

/**
 * For a logo that is smaller than its icon. libvips enlarges with Catmull-Rom whatever kernel is requested; that leaves
 * dark outlines around light shapes, most of all in linear light. Nohalo (Robidoux and others, 2009) never leaves the
 * range of the neighbouring pixels.
 */
const ENLARGER = 'nohalo';

function enlarged(vips: VipsApi, master: Image, { width, height }: Size): Image {
  const [across, down] = [width / master.width, height / master.height];
  return master.affine([across, 0, 0, down], {
    interpolate: vips.Interpolate.newFromName(ENLARGER),
    oarea: [0, 0, width, height],
    // The corners of both images meet, not the centres of their first pixels.
    odx: (across - 1) / 2,
    ody: (down - 1) / 2,
    extend: 'copy',
    premultiplied: true,
  });
}

function resized(master: Image, from: Size, { width, height }: Size): Image {
  const sized = master.resize(width / from.width, { vscale: height / from.height, kernel: KERNEL });
  if (sized.width === width && sized.height === height) return sized;
  // libvips has rounded a side the other way. Use the planned size.
  return master.resize(width / master.width, { vscale: height / master.height, kernel: KERNEL });
}
