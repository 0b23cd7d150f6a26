/** Declares the parameters of `compress` with their bounds, defaults and descriptions. Main-thread safe. */
import { z } from 'zod';
import { invalidParameter } from '../../../base/failure.ts';
import { OUTPUT_FORMATS } from '../../../codecs/formats/registry.ts';
import { DEFAULT_DPI } from '../../steps/print.ts';
import { conflictingParameters } from '../errors.ts';
import { box, colour, colourOrTransparent, integer, number, ratio } from '../parameters.ts';
import { parseRatio } from '../parse-parameters.ts';

const side = () => integer(1, 100_000);
const adjustment = () => integer(-100, 100).default(0);
const strength = () => integer(0, 100).default(0);
const fileBytes = () => integer(1, 1_000_000_000);

export const compressParams = z.strictObject({
  format: z
    .enum(['auto', ...OUTPUT_FORMATS])
    .default('auto')
    .meta({
      description:
        'Output format; auto keeps the input format, also of an SVG where no other parameter asks for pixels. ico holds the image at 16 to 256 pixels on a square; pdf is one page holding a JPEG; psd is flat, with one layer when there is transparency.',
      examples: ['webp'],
    }),
  mode: z
    .enum(['quality', 'smart', 'lossless', 'target'])
    .default('quality')
    .meta({
      description:
        'quality: encode at `quality`. smart: the smallest file that still looks like the original. lossless: every pixel is kept (png, webp, avif, tiff, jxl, bmp, ico, tga, psd). target: the best quality within `target_bytes`.',
      examples: ['smart'],
    }),
  quality: integer(1, 100)
    .default(75)
    .meta({ description: 'Encoder quality; used by mode quality.', examples: [80] }),
  target_bytes: fileBytes()
    .optional()
    .meta({ description: 'Compress to at most this many bytes; replaces quality.', examples: [100000] }),
  min_bytes: fileBytes()
    .optional()
    .meta({
      description:
        'Pad a JPEG or PNG result to at least this size without changing the picture; other formats get the warning min_size_unavailable.',
      examples: [20000],
    }),

  crop: box()
    .optional()
    .meta({
      description: 'x,y,width,height in pixels of the picture as displayed; applied before flip and rotate.',
      examples: ['10,20,300,200'],
    }),
  crop_ratio: ratio()
    .optional()
    .meta({ description: 'Crop to this shape.', examples: ['16:9'] }),
  crop_gravity: z
    .enum(['centre', 'attention'])
    .default('centre')
    .meta({ description: 'Where a ratio crop is taken; attention places it on the subject.', examples: ['attention'] }),
  crop_shape: z
    .enum(['rect', 'circle'])
    .default('rect')
    .meta({ description: 'circle clears everything outside the ellipse.', examples: ['circle'] }),
  flip: z
    .enum(['none', 'h', 'v', 'hv'])
    .default('none')
    .meta({ description: 'Mirror the picture; applied after crop and before rotation.', examples: ['h'] }),
  rotate: integer(-359, 359)
    .default(0)
    .meta({
      description:
        'Degrees clockwise. A quarter turn is exact; other angles grow the image, with transparent corners (background colour where the format has no transparency).',
      examples: [90],
    }),

  width: side()
    .optional()
    .meta({ description: 'Target width in pixels.', examples: [800] }),
  height: side()
    .optional()
    .meta({ description: 'Target height in pixels.', examples: [600] }),
  percent: integer(1, 1000)
    .optional()
    .meta({ description: 'Scale, when neither width nor height is given.', examples: [50] }),
  fit: z
    .enum(['inside', 'exact', 'cover', 'contain'])
    .default('inside')
    .meta({
      description: 'inside keeps the ratio, exact stretches, cover fills and crops, contain pads.',
      examples: ['cover'],
    }),
  enlarge: z
    .boolean()
    .default(false)
    .meta({ description: 'Allow making the image larger.', examples: [true] }),
  print_width: number(1, 5000)
    .optional()
    .meta({
      description: 'Print width in millimetres at dpi; not together with width, height or percent.',
      examples: [100],
    }),
  print_height: number(1, 5000)
    .optional()
    .meta({
      description: 'Print height in millimetres at dpi; not together with width, height or percent.',
      examples: [150],
    }),
  dpi: integer(72, 1200)
    .optional()
    .meta({
      description: `Resolution recorded in the file, in dots per inch; print sizes use ${DEFAULT_DPI} when it is not given. Alone it only records the resolution.`,
      default: DEFAULT_DPI,
      examples: [300],
    }),
  max_width: side()
    .optional()
    .meta({ description: 'Fit inside this width, never enlarge.', examples: [1920] }),
  max_height: side()
    .optional()
    .meta({ description: 'Fit inside this height, never enlarge.', examples: [1080] }),

  brightness: adjustment().meta({ description: 'Brightness; 0 changes nothing.', examples: [10] }),
  contrast: adjustment().meta({ description: 'Contrast; 0 changes nothing.', examples: [10] }),
  saturation: adjustment().meta({ description: 'Saturation; -100 is grey.', examples: [-30] }),
  exposure: adjustment().meta({ description: 'Exposure; two stops at either end.', examples: [25] }),
  grayscale: z
    .boolean()
    .default(false)
    .meta({ description: 'Remove colour.', examples: [true] }),
  blur: strength().meta({ description: 'Gaussian blur, relative to the image size.', examples: [20] }),
  enhance: z
    .boolean()
    .default(false)
    .meta({ description: 'Stretch levels and lift local contrast.', examples: [true] }),
  sharpen: strength().meta({ description: 'Sharpening.', examples: [30] }),
  denoise: strength().meta({ description: 'Median filter.', examples: [30] }),

  border: integer(0, 2000)
    .default(0)
    .meta({ description: 'Border width in pixels on every side.', examples: [10] }),
  border_color: colourOrTransparent()
    .default('#ffffff')
    .meta({ description: 'Border colour, #rrggbb or transparent.', examples: ['#112233'] }),
  watermark_text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Text to draw; up to 3 lines.', examples: ['© Žiga'] }),
  watermark_color: colour()
    .default('#ffffff')
    .meta({ description: 'Colour of the watermark text.', examples: ['#ff0000'] }),
  watermark_opacity: integer(1, 100)
    .default(50)
    .meta({ description: 'Opacity of the watermark in percent.', examples: [80] }),
  watermark_size: integer(5, 100)
    .default(30)
    .meta({ description: 'Watermark width in percent of the image width.', examples: [40] }),
  watermark_position: z
    .enum(['tl', 'tc', 'tr', 'cl', 'c', 'cr', 'bl', 'bc', 'br', 'tile'])
    .default('br')
    .meta({
      description: 'Where the watermark stands: top, centre or bottom, left, centre or right; tile repeats it.',
      examples: ['c'],
    }),

  metadata: z
    .enum(['strip', 'keep', 'no_gps', 'color'])
    .default('strip')
    .meta({
      description: 'no_gps keeps camera and date and drops the location; color keeps only the colour profile.',
      examples: ['no_gps'],
    }),
  background: colour()
    .default('#ffffff')
    .meta({
      description: 'Painted behind transparent pixels when the output has no transparency.',
      examples: ['#ffffff'],
    }),
  fingerprint: z
    .boolean()
    .default(false)
    .meta({ description: 'Adds the perceptual hash of the source.', examples: [true] }),
  score: z
    .boolean()
    .default(false)
    .meta({ description: 'Adds the closeness of the result to the source.', examples: [true] }),
});

