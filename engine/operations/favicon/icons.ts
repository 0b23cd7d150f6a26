/** The icons of a pack, and how the image is placed on each. */
import { hasAlpha } from '../../../codecs/colour.ts';
import type { Image } from '../../../codecs/vips.ts';
import { CLEAR, flatten, placeOnCanvas } from '../../steps/canvas.ts';
import type { StepContext } from '../../steps/step.ts';
import type { SourceImage } from './artwork.ts';

/**
 * Where an icon is shown: in a tab (and in favicon.ico), on the home screen of an Apple device, by an installed site
 * unchanged, or by a launcher that masks it with its own shape.
 */
export type IconUse = 'tab' | 'apple' | 'app' | 'maskable';

export interface Icon {
  file: string;
  /** In pixels. */
  side: number;
  use: IconUse;
}

export const ICONS: readonly Icon[] = [
  { file: 'favicon-16x16.png', side: 16, use: 'tab' },
  { file: 'favicon-32x32.png', side: 32, use: 'tab' },
  { file: 'favicon-48x48.png', side: 48, use: 'tab' },
  { file: 'apple-touch-icon.png', side: 180, use: 'apple' },
  { file: 'icon-192.png', side: 192, use: 'app' },
  { file: 'icon-512.png', side: 512, use: 'app' },
  { file: 'icon-maskable-512.png', side: 512, use: 'maskable' },
];

export const MAX_ICON_SIDE = Math.max(...ICONS.map(({ side }) => side));

/**
 * Radius of the safe zone of a maskable icon, as a share of its side: no launcher cuts into this circle (W3C Web App
 * Manifest, "Icon masks").
 */
const SAFE_RADIUS = 0.4;

export interface DrawnIcon extends Icon {
  /** 8-bit sRGB, with alpha if needed, in memory. */
  image: Image;
}

/** @param padding percent of the side that is kept clear along each edge */
export async function drawIcons(artwork: SourceImage, padding: number, context: StepContext): Promise<DrawnIcon[]> {
  const icons: DrawnIcon[] = [];
  for (const icon of ICONS) {
    const { side, use } = icon;
    // Whole pixels along each edge, so that the image is centred.
    const inner = side - 2 * Math.round((side * padding) / 100);
    const fitted = use === 'maskable' ? await fitIntoSafeZone(artwork, side, inner) : await artwork.fit(inner);
    const seeThrough = use === 'tab' || use === 'app';
    const image = seeThrough
      ? withoutNeedlessAlpha(onSquare(fitted, side, CLEAR))
      : onSquare(flatten(fitted, context), side, context.background);
    icons.push({ ...icon, image: image.copyMemory() });
  }
  return icons;
}

/**
 * Scales the image so that all its visible pixels are within the safe zone: a round image may be larger than a square
 * one.
 */
async function fitIntoSafeZone(artwork: SourceImage, side: number, inner: number): Promise<Image> {
  const image = await artwork.fit(inner);
  // One pixel less, for the rounding of sizes and a centre that may be half a pixel off.
  const factor = (side * SAFE_RADIUS - 1) / visibleRadius(image);
  if (factor >= 1) return image;
  return artwork.fit(Math.max(1, Math.floor(Math.max(image.width, image.height) * factor)));
}

/** Largest distance of a visible pixel from the centre of the image, in pixels. */
function visibleRadius(image: Image): number {
  const { width, height } = image;
  const alpha = image.extractBand(image.bands - 1).writeToMemory() as Uint8Array;
  let farthest = 0;
  for (let y = 0; y < height; y += 1) {
    const down = Math.abs(y + 0.5 - height / 2) + 0.5;
    for (let x = 0; x < width; x += 1) {
      if (alpha[y * width + x] === 0) continue;
      const across = Math.abs(x + 0.5 - width / 2) + 0.5;
      farthest = Math.max(farthest, across * across + down * down);
    }
  }
  return Math.sqrt(farthest);
}

/** Places the whole image in the centre of a square. */
function onSquare(image: Image, side: number, paint: string): Image {
  const left = Math.floor((side - image.width) / 2);
  const top = Math.floor((side - image.height) / 2);
  return placeOnCanvas(image, { width: side, height: side }, left, top, paint);
}

function withoutNeedlessAlpha(image: Image): Image {
  const alpha = image.bands - 1;
  const opaque = hasAlpha(image) && image.extractBand(alpha).min() === 255;
  return opaque ? image.extractBand(0, { n: alpha }) : image;
}
