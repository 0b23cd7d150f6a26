/** Checks that samples of 10, 12 and 16 bits pass through the service unchanged, by decoders of other makers. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { FORMATS, type OutputFormat } from '../../codecs/formats/registry.ts';
import type { Engine } from '../../engine/engine.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { runProgram } from '../format-table/run-program.ts';
import { pngSamples } from './reference.ts';

export interface DepthRow {
  source: string;
  result: string;
  bits: number;
  decoder: string;
  samples: number;
  /** Samples that are not the same. */
  differing: number;
}

const SIZE = { width: 128, height: 96 } as const;
const MAX = 65_535;

/** Samples of every level of a depth, coded in 16 bits. */
function samplesOf(bits: number): Uint16Array {
  const levels = 2 ** bits;
  return Uint16Array.from({ length: SIZE.width * SIZE.height * 3 }, (_, at) =>
    // 40503 has no factor in common with the number of levels.
    Math.round((((at * 40_503 + Math.floor(at / 977)) % levels) / (levels - 1)) * MAX),
  );
}

type Command = readonly [program: string, ...args: string[]];

interface Coding {
  name: string;
  extension: string;
  bits: number;
  /** Codes a PNG of 16 bits; default: it is the source. */
  encode?(png: string, out: string): Command;
  /** Decodes the source to a PNG of 16 bits, whose samples the result must have. Default: those that were coded. */
  decode?(file: string, out: string): Command;
}

const avif = (bits: number): Coding => ({
  ...{ name: `AVIF of ${bits} bits (avifenc)`, extension: 'avif', bits },
  encode: (png, out) => ['avifenc', '--lossless', '--depth', String(bits), '--speed', '8', png, out],
});

const SOURCES: readonly { coding: Coding; results: readonly OutputFormat[] }[] = [
  { coding: avif(10), results: ['avif', 'png', 'tiff', 'jxl'] },
  { coding: avif(12), results: ['avif', 'png', 'tiff', 'jxl'] },
  {
    coding: {
      // Only 8 bits of them are read, with a warning.
      ...{ name: 'HEIC of 10 bits (heif-enc)', extension: 'heic', bits: 8 },
      encode: (png, out) => [
        'heif-enc',
        '-L',
        '-b',
        '10',
        '-p',
        'chroma=444',
        '--matrix_coefficients=0',
        png,
        '-o',
        out,
      ],
      decode: (file, out) => ['heif-convert', file, out],
    },
    results: ['png'],
  },
  { coding: { name: 'PNG of 16 bits (libpng)', extension: 'png', bits: 16 }, results: ['png', 'tiff', 'jxl', 'psd'] },
  {
    coding: {
      ...{ name: 'TIFF of 16 bits (ImageMagick)', extension: 'tiff', bits: 16 },
      encode: (png, out) => ['convert', png, '-compress', 'zip', out],
    },
    results: ['png', 'tiff', 'psd'],
  },
  {
    coding: {
      ...{ name: 'JPEG XL of 16 bits (cjxl)', extension: 'jxl', bits: 16 },
      encode: (png, out) => ['cjxl', png, out, '-d', '0', '-e', '3'],
    },
    results: ['png', 'jxl'],
  },
  {
    coding: {
      ...{ name: 'Photoshop of 16 bits (ImageMagick)', extension: 'psd', bits: 16 },
      encode: (png, out) => ['convert', png, '-depth', '16', out],
    },
    results: ['png', 'psd'],
  },
];

/** Decoders of other makers, to a PNG of 16 bits. */
const DECODERS: Partial<Record<OutputFormat, { name: string; command(file: string, out: string): Command }>> = {
  avif: { name: 'avifdec', command: (file, out) => ['avifdec', '--depth', '16', file, out] },
  jxl: { name: 'djxl', command: (file, out) => ['djxl', '--bits_per_sample', '16', file, out] },
  png: { name: 'ImageMagick', command: (file, out) => ['cp', file, out] },
  tiff: { name: 'ImageMagick', command: (file, out) => ['convert', file, '-depth', '16', out] },
  psd: { name: 'ImageMagick', command: (file, out) => ['convert', `${file}[0]`, '-depth', '16', out] },
};

export async function compareDepths(engine: Engine, folder: string): Promise<DepthRow[]> {
  const rows: DepthRow[] = [];
  for (const { coding, results } of SOURCES) {
    const coded = samplesOf(coding.bits);
    const png = join(folder, 'samples.png');
    await sharp(coded, { raw: { ...SIZE, channels: 3 } })
      .toColourspace('rgb16')
      .png()
      .toFile(png);
    const source = coding.encode ? join(folder, `source.${coding.extension}`) : png;
    if (coding.encode) await run(coding.encode(png, source));
    const expected = join(folder, 'expected.png');
    if (coding.decode) await run(coding.decode(source, expected));
    const samples = coding.decode ? await samplesIn(expected) : coded;
    for (const result of results) rows.push(await roundTrip(engine, { coding, samples, source, result, folder }));
  }
  return rows;
}

interface RoundTrip {
  coding: Coding;
  samples: Uint16Array;
  source: string;
  result: OutputFormat;
  folder: string;
}

async function roundTrip(engine: Engine, { coding, samples, source, result, folder }: RoundTrip): Promise<DepthRow> {
  const params = compressParams.extend(sourceParams.shape).parse({ format: result, mode: 'lossless', flip: 'hv' });
  const bytes = new Uint8Array(await readFile(source));
  const { data } = await engine.run('compress', { image: { data: bytes.buffer }, params });
  const file = join(folder, `result.${FORMATS[result].extensions[0]}`);
  await writeFile(file, new Uint8Array(data));
  const decoder = DECODERS[result]!;
  const png = join(folder, 'result-decoded.png');
  await run(decoder.command(file, png));
  const found = await samplesIn(png);
  const levels = 2 ** coding.bits - 1;
  let differing = 0;
  for (const [at, sample] of samples.entries()) {
    // Turned by half, so that no file can be returned as it is.
    const pixel = SIZE.width * SIZE.height - 1 - Math.floor(at / 3);
    const other = found[pixel * 3 + (at % 3)]!;
    if (Math.round((other / MAX) * levels) !== Math.round((sample / MAX) * levels)) differing += 1;
  }
  const { name, bits } = coding;
  return {
    source: name,
    result: FORMATS[result].name,
    bits,
    decoder: decoder.name,
    samples: samples.length,
    differing,
  };
}

/** Samples of a PNG, in 16 bits. */
async function samplesIn(png: string): Promise<Uint16Array> {
  const stdout = await pngSamples(png);
  return Uint16Array.from({ length: stdout.length / 2 }, (_, at) => stdout.readUInt16LE(2 * at));
}

const run = ([program, ...args]: Command) => runProgram(program, args);