export type CompressParams = z.output<typeof compressParams>;

/**
 * Checks rules that involve several parameters: those that exclude or need each other.
 * @throws Failure `conflicting_parameters` or `invalid_parameter`
 */
export function checkCompressParams(params: CompressParams): void {
  const print =
    params.print_width !== undefined ? 'print_width' : params.print_height !== undefined ? 'print_height' : undefined;
  const pixels = (['width', 'height', 'percent'] as const).find((name) => params[name] !== undefined);
  if (print && pixels) throw conflictingParameters(print, `Expected ${print} without ${pixels} but received both.`);
  if (params.mode === 'target' && params.target_bytes === undefined)
    throw invalidParameter('a size in bytes with mode target', 'target_bytes', undefined);
  if (params.min_bytes !== undefined && params.target_bytes !== undefined && params.min_bytes > params.target_bytes) {
    throw conflictingParameters(
      'min_bytes',
      `Expected at most target_bytes (${params.target_bytes}) for min_bytes but received ${params.min_bytes}.`,
    );
  }
  if (params.crop_ratio !== undefined) {
    const ratioValue = parseRatio(params.crop_ratio);
    if (!(ratioValue > 0 && Number.isFinite(ratioValue)))
      throw invalidParameter('two positive numbers, as in 16:9,', 'crop_ratio', params.crop_ratio);
  }
}
