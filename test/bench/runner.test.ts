import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import sharp, { type SharpOptions } from 'sharp';
import { CONTENDERS } from '../../bench/contenders/index.ts';
import { planSteps, runProcess } from '../../bench/runner.ts';
import { WORKLOADS } from '../../bench/workloads.ts';
import { withFolder } from '../support/folder.ts';
import { nightlyOnly } from '../support/nightly.ts';

const named = (...names: string[]) => CONTENDERS.filter(({ name }) => names.includes(name));
const workload = (name: string) => WORKLOADS.find((each) => each.name === name)!;

describe('the order of the processes', () => {
  test('is reversed from round to round within each workload', () => {
    const contenders = named('imagecrew', 'sharp', 'jsquash');
    const steps = planSteps([workload('jpeg-1024'), workload('avif')], contenders, 3);
    const order = (round: number, name: string) =>
      steps.filter((step) => step.round === round && step.workload.name === name).map((step) => step.contender.name);
    assert.deepEqual(order(0, 'jpeg-1024'), ['imagecrew', 'sharp', 'jsquash']);
    assert.deepEqual(order(1, 'jpeg-1024'), ['jsquash', 'sharp', 'imagecrew']);
    assert.deepEqual(order(2, 'avif'), ['imagecrew', 'sharp', 'jsquash']);
    assert.equal(steps.length, 18);
  });

  test('omits contenders that cannot run a workload', () => {
    const steps = planSteps(
      [workload('jxl')],
      named('imagecrew', 'sharp', 'sharp-small', 'sharp-wasm32', 'jsquash'),
      1,
    );
    assert.deepEqual(
      steps.map(({ contender }) => contender.name),
      ['imagecrew', 'jsquash'],
    );
  });
});

describe('a bench process', () => {
  const runOn = (name: string, folder: string, input: string, task = 'webp-320') =>
    runProcess(named(name)[0]!, {
      workload: task,
      input,
      output: join(folder, 'result'),
      seconds: 0,
      concurrency: 2,
      fewest: 1,
    });

  for (const name of ['imagecrew', 'sharp', 'sharp-wasm32', 'jsquash', 'magick-wasm']) {
    test(`of ${name} measures, and returns a result of the requested form`, {
      skip: !['imagecrew', 'sharp'].includes(name) && nightlyOnly,
    }, async () => {
      await withFolder(async (folder) => {
        const input = join(folder, 'input.jpg');
        await writeFile(
          input,
          await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
            .jpeg()
            .toBuffer(),
        );
        const reply = await runOn(name, folder, input);
        assert.ok('value' in reply, 'error' in reply ? reply.error : '');
        const { latenciesMs, images, bytesOut, versions } = reply.value;
        assert.deepEqual([latenciesMs.length, images], [1, 2]);
        const result = await readFile(join(folder, 'result'));
        assert.equal(result.length, bytesOut);
        const { format, width, height } = await sharp(result).metadata();
        assert.deepEqual([format, width, height], ['webp', 320, 240]);
        assert.equal(
          'emscripten' in versions,
          name === 'sharp-wasm32',
          'only the WebAssembly build of sharp names its compiler',
        );
      });
    });
  }

  test("of sharp-small writes a mozjpeg JPEG, smaller than sharp's", { skip: nightlyOnly }, async () => {
    await withFolder(async (folder) => {
      const input = join(folder, 'input.png');
      await sharp({
        create: { width: 400, height: 300, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 30 } },
      } as SharpOptions).toFile(input);
      const bytesOf = async (name: string) => {
        const reply = await runOn(name, folder, input, 'jpeg-1024');
        assert.ok('value' in reply, 'error' in reply ? reply.error : '');
        assert.equal((await sharp(await readFile(join(folder, 'result'))).metadata()).format, 'jpeg');
        return reply.value.bytesOut;
      };
      assert.ok((await bytesOf('sharp-small')) < (await bytesOf('sharp')));
    });
  });

  test('reports why it failed', async () => {
    await withFolder(async (folder) => {
      const input = join(folder, 'broken.jpg');
      await writeFile(input, 'no image');
      const reply = await runOn('sharp', folder, input);
      assert.match('error' in reply ? reply.error : '', /unsupported image format/);
    });
  });
});
