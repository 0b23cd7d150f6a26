import { hasAlpha, isDeep, premultiplied, toRgb, withAlpha } from '../../codecs/colour.ts';
import { mapFrames } from '../../codecs/decoded-image.ts';
import { renderText } from '../../codecs/text.ts';
import type { Image } from '../../codecs/vips.ts';
import { type ApplyContext, defineStep, type Size, type StepContext, sameSize } from './step.ts';

interface WatermarkParams {
  watermark_text?: string | undefined;
  watermark_color: string;
  watermark_opacity: number;
  watermark_size: number;
  watermark_position: 'tl' | 'tc' | 'tr' | 'cl' | 'c' | 'cr' | 'bl' | 'bc' | 'br' | 'tile';
  logo: boolean;
}

export const watermark = defineStep({
  label: { name: 'Watermark', hint: 'A text or a logo on it.', group: 'Look', place: 3 },
  params: ({ z, integer, colour, described }) => ({
    watermark_text: described(z.string().min(1).max(200).optional(), 'Text to draw; up to 3 lines.', '© Žiga'),
    watermark_color: described(colour().default('#ffffff'), 'Colour of the watermark text.', '#ff0000'),
    watermark_opacity: described(integer(1, 100).default(50), 'Opacity of the watermark in percent.', 80),
    watermark_size: described(integer(5, 100).default(30), 'Watermark width in percent of the image width.', 40),
    watermark_position: described(
      z.enum(['tl', 'tc', 'tr', 'cl', 'c', 'cr', 'bl', 'bc', 'br', 'tile']).default('br'),
      'Where the watermark stands: top, centre or bottom, left, centre or right; tile repeats it.',
      'c',
    ),
    logo: described(z.boolean().default(false), 'Draw the image watermark_image.', true),
  }),
  needsOneOf: ['watermark_text', 'logo'],
  effect: ({ watermark_text, logo }, before) => sameSize(before, watermark_text !== undefined || logo),
  async apply(image, params, context) {
    const overlays = await overlaysFor(image.frames[0], params, context);
    const marked = overlays.reduce(
      (seen, { image: overlay }) => mapFrames(seen, (frame) => drawOver(frame, overlay, params)),
      image,
    );
    return {
      image: marked,
      warnings: overlays.filter(({ shrunk }) => shrunk).map(() => 'watermark_shrunk'),
    };
  },
  keepsAlpha: true,
});

/** The text and the logo, if there are any. */
async function overlaysFor(image: Size, params: WatermarkParams, { context, logo }: ApplyContext): Promise<Overlay[]> {
  const overlays: Overlay[] = [];
  if (params.watermark_text !== undefined)
    overlays.push(await textOverlay(image, params.watermark_text, params, context));
  if (params.logo && logo) overlays.push(logoOverlay(image, await logo(), params));
  return overlays;
}

interface Overlay {
  /** RGBA, 8 bits. */
  image: Image;
  /** Whether it did not fit at the requested size. */
  shrunk: boolean;
}

/** Distance from the edges, as a share of the shorter side of the image; gap between tiles, relative to the overlay. */
const MARGIN = 0.02;
const TILE_GAP = 0.5;

const margin = ({ width, height }: Size) => Math.round(MARGIN * Math.min(width, height));
const requestedWidth = ({ width }: Size, percent: number) => Math.max(1, Math.round((width * percent) / 100));
const availableArea = (image: Size): Size => ({
  width: Math.max(1, image.width - 2 * margin(image)),
  height: Math.max(1, image.height - 2 * margin(image)),
});

/** Renders the text for an image of this size. */
async function textOverlay(
  image: Size,
  text: string,
  params: WatermarkParams,
  { vips, modules }: Pick<StepContext, 'vips' | 'modules'>,
): Promise<Overlay> {
  const { width, height } = availableArea(image);
  const drawn = await renderText(
    {
      text,
      color: params.watermark_color,
      width: Math.min(width, requestedWidth(image, params.watermark_size)),
      maxHeight: height,
    },
    modules.resvg,
  );
  const rendered = vips.Image.newFromMemory(drawn.data, drawn.width, drawn.height, 4, vips.BandFormat.uchar);
  return { image: rendered.copy({ interpretation: 'srgb' }), shrunk: drawn.shrunk };
}

/** Scales a logo for an image of this size. */
function logoOverlay(image: Size, logo: Image, params: WatermarkParams): Overlay {
  const { width, height } = availableArea(image);
  const wanted = requestedWidth(image, params.watermark_size) / logo.width;
  const factor = Math.min(wanted, width / logo.width, height / logo.height);
  const rgba = withAlpha(toRgb(logo));
  const resized = premultiplied(rgba, (source) =>
    source.resize(Math.max(1, Math.round(logo.width * factor)) / logo.width, {
      vscale: Math.max(1, Math.round(logo.height * factor)) / logo.height,
    }),
  );
  return { image: resized, shrunk: height / logo.height < wanted };
}

function faded(overlay: Image, opacity: number): Image {
  const alpha = overlay
    .extractBand(3)
    .linear(opacity / 100, 0)
    .cast(overlay.format);
  return overlay.extractBand(0, { n: 3 }).bandjoin(alpha).copy({ interpretation: 'srgb' });
}

/** Repeats the overlay over the whole area. */
function tiled(overlay: Image, { width, height }: Size): Image {
  const gap = Math.round(TILE_GAP * Math.max(overlay.height, Math.min(overlay.width, overlay.height * 2)));
  const cell = overlay.embed(Math.round(gap / 2), Math.round(gap / 2), overlay.width + gap, overlay.height + gap, {
    extend: 'black',
  });
  const repeated = cell.replicate(Math.ceil(width / cell.width), Math.ceil(height / cell.height));
  return repeated.crop(0, 0, width, height);
}

function corner(position: string, image: Size, overlay: Size): { x: number; y: number } {
  const edge = margin(image);
  const along = (free: number, start: boolean, end: boolean) =>
    start ? edge : end ? free - edge : Math.round(free / 2);
  return {
    x: Math.max(0, along(image.width - overlay.width, position.endsWith('l'), position.endsWith('r'))),
    y: Math.max(0, along(image.height - overlay.height, position.startsWith('t'), position.startsWith('b'))),
  };
}

/** Draws the overlay over the image. */
function drawOver(image: Image, overlay: Image, params: WatermarkParams): Image {
  const base = toRgb(image);
  const shown = faded(overlay, params.watermark_opacity);
  const deep = isDeep(base) ? shown.colourspace('rgb16') : shown;
  const { x, y } = corner(params.watermark_position, base, deep);
  const composed =
    params.watermark_position === 'tile'
      ? base.composite2(tiled(deep, base), 'over')
      : base.composite2(deep, 'over', { x, y });
  const bands = hasAlpha(base) ? composed : composed.extractBand(0, { n: 3 });
  return bands.cast(base.format).copy({ interpretation: base.interpretation });
}
