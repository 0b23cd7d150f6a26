/**
 * `npm run bench:cli`: `imagecrew compress` over a folder of photographs, including start and exit, compared with the
 * engine in process: warm, all files in memory, nothing written. Each run uses a fresh process, in alternating order.
 * Options: --photos 200 --rounds 3 --parameters format=webp,max_width=1600 --least-pixels 3000000. The minimum size
 * selects photographs as cameras make them: with 200 images already reduced for web pages, the start would take a
 * larger share.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { corpusFiles, corpusPath } from '../test/support/corpus.ts';
import { withFolder } from '../test/support/folder.ts';
import type { FolderOrder, FolderRun } from './cli-engine.ts';
import { runInFreshProcess } from './fresh-process.ts';
import { describeMachine, describeRevision, ROOT } from './machine.ts';
import { photograph } from './source-images.ts';
import { median } from './statistics.ts';

const { values } = parseArgs({
  options: {
    photos: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    parameters: { type: 'string', default: '' },
    'least-pixels': { type: 'string', default: '3000000' },
  },
});
const photos = Number(values.photos);
const rounds = Number(values.rounds);
const parameters = values.parameters === '' ? [] : values.parameters.split(',').map((pair) => pair.split('='));

const PATIENCE_MS = 1_800_000;
const ENGINE = new URL('./cli-engine.ts', import.meta.url);
const MAIN = join(ROOT, 'dist/cli/main.js');
const leastPixels = Number(values['least-pixels']);

/** Uses real photographs if they are there, repeated as often as needed under different names. */
async function fillFolder(folder: string): Promise<void> {
  const found: string[] = [];
  for (const path of [...corpusFiles('jpeg'), ...corpusFiles('faces'), ...corpusFiles('subject')].map(corpusPath)) {
    if (!/[.]jpe?g$/.test(path)) continue;
    const { width = 0, height = 0 } = await sharp(path).metadata();
    if (width * height >= leastPixels) found.push(path);
  }
  if (found.length === 0) {
    for (const width of [1200, 2000, 3000]) {
      const path = join(folder, '..', `photograph-${width}.jpg`);
      await writeFile(path, await (await photograph(width, (width * 2) / 3)).jpeg({ quality: 90 }).toBuffer());
      found.push(path);
    }
  }
  for (let index = 0; index < photos; index++)
    await copyFile(found[index % found.length]!, join(folder, `photo-${String(index).padStart(3, '0')}.jpg`));
}

/**
 * Runs the command as a person would; the shell's `time` measures the processor time of the process and its threads.
 */
async function runCommand(folder: string, output: string): Promise<FolderRun> {
  await rm(output, { recursive: true, force: true });
  const options = parameters.flatMap(([name = '', value = '']) => [`--${name.replaceAll('_', '-')}`, value]);
  const args = [MAIN, 'compress', folder, '-o', output, ...options];
  const child = spawn(
    'bash',
    ['-c', 'TIMEFORMAT="%R %U %S"; time "$@" > /dev/null', 'bash', process.execPath, ...args],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (status !== 0) throw new Error(`ended with ${status}: ${said}`);
  const [seconds = 0, user = 0, system = 0] = said.trim().split(' ').map(Number);
  return { seconds, cpuSeconds: user + system };
}

async function runEngine(folder: string): Promise<FolderRun> {
  const order: FolderOrder = { folder, params: Object.fromEntries(parameters) };
  const reply = await runInFreshProcess<FolderRun>(ENGINE, order, { patienceMs: PATIENCE_MS });
  if ('error' in reply) throw new Error(reply.error);
  return reply.value;
}

const report = await withFolder(async (parent) => {
  const [folder, output] = [join(parent, 'photos'), join(parent, 'results')];
  await mkdir(folder);
  await fillFolder(folder);
  const runs: { command: FolderRun[]; engine: FolderRun[] } = { command: [], engine: [] };
  const contenders = [
    async () => runs.engine.push(await runEngine(folder)),
    async () => runs.command.push(await runCommand(folder, output)),
  ];
  for (let round = 0; round < rounds; round += 1) {
    console.error(`round ${round + 1} of ${rounds}`);
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) await contender();
  }
  const rate = (all: FolderRun[]) => photos / median(all.map(({ seconds }) => seconds));
  const cores = (all: FolderRun[]) => median(all.map(({ seconds, cpuSeconds }) => cpuSeconds / seconds));
  const [command, engine] = [rate(runs.command), rate(runs.engine)];
  return {
    imagesPerSecond: { command, engine },
    ratio: command / engine,
    ratios: runs.command.map(({ seconds }, round) => runs.engine[round]!.seconds / seconds),
    coresBusy: { command: cores(runs.command), engine: cores(runs.engine) },
    runs,
  };
});
console.log(
  JSON.stringify({ revision: describeRevision(), machine: describeMachine(), photos, leastPixels, ...report }, null, 1),
);
