/**
 * Fits the model with which dry runs predict sizes (engine/pipeline/predict.ts) to the images next to the repository,
 * and writes engine/pipeline/size-model.json. Each image is compressed with several settings. For the measurement the
 * model is fitted to four fifths of the images and checked on the rest; the written model is fitted to all of them.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Failure } from '../base/failure.ts';
import { readFacts } from '../codecs/facts/index.ts';
import { type InputFormat, OUTPUTS, type OutputFormat } from '../codecs/formats/registry.ts';
import type { Engine } from '../engine/engine.ts';
import { type CompressParams, compressParams } from '../engine/operations/compress/params.ts';
import { sourceParams } from '../engine/operations/parameters.ts';
import {
  features,
  modelNames,
  predictSize,
  type SizeFacts,
  type SizeModel,
  type SourceFacts,
} from '../engine/pipeline/predict.ts';
import { createPool } from '../engine/pool.ts';
import { corpus, corpusFiles } from '../test/support/corpus.ts';
import { Random } from '../test/support/random.ts';

const MODEL_FILE = new URL('../engine/pipeline/size-model.json', import.meta.url);
/** Cache of the samples: compressing takes long, fitting does not. */
const SAMPLES_FILE = new URL('../bench/tmp/size-samples.json', import.meta.url);
const FOLDERS = [
  'avif',
  'bmp',
  'djvu',
  'dicom',
  'faces',
  'gif',
  'heic',
  'ico',
  'jpeg',
  'jxl',
  'legacy',
  'pdf',
  'png',
  'psd',
  'raw',
  'subject',
  'svg',
  'text',
  'tga',
  'tiff',
  'webp',
];
const MAX_IMAGES = 400;
const SETTINGS_PER_IMAGE = 6;
/** Maximum size of a result: larger ones would take hours without changing the model. */
const MAX_PIXELS = 1_000_000;

interface Sample {
  file: string;
  facts: SizeFacts;
  bytes: number;
}

const QUALITIES = [40, 60, 75, 75, 82, 85, 90, 95] as const;
const LOSSY_FORMATS = 'jpeg jpeg jpeg webp webp webp avif avif png png jxl tiff gif pdf'.split(' ') as OutputFormat[];

type EncoderSettings = Pick<CompressParams, 'format' | 'mode' | 'quality'>;

function randomSettings(random: Random): EncoderSettings {
  const kind = random.next();
  if (kind < 0.2) return { format: random.pick(['webp', 'jpeg', 'avif', 'png']), mode: 'smart', quality: 75 };
  if (kind < 0.4)
    return { format: random.pick(['png', 'png', 'webp', 'tiff', 'jxl', 'avif']), mode: 'lossless', quality: 75 };
  return { format: random.pick(LOSSY_FORMATS), mode: 'quality', quality: random.pick(QUALITIES) };
}

async function takeSamples(): Promise<Sample[]> {
  const engine = await createPool({ workers: 2, niceness: 10, timeoutMs: 120_000 });
  const taken: Sample[] = [];
  const files = FOLDERS.flatMap(corpusFiles)
    .sort((one, other) => hash(one) - hash(other))
    .slice(0, MAX_IMAGES);
  const work = async () => {
    for (let file = files.shift(); file; file = files.shift()) {
      // Damaged and hostile files are not useful samples.
      taken.push(...(await samplesOf(engine, file).catch(refused)));
      console.error(`${taken.length} samples, ${files.length} images to go`);
    }
  };
  await Promise.all([work(), work()]);
  await engine.close();
  await mkdir(dirname(SAMPLES_FILE.pathname), { recursive: true });
  await writeFile(SAMPLES_FILE, JSON.stringify(taken));
  return taken;
}

function refused(error: unknown): Sample[] {
  if (error instanceof Failure) return [];
  throw error;
}

async function samplesOf(engine: Engine, file: string): Promise<Sample[]> {
  const bytes = corpus(file)!;
  const input = () => ({ data: new Uint8Array(bytes).buffer, filename: basename(file) });
  const inspected = await engine.run('inspect', { image: input(), params: sourceParams.parse({}) });
  const { width, height } = inspected.record;
  const format = inspected.record.format as InputFormat;
  const frames = inspected.record.frames ?? 1;
  const { coding } = readFacts(format, bytes, 1);
  const source: SourceFacts = {
    format,
    bytes: bytes.length,
    pixels: width * height * frames,
    animated: frames > 1,
    lossless: coding?.lossless,
    quality: coding?.quality,
  };
  const random = new Random(hash(file));
  const taken: Sample[] = [];
  for (let n = 0; n < SETTINGS_PER_IMAGE; n += 1) {
    const way = randomSettings(random);
    const fits = Math.sqrt(MAX_PIXELS / source.pixels);
    // A third of the samples keep the size of the source, unless it is too large.
    const place = random.next();
    const factor = place < 1 / 3 && fits >= 1 ? 1 : Math.min(1, fits) * (0.15 + 0.85 * random.next());
    const percent = Math.max(1, Math.round(factor * 100));
    const params = { ...sourceParams.parse({}), ...compressParams.parse({ ...way, percent }) };
    const result = await engine.run('compress', { image: input(), params });
    if (result.outcome === 'kept_original') continue;
    const output = way.format as OutputFormat;
    const shown = OUTPUTS[output].animation === 'any' ? frames : 1;
    taken.push({
      file,
      bytes: result.data.byteLength,
      facts: {
        source,
        pixels: result.width * result.height * shown,
        scale: (result.width * result.height) / (width * height),
        format: output,
        coding: way.mode === 'quality' ? { quality: way.quality } : (way.mode as 'smart' | 'lossless'),
      },
    });
  }
  return taken;
}

