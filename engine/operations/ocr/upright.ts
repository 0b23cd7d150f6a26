/** Reads an image in its upright orientation, which is found by reading a sample of its text. */
import type { Box } from '../../../base/geometry.ts';
import type { VipsApi } from '../../../codecs/vips.ts';
import type { GreyImage, ReadOptions, ReadWord } from '../../../models/text.ts';
import { findGlyphs, type Glyphs } from './glyphs.ts';
import { lightenPanels } from './illumination.ts';
import { type Placement, type Straightened, straighten, type Turn } from './straighten.ts';

/**
 * A word with its box in the image. Its other coordinates are in the image that was read, where the lines are
 * horizontal.
 */
export interface PlacedWord extends ReadWord {
  box: Box;
}

export type Read = (image: GreyImage, options: ReadOptions) => Promise<ReadWord[]>;

/**
 * Smaller letters (see {@link Glyphs}) are enlarged, and larger ones reduced, to a size that is read well.
 * docs/models.md lists how well each size is read.
 */
const MIN_LETTER_SIZE = 14;
const MAX_LETTER_SIZE = 30;
const IDEAL_LETTER_SIZE = 18;
const MAX_ENLARGEMENT = 4;
/**
 * Maximum pixels of an enlarged image. Larger images with small letters have too many of them to be read enlarged in
 * time.
 */
const PIXELS_ENLARGED_MAX = 12_000_000;
/** Tesseract takes three bytes of memory per pixel, and time also for pixels without text. */
const MAX_PIXELS = 40_000_000;
/** Limit for an image that is not a page of text. */
const PIXELS_UNLINED_MAX = 12_000_000;
/** Tesseract's coordinates are signed 16-bit integers. */
const MAX_SIDE = 32_000;
/** In degrees. Smaller tilts are read as well without rotation. */
const MIN_TILT = 1;
/** Fewer letters say nothing about the tilt, and little about the direction of the lines. */
const MIN_LETTERS = 24;
/** Number of letters in the sample that decides the orientation. */
const SAMPLE_LETTERS = 150;
/** Minimum sides of a sample in letter sizes, so that it contains whole words. */
const SAMPLE_SIDE = 30;
/** Mean confidence of upright text; upside down it is 20 to 45. */
const CERTAIN_CONFIDENCE = 75;
/** How much more confident another orientation must be than the one the letters suggest. */
const MIN_CONFIDENCE_GAIN = 8;

/** @param image dark ink on white; its panels are lightened in place */
export async function readUpright(vips: VipsApi, image: GreyImage, read: Read): Promise<PlacedWord[]> {
  const first = findGlyphs(image);
  const lightened = lightenPanels(image, first.panels);
  const glyphs = lightened === 0 ? first : findGlyphs(image);
  const inverted = lightened < first.panels.length;
  const sample = sampleOf(glyphs, image);
  let best: { turn: Turn; words: ReadWord[]; straight: Straightened; confidence: number } | undefined;
  for (const turn of turnsOf(glyphs)) {
    const straight = straighten(vips, image, placementOf(glyphs, image, turn), sample);
    const words = await read(straight.image, { inverted: inverted && sample === undefined, columns: false });
    const confidence = meanConfidence(words);
    if (best === undefined || confidence > best.confidence + MIN_CONFIDENCE_GAIN)
      best = { turn, words, straight, confidence };
    if (confidence >= CERTAIN_CONFIDENCE) break;
  }
  if (sample === undefined) return placed(best!.words, best!.straight);
  const straight = straighten(vips, image, placementOf(glyphs, image, best!.turn));
  return placed(await read(straight.image, { inverted, columns: glyphs.lined }), straight);
}

/** Whether there are too few letters to decide the orientation without reading them. */
const isFew = ({ letters }: Glyphs): boolean => letters.length < MIN_LETTERS;

/** The possible orientations, most likely first. */
function turnsOf(glyphs: Glyphs): readonly Turn[] {
  const { letters, lined, sideways } = glyphs;
  const few = isFew(glyphs);
  if (letters.length === 0 || (!few && !lined)) return [0];
  const [likely, other] = sideways
    ? ([
        [90, 270],
        [0, 180],
      ] as const)
    : ([
        [0, 180],
        [90, 270],
      ] as const);
  return few ? [...likely, ...other] : likely;
}

function placementOf(glyphs: Glyphs, { width, height }: GreyImage, turn: Turn): Placement {
  const { size, lined, sideways, tilt } = glyphs;
  // Without lines, the size of the components says nothing about letters.
  const text = lined || isFew(glyphs);
  const sized = text && size > 0 && (size < MIN_LETTER_SIZE || size > MAX_LETTER_SIZE);
  const wanted = sized ? Math.min(MAX_ENLARGEMENT, IDEAL_LETTER_SIZE / size) : 1;
  const pixels = width * height;
  const large = wanted > 1 ? Math.min(MAX_PIXELS, Math.max(pixels, PIXELS_ENLARGED_MAX)) : MAX_PIXELS;
  const most = text ? large : PIXELS_UNLINED_MAX;
  const fits = Math.min(1, Math.sqrt(most / (pixels * wanted ** 2)), MAX_SIDE / (wanted * Math.max(width, height)));
  const tilted = lined && !isFew(glyphs) && Math.abs(tilt) >= MIN_TILT;
  return { turn, tilt: tilted ? (sideways ? -tilt : tilt) : 0, scale: wanted * fits };
}

/** A part of the image with enough letters, if the image has many more; undefined for the whole image. */
function sampleOf({ letters, size }: Glyphs, { width, height }: GreyImage): Box | undefined {
  if (letters.length <= 2 * SAMPLE_LETTERS) return undefined;
  const share = Math.sqrt(SAMPLE_LETTERS / letters.length);
  const least = Math.ceil(SAMPLE_SIDE * size);
  const area = {
    width: Math.min(width, Math.max(least, Math.ceil(width * share))),
    height: Math.min(height, Math.max(least, Math.ceil(height * share))),
  };
  // Counts the letters per half window, so that every window is the sum of four counts.
  const [stepX, stepY] = [area.width / 2, area.height / 2];
  const columns = Math.ceil(width / stepX) + 1;
  const counts = new Uint32Array(columns * (Math.ceil(height / stepY) + 1));
  for (const { left, top } of letters) counts[Math.floor(top / stepY) * columns + Math.floor(left / stepX)]!++;
  let most = -1;
  let at = 0;
  for (let first = 0; first + columns + 1 < counts.length; first++) {
    const count = counts[first]! + counts[first + 1]! + counts[first + columns]! + counts[first + columns + 1]!;
    if (count > most) [most, at] = [count, first];
  }
  return {
    ...area,
    x: Math.min(width - area.width, Math.floor((at % columns) * stepX)),
    y: Math.min(height - area.height, Math.floor(Math.floor(at / columns) * stepY)),
  };
}

/** Mean confidence of the characters, 0 to 100; 0 if there are none. */
export function meanConfidence(words: readonly { text: string; confidence: number }[]): number {
  let sum = 0;
  let characters = 0;
  for (const { text, confidence } of words) {
    sum += text.length * confidence;
    characters += text.length;
  }
  return characters === 0 ? 0 : sum / characters;
}

const placed = (words: readonly ReadWord[], { toDisplayed }: Straightened): PlacedWord[] =>
  words.map((word) => ({
    ...word,
    box: toDisplayed({ x: word.left, y: word.top, width: word.width, height: word.height }),
  }));
