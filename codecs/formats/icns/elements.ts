/**
 * Reads the elements of an Apple icon and finds the images among them ("Apple Icon Image format", Wikipedia, after
 * observation; Apple, IconStorage.h).
 */
import type { Size } from '../../../base/geometry.ts';
import { latin1, startsWith, viewOf } from '../../metadata/bytes.ts';
import { type FileHeader, readFileHeader } from './embedded.ts';

const HEADER_BYTES = 8;
/** More than any real icon has. */
const MAX_ELEMENTS = 256;

export type Elements = ReadonlyMap<string, Uint8Array>;

/** Returns the first element of each type. A truncated one is shorter than declared. */
export function readElements(file: Uint8Array): Elements {
  const elements = new Map<string, Uint8Array>();
  if (!startsWith(file, 'icns')) return elements;
  const view = viewOf(file);
  for (let at = HEADER_BYTES, count = 0; at + HEADER_BYTES <= file.length && count < MAX_ELEMENTS; count++) {
    const type = latin1(file.subarray(at, at + 4));
    const length = view.getUint32(at + 4);
    if (length < HEADER_BYTES) break;
    if (!elements.has(type)) elements.set(type, file.subarray(at + HEADER_BYTES, at + length));
    at += length;
  }
  return elements;
}

/** How the pixels of an element are stored; `mono` also contains its mask. */
export type Coding = 'mono' | 'index4' | 'index8' | 'rgb' | 'argb';

interface ElementType extends Size {
  coding: Coding;
}

const square = (coding: Coding, side: number): ElementType => ({ coding, width: side, height: side });
const small = (coding: Coding): ElementType => ({ coding, width: 16, height: 12 });

/** Elements that are not complete files; those with PNG or JPEG 2000 are detected by their content. */
const TYPES: Readonly<Record<string, ElementType>> = {
  ICON: square('mono', 32),
  'ICN#': square('mono', 32),
  icl4: square('index4', 32),
  icl8: square('index8', 32),
  'icm#': small('mono'),
  icm4: small('index4'),
  icm8: small('index8'),
  'ics#': square('mono', 16),
  ics4: square('index4', 16),
  ics8: square('index8', 16),
  'ich#': square('mono', 48),
  ich4: square('index4', 48),
  ich8: square('index8', 48),
  is32: square('rgb', 16),
  il32: square('rgb', 32),
  ih32: square('rgb', 48),
  it32: square('rgb', 128),
  icp4: square('rgb', 16),
  icp5: square('rgb', 32),
  ic04: square('argb', 16),
  ic05: square('argb', 32),
  icsb: square('argb', 18),
  icsB: square('argb', 36),
  sb24: square('argb', 24),
  SB24: square('argb', 48),
};

/** Bits per pixel, to choose the best of several images of one size. */
const DEPTHS: Readonly<Record<Coding | FileHeader['format'], number>> = {
  png: 32,
  jp2: 32,
  argb: 32,
  rgb: 24,
  index8: 8,
  index4: 4,
  mono: 1,
};

export interface IconImage extends Size {
  type: string;
  coding: Coding | FileHeader['format'];
  /** Set for complete files and `argb`; other pixels have alpha when there is a mask. */
  hasAlpha: boolean;
  data: Uint8Array;
}

/** Returns the images of an icon, best first: the largest, then the deepest, then in file order. */
export const findImages = (elements: Elements): IconImage[] =>
  [...elements]
    .flatMap(([type, data]) => readImage(type, data) ?? [])
    .sort((a, b) => b.width * b.height - a.width * a.height || DEPTHS[b.coding] - DEPTHS[a.coding]);

function readImage(type: string, data: Uint8Array): IconImage | undefined {
  const file = readFileHeader(data);
  if (file) return { type, data, coding: file.format, ...file };
  const known = TYPES[type];
  if (!known || data.length === 0) return undefined;
  if (known.coding === 'argb' && !startsWith(data, 'ARGB')) return undefined;
  return { type, data, hasAlpha: known.coding === 'argb', ...known };
}