function hash(text: string): number {
  let value = 2166136261;
  for (const character of text) value = Math.imul(value ^ character.charCodeAt(0), 16777619);
  return value >>> 0;
}

/** Fewer samples are not enough to fit eight factors. */
const MIN_SAMPLES = 30;
/** Keeps a factor near 0 if the samples do not determine it. */
const RIDGE = 1e-3;
/** Share of the samples outside the range at either end. It is less than a tenth, because new images differ more. */
const OUTLIER_SHARE = 0.06;

function fitAll(from: readonly Sample[]): Record<string, SizeModel> {
  const groups = new Map<string, Sample[]>();
  for (const sample of from)
    for (const name of modelNames(sample.facts)) groups.set(name, [...(groups.get(name) ?? []), sample]);
  const fitted = [...groups]
    .filter(([, group]) => group.length >= MIN_SAMPLES)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fitted.map(([name, group]) => [name, fit(group)]));
}

/** Ridge regression. */
function fit(group: readonly Sample[]): SizeModel {
  const rows = group.map(({ facts, bytes }) => ({ x: features(facts), y: Math.log(bytes) }));
  const count = rows[0]!.x.length;
  const matrix = Array.from({ length: count }, (_, i) =>
    Array.from({ length: count + 1 }, (_, j) => {
      const sum = rows.reduce((total, { x, y }) => total + x[i]! * (j < count ? x[j]! : y), 0);
      return i === j ? sum + RIDGE * rows.length : sum;
    }),
  );
  const factors = solve(matrix).map((factor) => Number(factor.toPrecision(6)));
  const residuals = rows
    .map(({ x, y }) => y - x.reduce((sum, value, i) => sum + value * factors[i]!, 0))
    .sort((a, b) => a - b);
  const quantile = (share: number) => residuals[Math.round(share * (residuals.length - 1))]!;
  return {
    factors,
    below: Number(Math.max(0.02, -quantile(OUTLIER_SHARE)).toFixed(3)),
    above: Number(Math.max(0.02, quantile(1 - OUTLIER_SHARE)).toFixed(3)),
  };
}

/** Gaussian elimination; the right-hand side is the last column. */
function solve(matrix: number[][]): number[] {
  const count = matrix.length;
  for (let column = 0; column < count; column += 1) {
    const pivot = matrix
      .slice(column)
      .reduce((best, row) => (Math.abs(row[column]!) > Math.abs(best[column]!) ? row : best));
    matrix.splice(matrix.indexOf(pivot), 1);
    matrix.splice(column, 0, pivot);
    for (const row of matrix) {
      if (row === pivot) continue;
      const factor = row[column]! / pivot[column]!;
      for (let at = column; at <= count; at += 1) row[at]! -= factor * pivot[at]!;
    }
  }
  return matrix.map((row, index) => row[count]! / row[index]!);
}

/** Measures how often the ranges hold for images that the model was not fitted to. */
function measure(): void {
  const FOLDS = 5;
  const inside = new Map<string, { held: number; count: number; widths: number[]; errors: number[] }>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const isHeldOut = ({ file }: Sample) => hash(file) % FOLDS === fold;
    const models = fitAll(samples.filter((sample) => !isHeldOut(sample)));
    for (const { facts, bytes } of samples.filter(isHeldOut)) {
      const { bytes: told, min, max } = predictSize(facts, models);
      for (const name of ['all', modelNames(facts)[1]]) {
        const entry = inside.get(name) ?? { held: 0, count: 0, widths: [], errors: [] };
        entry.held += Number(bytes >= min && bytes <= max);
        entry.count += 1;
        entry.widths.push(max / min);
        entry.errors.push(Math.abs(Math.log(bytes / told)));
        inside.set(name, entry);
      }
    }
  }
  const middle = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
  console.log(
    '| coding | results | inside the range | median of max / min | median error |\n| --- | ---: | ---: | ---: | ---: |',
  );
  for (const [name, { held, count, widths, errors }] of inside)
    console.log(
      `| ${name} | ${count} | ${((100 * held) / count).toFixed(1)}% | ${middle(widths).toFixed(2)} | ${(100 * (Math.exp(middle(errors)) - 1)).toFixed(0)} % |`,
    );
}

const samples = existsSync(SAMPLES_FILE)
  ? (JSON.parse(await readFile(SAMPLES_FILE, 'utf8')) as Sample[])
  : await takeSamples();
await writeFile(MODEL_FILE, `${JSON.stringify(fitAll(samples), undefined, 2)}\n`);
measure();
