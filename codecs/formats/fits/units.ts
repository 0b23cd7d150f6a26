/**
 * Parses the headers and data units of FITS files (Definition of the Flexible Image Transport System, version 4.0,
 * sections 3 to 5).
 */
import type { Size } from '../../../base/geometry.ts';
import { latin1 } from '../../metadata/bytes.ts';

const BLOCK = 2880;
const CARD = 80;
/** A hostile file can hold one unit in every block. */
const MAX_UNITS = 10_000;
const MAX_AXES = 999;
const MAX_CARDS = 20_000;

/** One array of two or more axes. */
export interface ImageUnit extends Size {
  /** Bits of a value; negative for floats. */
  bitpix: number;
  /** Product of all other axes. */
  planes: number;
  /** Whether its planes are red, green and blue. */
  colour: boolean;
  scale: number;
  zero: number;
  /** The integer that marks undefined values. */
  blank: number | undefined;
  /** The values of black and white, if the header declares them. */
  limits: readonly [low: number, high: number] | undefined;
  dataAt: number;
}

type Cards = ReadonlyMap<string, string>;

/** Reads the images in order. `compressed` is set when tables contain compressed images (section 10). */
export function readUnits(bytes: Uint8Array): { images: ImageUnit[]; compressed: boolean } {
  const images: ImageUnit[] = [];
  let compressed = false;
  for (let at = 0, unit = 0; at < bytes.length && unit < MAX_UNITS; unit++) {
    const header = readCards(bytes, at);
    if (!header) break;
    const { cards, end } = header;
    const number = (name: string, fallback = 0) => numberOf(cards.get(name)) ?? fallback;
    const axes = axesOf(cards);
    const length =
      (Math.abs(number('BITPIX')) / 8) *
      (number('PCOUNT') + axes.reduce((product, axis) => product * axis, 1)) *
      number('GCOUNT', 1);
    const array = unit === 0 || (cards.get('XTENSION') ?? '').startsWith("'IMAGE");
    compressed ||= cards.get('ZIMAGE')?.startsWith('T') ?? false;
    const image = array ? imageOf(cards, axes, end) : undefined;
    if (image) images.push(image);
    if (!(length >= 0)) break;
    at = end + (axes.length === 0 ? 0 : Math.ceil(length / BLOCK) * BLOCK);
  }
  return { images, compressed };
}

function readCards(bytes: Uint8Array, from: number): { cards: Cards; end: number } | undefined {
  const cards = new Map<string, string>();
  for (let card = 0, at = from; card < MAX_CARDS && at + CARD <= bytes.length; card++, at += CARD) {
    const text = latin1(bytes.subarray(at, at + CARD));
    const keyword = text.slice(0, 8).trimEnd();
    if (keyword === 'END') return { cards, end: from + Math.ceil((at + CARD - from) / BLOCK) * BLOCK };
    if (text.startsWith('= ', 8) && !cards.has(keyword)) cards.set(keyword, text.slice(10).trim());
  }
  return undefined;
}

/** Parses a number, which ends at the slash of a comment. `D` also marks an exponent. */
function numberOf(value: string | undefined): number | undefined {
  const digits = /^[+-]?[\d.]+(?:[ED][+-]?\d+)?/i.exec(value ?? '')?.[0].replace(/d/i, 'e');
  const number = digits === undefined ? Number.NaN : Number(digits);
  return Number.isFinite(number) ? number : undefined;
}

function axesOf(cards: Cards): number[] {
  const count = Math.min(MAX_AXES, numberOf(cards.get('NAXIS')) ?? 0);
  return Array.from({ length: count }, (_, axis) =>
    Math.max(0, Math.floor(numberOf(cards.get(`NAXIS${axis + 1}`)) ?? 0)),
  );
}

const DEPTHS: readonly number[] = [8, 16, 32, 64, -32, -64];
const COLOURS = 3;

function imageOf(cards: Cards, [width = 0, height = 0, ...others]: number[], dataAt: number): ImageUnit | undefined {
  const bitpix = numberOf(cards.get('BITPIX')) ?? 0;
  const planes = others.reduce((product, axis) => product * axis, 1);
  if (!DEPTHS.includes(bitpix) || width === 0 || height === 0 || planes === 0) return undefined;
  const [low, high] = [numberOf(cards.get('DATAMIN')), numberOf(cards.get('DATAMAX'))];
  return {
    bitpix,
    width,
    height,
    planes,
    colour: others.length === 1 && planes === COLOURS,
    scale: numberOf(cards.get('BSCALE')) ?? 1,
    zero: numberOf(cards.get('BZERO')) ?? 0,
    blank: bitpix > 0 ? numberOf(cards.get('BLANK')) : undefined,
    limits: low !== undefined && high !== undefined && high > low ? [low, high] : undefined,
    dataAt,
  };
}
