/** Compares the tone mapping of the service with the reference, and shows both on a contact sheet. */
import { readFile } from 'node:fs/promises';
import sharp, { type OverlayOptions } from 'sharp';
import type { Engine } from '../../engine/engine.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { toneMappedByFormulas } from './formulas.ts';
import { toneMappedByLibplacebo } from './reference.ts';
import type { HdrFile } from './sources.ts';

export interface ToneMappingRow {
  name: string;
  width: number;
  height: number;
  /** Differences from the formulas. */
  formulas: Difference;
  /** Differences from libplacebo. */
  libplacebo: Difference;
  /** Mean difference from libplacebo of samples that it shows with at least level 96. */
  bright: number;
}

/** Differences of samples, of 255. */
interface Difference {
  mean: number;
  /** 99 of 100 samples differ by at most this. */
  most: number;
}

interface Compared {
  row: ToneMappingRow;
  ours: Buffer;
  theirs: Buffer;
}

/** libplacebo lifts black to that of a display with a contrast of 1,000:1; above this level that is less than 2. */
const LIFTED = 96;

export async function compareToneMapping(engine: Engine, file: HdrFile, folder: string): Promise<Compared> {
  const bytes = new Uint8Array(await readFile(file.path));
  const params = compressParams.extend(sourceParams.shape).parse({ format: 'png', mode: 'lossless' });
  const { data, width, height } = await engine.run('compress', { image: { data: bytes.buffer }, params });
  const ours = await sharp(Buffer.from(data)).toColourspace('srgb').removeAlpha().raw().toBuffer();
  const theirs = await toneMappedByLibplacebo(file, folder);
  const differences = differencesOf(ours, theirs);
  const bright = differences.filter((_, at) => theirs[at]! >= LIFTED);
  const row = {
    ...{ name: file.name, width, height },
    formulas: summaryOf(differencesOf(ours, await toneMappedByFormulas(file, folder))),
    libplacebo: summaryOf(differences),
    bright: meanOf(bright),
  };
  return { row, ours, theirs };
}

function differencesOf(ours: Buffer, theirs: Buffer): Uint8Array {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} and ${theirs.length} samples`);
  return Uint8Array.from(ours, (level, at) => Math.abs(level - theirs[at]!));
}

function summaryOf(differences: Uint8Array): Difference {
  const sorted = differences.slice().sort();
  return { mean: meanOf(differences), most: sorted[Math.floor(0.99 * (sorted.length - 1))]! };
}

const meanOf = (values: Uint8Array): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const CELL = { width: 340, height: 220 } as const;
const CAPTION = 22;
/** How much differences are amplified. */
const AMPLIFIED = 8;

/** Writes an image with a row for each file: ours, the reference, and their difference, eight times as large. */
export async function writeContactSheet(compared: readonly Compared[], path: string): Promise<void> {
  const rowHeight = CELL.height + CAPTION;
  const overlays: OverlayOptions[] = [];
  for (const [index, { row, ours, theirs }] of compared.entries()) {
    const { name, width, height, libplacebo } = row;
    const difference = differencesOf(ours, theirs).map((step) => Math.min(255, AMPLIFIED * step));
    const top = index * rowHeight;
    for (const [column, data] of [ours, theirs, difference].entries()) {
      const input = await sharp(data, { raw: { width, height, channels: 3 } })
        .resize({ ...CELL, fit: 'inside' })
        .png()
        .toBuffer();
      overlays.push({ input, left: column * CELL.width, top: top + CAPTION });
    }
    const text = `<svg width="${3 * CELL.width}" height="${CAPTION}"><text x="4" y="16" font-size="14" fill="#fff">${name}: mean difference ${libplacebo.mean.toFixed(2)}. Ours, libplacebo, difference x ${AMPLIFIED}</text></svg>`;
    overlays.push({ input: Buffer.from(text), left: 0, top });
  }
  await sharp({
    create: { width: 3 * CELL.width, height: compared.length * rowHeight, channels: 3, background: '#444' },
  })
    .composite(overlays)
    .png()
    .toFile(path);
}
