/** The library as programs use it: the real engine in this process. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { createEngine, ImagecrewError, type ImageEngine } from '../../library/index.ts';
import { withFolder, writeFiles } from '../support/folder.ts';
import { repositoryFile } from '../support/repository.ts';
import { decode, difference, jpeg, pattern, png } from '../support/test-images.ts';

const run = promisify(execFile);

let engine: ImageEngine;
let photo: Buffer;

before(async () => {
  engine = await createEngine({ workers: 1 });
  photo = await jpeg(pattern(640, 480), 95);
});
after(() => engine.close());

const failsWith = (code: string, param?: string) => (error: unknown) =>
  error instanceof ImagecrewError && error.code === code && error.param === param && error.hint !== undefined;

describe('images for the library', () => {
  it('are paths, URLs, bytes, blobs or streams, and the bytes stay with the caller', async () => {
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'photo.jpg': photo });
      const path = join(folder, 'photo.jpg');
      const buffer = new Uint8Array(photo).buffer;
      const inside = new Uint8Array([0, ...photo]).subarray(1);
      const sources = [
        ...[path, pathToFileURL(path), photo, inside, buffer, new Blob([buffer])],
        ...[createReadStream(path), new Blob([buffer]).stream()],
      ];
      for (const source of sources) {
        const { bytes, width } = await engine.inspect(source);
        assert.deepEqual([bytes, width], [photo.length, 640]);
      }
      assert.deepEqual(
        [photo.byteLength, inside.byteLength, buffer.byteLength],
        [photo.length, photo.length, photo.length],
      );
    });
  });

  it('are recognised by the extension of a path or by `filename` where the format has no signature', async () => {
    const { data: tga } = await engine.compress(await png(pattern(8, 8)), { format: 'tga' });
    await withFolder(async (folder) => {
      await writeFiles(folder, { 'image.tga': tga });
      assert.equal((await engine.inspect(join(folder, 'image.tga'))).format, 'tga');
    });
    assert.equal((await engine.inspect(tga, { filename: 'x.tga' })).format, 'tga');
  });

  it('fail with the error of Node if they cannot be read, and with a TypeError if they are none', async () => {
    await assert.rejects(engine.inspect('/missing/photo.jpg'), { code: 'ENOENT' });
    for (const wrong of [5, null, undefined, {}])
      await assert.rejects(engine.inspect(wrong as never), /^TypeError: Expected a path, bytes or a stream for image/);
  });
});

describe('operations of the library', () => {
  it('return images with their facts', async () => {
    const source = pattern(640, 480);
    const { data, ...result } = await engine.compress(await png(source), { format: 'webp', mode: 'lossless' });
    assert.deepEqual(difference(await decode(data), source), { max: 0, mean: 0 });
    assert.equal(result.contentType, 'image/webp');
    assert.deepEqual([result.width, result.height, result.format], [640, 480, 'webp']);
    assert.equal(result.outcome, 'reduced');
    assert.equal(result.source.format, 'png');
    const { facts } = await engine.gif(data, { format: 'gif' });
    assert.equal(facts.frames, 1);
  });

  it('return archives and records', async () => {
    const { data, files } = await engine.favicon(photo);
    assert.deepEqual(Object.keys(unzipSync(data)), files);
    const record = await engine.ocr(photo);
    assert.deepEqual([record.width, record.height, typeof record.duration_ms], [640, 480, 'number']);
  });

  it('take further images', async () => {
    const logo = await png({ ...pattern(64, 64), data: Buffer.alloc(64 * 64 * 3, 255) });
    const params = { format: 'png', watermark_opacity: 100, watermark_size: 50 } as const;
    const { data } = await engine.compress(photo, params, { watermarkImage: logo });
    const plain = await engine.compress(photo, { format: 'png' });
    assert.ok(difference(await decode(data), await decode(plain.data)).max > 100);
    await assert.rejects(engine.compress(photo, {}, { mask: logo } as never), /^TypeError: .* option of compress/);
    const steps = [{ op: 'watermark', params: { logo: true, watermark_size: 50, watermark_opacity: 100 } }] as never;
    const marked = await engine.pipeline(photo, { steps }, { watermarkImage: logo });
    assert.ok(difference(await decode(marked.data), await decode(plain.data)).max > 100);
    await assert.rejects(engine.pipeline(photo, 'web', { mask: logo } as never), /^TypeError: .* option of pipeline/);
    // A model that depends on the image: the pipeline is planned before it runs, and both need the logo.
    const conditional = [{ op: 'upscale', when: { max_width: 100 } }, ...(steps as object[])] as never;
    const planned = await engine.pipeline(photo, { steps: conditional }, { watermarkImage: logo });
    assert.deepEqual(await decode(planned.data), await decode(marked.data));
  });

  it('run pipelines, with one result or several, and templates', async () => {
    const steps = [
      { op: 'crop', params: { crop_ratio: '1:1' } } as const,
      { op: 'resize', params: { width: 100 } } as const,
    ];
    const image = await engine.pipeline(photo, { steps });
    assert.deepEqual([image.width, image.height, image.steps.map(({ op }) => op)], [100, 100, ['crop', 'resize']]);
    const zip = await engine.pipeline(photo, { steps, outputs: { widths: [50, 100], formats: ['webp', 'jpeg'] } });
    assert.deepEqual(Object.keys(unzipSync(zip.data)).sort(), [...zip.files].sort());
    assert.equal(zip.files.length, 5);
    assert.equal((await engine.pipeline(photo, 'thumbnail')).format, 'webp');
  });

  it('fail with the codes of the API', async () => {
    await assert.rejects(engine.compress(photo, { quality: 101 }), failsWith('invalid_parameter', 'quality'));
    await assert.rejects(engine.compress(photo, { qualty: 5 } as never), failsWith('invalid_parameter', 'qualty'));
    await assert.rejects(engine.compress(Buffer.from('no image')), failsWith('unsupported_format', 'image'));
    await assert.rejects(engine.pipeline(photo, { steps: [] }), failsWith('invalid_pipeline', 'steps'));
    await assert.rejects(engine.pipeline(photo, 'wob'), failsWith('preset_not_found', 'pipeline'));
  });

  it('refuse arguments of other types in the call, not later', async () => {
    for (const wrong of [null, 'webp', [], 5])
      await assert.rejects(engine.compress(photo, wrong as never), /^TypeError: Expected an object for params but/);
    await assert.rejects(engine.compress(photo, {}, null as never), /^TypeError: Expected an object for options but/);
    for (const wrong of [{}, null, AbortSignal]) {
      const options = { signal: wrong as never };
      await assert.rejects(engine.compress(photo, {}, options), /^TypeError: Expected an AbortSignal for signal but/);
      await assert.rejects(
        engine.pipeline(photo, 'web', options),
        /^TypeError: Expected an AbortSignal for signal but/,
      );
    }
  });

  it('end with the reason of an abort', async () => {
    const abort = new AbortController();
    const running = engine.compress(photo, { format: 'avif', mode: 'smart' }, { signal: abort.signal });
    const reason = new Error('enough');
    abort.abort(reason);
    await assert.rejects(running, (error) => error === reason);
    assert.equal((await engine.inspect(photo)).width, 640);
  });
});

describe('an engine of the library', () => {
  it('keeps the limits that it is given, lets running tasks end when it is closed, and refuses others', async () => {
    const small = await createEngine({ workers: 1, maxPixels: 640 * 480 - 1 });
    await assert.rejects(small.compress(photo, { format: 'png' }), failsWith('image_too_large', 'image'));
    const running = small.compress(await jpeg(pattern(320, 240)), { format: 'png' });
    await running.then(() => small.close());
    await assert.rejects(small.inspect(photo), failsWith('shutting_down'));
    await assert.rejects(small.inspect(photo), /^ImagecrewError: Expected an open engine for this call but/);
    assert.ok(engine.formats.read.includes('jpeg') && engine.formats.write.includes('avif'));
  });

  it('refuses options that it cannot use, such as 0 workers, which would let calls wait forever', async () => {
    for (const workers of [0, -1, 1.5, Number.NaN, '2'])
      await assert.rejects(createEngine({ workers: workers as never }), failsWith('invalid_parameter', 'workers'));
    for (const name of ['maxPixels', 'timeoutMs'])
      await assert.rejects(createEngine({ [name]: 0 }), failsWith('invalid_parameter', name));
    await assert.rejects(createEngine({ wrokers: 1 } as never), failsWith('invalid_parameter', 'wrokers'));
    await assert.rejects(createEngine(null as never), /^TypeError: Expected an object for options but received null/);
    await (await createEngine({ workers: undefined })).close();
  });

  it('throws the class of errors that `imagecrew/client` exports', async () => {
    const [library, client] = await Promise.all(
      ['library', 'client'].map(
        (folder): Promise<Record<string, unknown>> =>
          import(repositoryFile(`dist-test-product/${folder}/index.js`).href),
      ),
    );
    assert.equal(library?.ImagecrewError, client?.ImagecrewError);
  });

  it('runs the program of its guide, which ends by itself', async () => {
    const guide = await readFile(repositoryFile('docs/guides/library.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
    const close = 'await engine.close();\n';
    const program = `${blocks.join('\n').replace(close, '')}${close}`;
    await withFolder(async (folder) => {
      const product = repositoryFile('dist-test-product/library/index.js').href;
      await writeFiles(folder, {
        'photo.jpg': photo,
        'logo.png': await png(pattern(20, 20)),
        'program.mjs': program,
        'node_modules/imagecrew/package.json': '{"name": "imagecrew", "type": "module", "exports": "./index.js"}',
        'node_modules/imagecrew/index.js': `export * from '${product}';`,
      });
      const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
      assert.match(stdout, /^webp 640 480 reduced\n/);
      assert.match(stdout, /photo-320.webp/);
      assert.match(stdout, /^invalid_parameter quality /m);
      assert.deepEqual(await decode(await readFile(join(folder, 'card.avif'))).then(({ width }) => width), 640);
    });
  });
});
