/**
 * `npm run bench:models`: time of the operations that run a model at 1, 2 and 12 megapixels, compared with the bare
 * model on inputs of the same sizes, in fresh processes, one request after another. Models are read from IC_MODELS_DIR.
 * `--operation NAME`, which may be repeated, measures only these.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { OPERATIONS, type Operation } from '../engine/operations/registry.ts';
import { runInFreshProcess } from './fresh-process.ts';
import { type InputName, prepareInput } from './inputs.ts';
import { describeMachine, describeRevision } from './machine.ts';
import type { MeasuredRequest, ModelRun } from './model-operation.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, operation: { type: 'string', multiple: true } },
});
const rounds = Number(values.rounds);
const PATIENCE_MS = 400_000;
const CHILD = new URL('./model-operation.ts', import.meta.url);

/** Pixels of the inputs. */
const SIZES = ['1mp', '2mp', '12mp'] as const;
/** An upscale takes several seconds for each megapixel. */
const UPSCALED_SIZES = ['1mp', '2mp'] as const;

const inputsFor = ({ model }: Operation): InputName[] =>
  (model === 'upscale' ? UPSCALED_SIZES : SIZES).map(
    (size) => `${model === 'ocr' ? 'page' : 'photo'}-${size}` as const,
  );

const folder = process.env.IC_MODELS_DIR;
if (!folder) throw new Error('Expected the folder of the installed models in IC_MODELS_DIR.');
const threadNumbers = [...new Set([1, availableParallelism()])];
console.log(JSON.stringify({ ...describeRevision(), ...describeMachine() }));
console.log('| operation | input | threads | ms | decode | encode | bare model ms | ratio | peak MB |');
console.log('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const definition of OPERATIONS.filter(({ meter }) => meter === 'ai')) {
  const { name: operation } = definition;
  if (values.operation && !values.operation.includes(operation)) continue;
  for (const input of inputsFor(definition)) {
    for (const threads of threadNumbers) {
      const { path } = await prepareInput(input);
      const runs: ModelRun[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const reply = await runInFreshProcess<ModelRun>(
          CHILD,
          { operation, image: path, threads, folder },
          { patienceMs: PATIENCE_MS },
        );
        if ('error' in reply) throw new Error(`${operation}, ${input}: ${reply.error}`);
        runs.push(reply.value);
      }
      const requests = runs.flatMap(({ requests }) => requests);
      const middle = (value: (request: MeasuredRequest) => number) => median(requests.map(value));
      const figures = [
        middle(({ total }) => total),
        middle(({ decode }) => decode),
        middle(({ encode }) => encode),
        middle(({ bare }) => bare),
      ].map((ms) => ms.toFixed(0));
      const ratio = middle(({ total, decode, encode, bare }) => total / (bare + decode + encode)).toFixed(2);
      const peak = (median(runs.map(({ peakBytes }) => peakBytes)) / 1e6).toFixed(0);
      console.log(`| ${[operation, input, threads, ...figures, ratio, peak].join(' | ')} |`);
    }
  }
}
