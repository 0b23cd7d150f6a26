import type { Size } from '../../base/geometry.ts';
import { premultiplied, toBytes, toRgb, withAlpha } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import { renderText, type TextImage } from '../../codecs/text/render.ts';
import type { Image } from '../../codecs/vips.ts';
import type { Warning } from '../result.ts';
import { availableArea, drawOver, POSITIONS, rotatedBox, tileGap } from './overlay.ts';
import { turnImage } from './rotate.ts';
import { type ApplyContext, defineStep, paint, sameSize } from './step.ts';

interface WatermarkParams {
  watermark_text?: string | undefined;
  watermark_color: string;
  watermark_outline?: string | undefined;
  watermark_outline_width: number;
  watermark_opacity: number;
  watermark_size: number;
  watermark_scale?: number | undefined;
  watermark_position: (typeof POSITIONS)[number];
  watermark_x: number;
  watermark_y: number;
  watermark_rotate: number;
  logo: boolean;
}

export const watermark = defineStep({
  label: { name: 'Watermark', hint: 'A text or a logo on it.', group: 'Look', place: 3 },
  params: ({ z, integer, colour, described }) => ({
    watermark_text: described(z.string().min(1).max(200).optional(), 'Text to draw; up to 3 lines.', '© Žiga'),
    watermark_color: described(colour().default('#ffffff'), 'Colour of the watermark text.', '#ff0000'),
    watermark_outline: described(colour().optional(), 'Colour of the outline of the text.', '#000000'),
    watermark_outline_width: described(integer(1, 20).default(4), 'Outline width in percent of the font size.', 6),
    watermark_opacity: described(integer(1, 100).default(50), 'Watermark opacity in percent.', 80),
    watermark_size: described(integer(5, 100).default(30), 'Watermark width in percent of the image width.', 40),
    watermark_scale: described(
      integer(1, 1000).optional(),
      'Logo size in percent of its pixels, instead of watermark_size.',
      50,
    ),
    watermark_position: described(
      z.enum(POSITIONS).default('br'),
      'Top, centre or bottom, left, centre or right; tile repeats it.',
      'c',
    ),
    watermark_x: described(integer(-100, 100).default(0), 'Offset inwards in percent of the image width.', 5),
    watermark_y: described(integer(-100, 100).default(0), 'Offset inwards in percent of the image height.', 5),
    watermark_rotate: described(integer(-180, 180).default(0), 'Degrees clockwise.', -30),
    logo: described(z.boolean().default(false), 'Draw the image watermark_image.', true),
  }),
  needsOneOf: ['watermark_text', 'logo'],
  effect: ({ watermark_text, logo }, before) => sameSize(before, watermark_text !== undefined || logo),
  async apply(image, params, context) {
    const { mark, gap, warnings } = await createMark(image.frames[0], params, context);
    const placement = { position: params.watermark_position, x: params.watermark_x, y: params.watermark_y };
    const { watermark_opacity: opacity } = params;
    return { image: mapFrames(image, (frame) => drawOver(frame, mark, gap, opacity, placement)), warnings };
  },
  drawsLogo: ({ logo }) => logo,
  keepsAlpha: true,
});

/** Gap between a logo and the text below it, relative to the height of the text. */
const STACK_GAP = 0.25;

const pixels = (length: number): number => Math.max(1, Math.round(length));

/**
 * Makes the mark: the logo, the text, or the logo above the text, turned. It is made smaller if it does not fit into the
 * image. Returns it with the gap that it needs between tiles.
 */
async function createMark(image: Size, params: WatermarkParams, context: ApplyContext) {
  const available = availableArea(image);
  const source = params.logo && context.logo ? await context.logo() : undefined;
  const logo = source && logoSize(image, source, params);
  const text = await drawText(params, context, {
    width: Math.min(available.width, pixels((image.width * params.watermark_size) / 100)),
    maxHeight: available.height,
  });
  const box = rotatedBox(stackedSize(logo, text), params.watermark_rotate);
  const factor = Math.min(1, available.width / box.width, available.height / box.height);
  // Drawn again, because letters at their size are sharper than letters made smaller.
  const fitted =
    factor === 1 || !text
      ? text
      : await drawText(params, context, {
          width: pixels(text.width * factor),
          maxHeight: pixels(text.height * factor),
        });
  const parts = [source && scaled(source, logo!, factor), fitted && imageOf(fitted, context)];
  const mark = stacked(parts.filter((part) => part !== undefined));
  const isShrunk = factor < 1 || text?.shrunk || logo?.isShrunk;
  const warnings: Warning[] = [
    ...(text?.isMissingGlyphs ? ['glyphs_missing' as const] : []),
    ...(isShrunk ? ['watermark_shrunk' as const] : []),
  ];
  const turned = turnImage(mark, params.watermark_rotate, paint(context));
  // Tiles and turned pixels would be computed again for each part of the image that they touch.
  const isReadOften = params.watermark_position === 'tile' || params.watermark_rotate % 90 !== 0;
  return { mark: isReadOften ? turned.copyMemory() : turned, gap: tileGap(mark), warnings };
}

async function drawText(
  { watermark_text, watermark_color, watermark_outline, watermark_outline_width }: WatermarkParams,
  { context }: ApplyContext,
  area: { width: number; maxHeight: number },
): Promise<TextImage | undefined> {
  if (watermark_text === undefined) return undefined;
  const outline =
    watermark_outline === undefined ? undefined : { color: watermark_outline, width: watermark_outline_width };
  return renderText({ text: watermark_text, color: watermark_color, outline, ...area }, context.modules.resvg);
}

function imageOf({ data, width, height }: TextImage, { context: { vips } }: ApplyContext): Image {
  return vips.Image.newFromMemory(data, width, height, 4, vips.BandFormat.uchar).copy({ interpretation: 'srgb' });
}

/** The size of a logo on an image of this size, and whether it is smaller than requested. */
function logoSize(image: Size, logo: Size, { watermark_size, watermark_scale }: WatermarkParams) {
  const { width, height } = availableArea(image);
  const requested =
    watermark_scale === undefined ? (image.width * watermark_size) / 100 / logo.width : watermark_scale / 100;
  const factor = Math.min(requested, width / logo.width, height / logo.height);
  // A width of 100% never fits between the margins, so that alone is no reason for a warning.
  const isShrunk = factor < (watermark_scale === undefined ? Math.min(requested, width / logo.width) : requested);
  return { width: pixels(logo.width * factor), height: pixels(logo.height * factor), isShrunk };
}

function scaled(logo: Image, { width, height }: Size, factor: number): Image {
  return premultiplied(withAlpha(toBytes(toRgb(logo))), (source) =>
    source.resize(pixels(width * factor) / logo.width, { vscale: pixels(height * factor) / logo.height }),
  );
}

const stackGap = (text: Size | undefined): number => Math.round(STACK_GAP * (text?.height ?? 0));

const stackedSize = (logo: Size | undefined, text: Size | undefined): Size => ({
  width: Math.max(logo?.width ?? 0, text?.width ?? 0),
  height: (logo?.height ?? 0) + (text?.height ?? 0) + (logo ? stackGap(text) : 0),
});

/** Puts the parts below each other, centred. */
const stacked = (parts: readonly Image[]): Image =>
  parts.reduce((upper, lower) =>
    upper.join(lower, 'vertical', { expand: true, shim: stackGap(lower), align: 'centre', background: [0, 0, 0, 0] }),
  );
