/**
 * Measures how often dry runs predict the size of a result correctly. Plans and runs pipelines on images next to the
 * repository, and counts the results whose size is inside the predicted 80% range. `--pairs N` sets the number of pairs
 * of image and pipeline (default 200).
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../base/failure.ts';
import type { Engine } from '../engine/engine.ts';
import { parsePipeline } from '../engine/pipeline/parse.ts';
import type { PipelineInput, PredictedBytes, Step } from '../engine/pipeline/record.ts';
import { createPool } from '../engine/pool.ts';
import { TEMPLATES_BY_NAME } from '../server/pipelines/templates.ts';
import { corpus, corpusFiles } from '../test/support/corpus.ts';
import { Random } from '../test/support/random.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '200' } } });

const FOLDERS = ['jpeg', 'png', 'webp', 'heic', 'tiff', 'faces', 'subject', 'text'];
const resize = (max_width: number) => ({ op: 'resize', params: { max_width, max_height: max_width } });
const template = (name: string) => TEMPLATES_BY_NAME.get(name)!.steps;
const parsedSteps = (...steps: object[]) => parsePipeline({ steps }).steps;
/** The most common pipelines. */
const PIPELINES: readonly (readonly Step[])[] = [
  template('web'),
  template('thumbnail'),
  template('social-card'),
  parsedSteps(resize(1200), { op: 'compress', params: { format: 'jpeg', quality: 80 } }),
  parsedSteps(resize(800), { op: 'convert', params: { format: 'webp', quality: 75 } }),
  parsedSteps(resize(640), { op: 'convert', params: { format: 'avif', quality: 60 } }),
  parsedSteps(resize(600), { op: 'convert', params: { format: 'png', mode: 'lossless' } }),
  parsedSteps(resize(1000), { op: 'compress', params: { format: 'jpeg', target_bytes: 60_000 } }),
  parsedSteps({ op: 'crop', params: { crop_ratio: '1:1' } }, resize(500), { op: 'compress' }),
];
const SEED = 7;

interface Pair {
  predicted: PredictedBytes;
  bytes: number;
}

const engine = await createPool({ workers: 2, timeoutMs: 120_000 });
const random = new Random(SEED);
const files = FOLDERS.flatMap(corpusFiles);
const pairs: Pair[] = [];
const wanted = Number(values.pairs);
const work = async () => {
  while (pairs.length < wanted) {
    const pair = await measure(engine, random.pick(files), random.pick(PIPELINES)).catch(ignoreFailure);
    if (pair && pairs.length < wanted) pairs.push(pair);
  }
};
await Promise.all([work(), work()]);
await engine.close();

console.log('| basis | pairs | inside the range | median of true / told |\n| --- | ---: | ---: | ---: |');
for (const basis of ['all', ...new Set(pairs.map(({ predicted }) => predicted.basis))]) {
  const of = pairs.filter(({ predicted }) => basis === 'all' || predicted.basis === basis);
  const inside = of.filter(({ predicted: { min, max }, bytes }) => bytes >= min && bytes <= max);
  const ratios = of.map(({ predicted, bytes }) => bytes / predicted.bytes).sort((one, other) => one - other);
  const share = ((100 * inside.length) / of.length).toFixed(1);
  console.log(`| ${basis} | ${of.length} | ${share}% | ${ratios[ratios.length >> 1]!.toFixed(2)} |`);
}

/** Damaged and hostile files have no result, so there is no size to predict. */
function ignoreFailure(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

async function measure(engine: Engine, file: string, steps: readonly Step[]): Promise<Pair> {
  const input = (data: ArrayBuffer): PipelineInput => ({
    image: { data, filename: basename(file) },
    params: { steps, maxPixels: 0 },
  });
  const { plan, data } = await engine.run('pipeline-plan', input(new Uint8Array(corpus(file)!).buffer));
  const result = await engine.run('pipeline', input(data));
  return { predicted: plan.result.predicted, bytes: result.data.byteLength };
}
