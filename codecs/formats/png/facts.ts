/** Facts of PNG files (PNG, third edition). */

import type { CodePoints } from '../../code-points.ts';
import type { FileFacts } from '../../facts/facts.ts';
import { bufferOf, latin1, Reader } from '../../metadata/bytes.ts';
import { Unpacker } from '../../metadata/compression.ts';
import { collectUntilDamage } from '../../metadata/damage.ts';
import { type Chunk, describingChunks } from '../../metadata/png-chunks.ts';
import { isHighDynamicRange, type ProfileSpace, spaceOfCicp } from '../../tags/icc.ts';
import { guessText, LIMITS } from '../../tags/plain.ts';
import { read } from './metadata.ts';

const TYPE = { gray: 0, rgb: 2, palette: 3, grayAlpha: 4, rgbAlpha: 6 } as const;
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 };
const ADAM7 = 1;

/** Keywords of metadata blocks, which the result reports separately. */
const BLOCK_KEYWORD = /^(XML:com\.adobe\.xmp$|Raw profile type )/;
const TEXTS = { blocks: 100, blockBytes: 8 * LIMITS.text };

export function pngFacts(bytes: Uint8Array): FileFacts {
  const texts = new Map<string, string>();
  const unpacker = new Unpacker(TEXTS);
  const facts: FileFacts = { blocks: read(bytes), texts };
  const signals: ColourChunks = {};
  let indexed = false;
  collectUntilDamage(facts, () => {
    for (const found of describingChunks(bytes)) {
      const { name, data } = found;
      if (name === 'IHDR') {
        indexed = data[9] === TYPE.palette;
        Object.assign(facts, headerFacts(data));
        // When samples are not indices, a palette is only a suggestion for displays with few colours.
      } else if (name === 'PLTE' && indexed && facts.colour) facts.colour.paletteColors = Math.floor(data.length / 3);
      else if (name === 'tRNS' && facts.colour?.channels) facts.colour.channels += 1;
      else if (name === 'caBX') facts.c2pa = true;
      else if (name.endsWith('Xt') && texts.size < LIMITS.list) addText(found, texts, unpacker);
      else readSignal(found, signals);
    }
  });
  const space = spaceOf(signals);
  const comment = texts.get('Comment');
  return {
    ...facts,
    ...(comment ? { comment } : {}),
    // libvips ignores these chunks, so a result shows the samples as sRGB.
    ownMetadata: !facts.blocks.icc && !signals.cicp && space !== undefined && space !== 'srgb',
    colour: {
      ...facts.colour,
      ...(space ? { space } : {}),
      hdr: signals.cicp !== undefined && isHighDynamicRange(signals.cicp.transfer),
    },
  };
}

/** MaxCLL is stored in 0.0001 cd/m2. */
const LIGHT_UNIT = 10_000;

/** Returns the code points of the chunk cICP, which applies before all other chunks about colour. */
export function pngCodePoints(bytes: Uint8Array): CodePoints | undefined {
  return collectUntilDamage<{ found?: CodePoints }>({}, (result) => {
    for (const { name, data } of describingChunks(bytes)) {
      const reader = new Reader(data, 'png');
      if (name === 'cICP') result.found = { primaries: reader.u8(0), transfer: reader.u8(1), ...result.found };
      else if (name === 'cLLI' && result.found) result.found.maxLight = reader.u32(0) / LIGHT_UNIT;
    }
  }).found;
}

function headerFacts(data: Uint8Array): Pick<FileFacts, 'colour' | 'coding'> {
  const reader = new Reader(data, 'png');
  const type = reader.u8(9);
  const channels = CHANNELS[type];
  const gray = type === TYPE.gray || type === TYPE.grayAlpha;
  return {
    colour: { model: gray ? 'gray' : 'rgb', bitDepth: reader.u8(8), ...(channels ? { channels } : {}) },
    coding: { lossless: true, compression: 'deflate', progressive: reader.u8(12) === ADAM7 },
  };
}

/** How the chunks define the meaning of samples; the first one that is present applies (section 4.3). */
interface ColourChunks {
  cicp?: { primaries: number; transfer: number };
  srgb?: true;
  gamma?: number;
  primaries?: readonly number[];
}

/** Gamma and chromaticities are stored times 100,000. */
const UNIT = 100_000;

function readSignal({ name, data }: Chunk, signals: ColourChunks): void {
  const reader = new Reader(data, 'png');
  if (name === 'cICP') signals.cicp = { primaries: reader.u8(0), transfer: reader.u8(1) };
  else if (name === 'sRGB') signals.srgb = true;
  else if (name === 'gAMA') signals.gamma = reader.u32(0) / UNIT;
  else if (name === 'cHRM') signals.primaries = [8, 12, 16, 20, 24, 28].map((at) => reader.u32(at) / UNIT);
}

/** Chromaticities x, y of red, green and blue. */
const PRIMARIES: readonly { space: ProfileSpace; xy: readonly number[]; gamma: number }[] = [
  { space: 'srgb', xy: [0.64, 0.33, 0.3, 0.6, 0.15, 0.06], gamma: 1 / 2.2 },
  { space: 'display_p3', xy: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06], gamma: 1 / 2.2 },
  { space: 'adobe_rgb', xy: [0.64, 0.33, 0.21, 0.71, 0.15, 0.06], gamma: 1 / 2.2 },
];
const TOLERANCE = 0.005;

function spaceOf({ cicp, srgb, gamma, primaries }: ColourChunks): ProfileSpace | undefined {
  if (cicp) return spaceOfCicp(cicp);
  if (srgb) return 'srgb';
  const near = (one: number, other: number) => Math.abs(one - other) <= TOLERANCE;
  const known = primaries && PRIMARIES.find(({ xy }) => xy.every((value, index) => near(value, primaries[index]!)));
  if (gamma !== undefined && !near(gamma, (known ?? PRIMARIES[0]!).gamma)) return 'unknown';
  if (primaries) return known?.space ?? 'unknown';
  return gamma === undefined ? undefined : 'srgb';
}

/**
 * Adds a text. tEXt: keyword and Latin 1; zTXt: compressed; iTXt: flag, method, language, translated keyword, UTF-8.
 */
function addText({ name, data }: Chunk, texts: Map<string, string>, unpacker: Unpacker): void {
  const keywordEnd = data.indexOf(0);
  const keyword = latin1(data.subarray(0, Math.min(keywordEnd, LIMITS.list)));
  if (keywordEnd <= 0 || BLOCK_KEYWORD.test(keyword)) return;
  const text = textOf(name, data.subarray(keywordEnd + 1), unpacker);
  if (text !== undefined && !texts.has(keyword)) texts.set(keyword, text);
}

function textOf(name: string, data: Uint8Array, unpacker: Unpacker): string | undefined {
  if (name === 'tEXt') return guessText(data);
  if (name === 'zTXt') {
    const text = unpacker.inflate(data.subarray(1));
    return text && guessText(text);
  }
  if (name !== 'iTXt') return undefined;
  const languageEnd = data.indexOf(0, 2);
  const translationEnd = data.indexOf(0, languageEnd + 1);
  if (languageEnd === -1 || translationEnd === -1) return undefined;
  const rest = data.subarray(translationEnd + 1);
  const text = data[0] === 1 ? unpacker.inflate(rest) : rest;
  return text && bufferOf(text.subarray(0, TEXTS.blockBytes)).toString('utf8');
}
