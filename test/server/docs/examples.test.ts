/** Runs every example of the documentation again and compares the responses with those shown. */
import assert from 'node:assert/strict';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  ADJUSTED_SOURCE,
  ADJUSTMENTS,
  adjustmentStrip,
  stripName,
} from '../../../scripts/docs-examples/adjustments.ts';
import { imageDifference, shownImage } from '../../../scripts/docs-examples/images.ts';
import { differences, runExample } from '../../../scripts/docs-examples/run.ts';
import { endpointsOf } from '../../../server/docs/endpoint-text.ts';
import {
  EXAMPLE_BASE_URL,
  type Example,
  imageName,
  readExamples,
  readResponse,
  readSizes,
} from '../../../server/docs/examples.ts';
import { readDoc } from '../../../server/docs/package-files.ts';
import { DOCUMENTED } from '../../../server/endpoints.ts';
import { createOpenApi } from '../../../server/http/openapi.ts';
import { withFolder } from '../../support/folder.ts';
import { MODELS_FOLDER, modelsSkipReason } from '../../support/models.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { isSelected } from '../../support/thorough.ts';
import { withServedDocs } from './served-docs.ts';
import { blocksOf, LANGUAGES, runShown } from './shown-code.ts';

/** Maximum mean difference per sample, of 255, between an image and the stored one. */
const MAX_MEAN_DIFFERENCE = 2;

/** Maximum relative difference in bytes from the stored file. */
const MAX_SIZE_DIFFERENCE = 0.02;

/** Operations that need downloaded models. Upscaling and OCR do not. */
const NEED_MODELS = new Set(['remove-background', 'faces', 'blur-faces']);

const needsModels = ({ operation, params }: Example): boolean =>
  NEED_MODELS.has(operation) || params.remove_background === true;

const examples = await readExamples();
const sizes = await readSizes();
const endpoints = endpointsOf(createOpenApi(DOCUMENTED));

describe('the examples', () => {
  it('get the documented responses', { skip: nightlyOnly }, (test) =>
    withServedDocs(
      async (service) => {
        for (const example of examples) {
          await test.test(example.name, { skip: needsModels(example) && modelsSkipReason }, async () => {
            const endpoint = endpoints.find(({ operation }) => operation.operationId === example.operation);
            assert.ok(endpoint, example.operation);
            const source = await readDoc(`examples/sources/${example.source}`);
            const { answer, image } = await runExample(example, endpoint.path, source, service);
            assert.deepEqual(differences(await readResponse(example), answer), []);
            if (!image) return;
            const name = imageName(example.name);
            const written = await readDoc(`examples/images/${name}`);
            assert.deepEqual([image.width, image.height], sizes[name]);
            assert.ok((await imageDifference(written, image.data)) <= MAX_MEAN_DIFFERENCE, name);
          });
        }
      },
      modelsSkipReason ? {} : { IC_MODELS_DIR: MODELS_FOLDER },
    ),
  );

  it('do the same in each language that is shown', { skip: nightlyOnly }, (test) =>
    withServedDocs(
      async (served) => {
        for (const [index, example] of examples.entries()) {
          const page = await (await fetch(`${served.address}/docs/${example.operation}.md`)).text();
          const [, shown = ''] = page.split(`### ${example.title}\n`);
          const source = await readDoc(`examples/sources/${example.source}`);
          const written = await readResponse(example);
          for (const [way, one] of LANGUAGES.entries()) {
            if (!isSelected(index, way, LANGUAGES.length)) continue;
            const skip = one.skip || (needsModels(example) && modelsSkipReason);
            await test.test(`${example.name}, ${one.language}`, { skip }, () =>
              withFolder(async (folder) => {
                await writeFile(join(folder, example.source), source);
                const said = await runShown({ ...served, folder }, one, blocksOf(shown, one.language)[0]!);
                if (!example.result) {
                  // JavaScript and Python print the object in their own format.
                  if (one.language !== 'sh') return assert.match(said, /^\{/);
                  const json = JSON.parse(said.replaceAll(served.address, EXAMPLE_BASE_URL));
                  assert.deepEqual(differences(written.json, json), []);
                  return;
                }
                const bytes = (await stat(join(folder, example.result))).size;
                const expected = Number(written.headers['X-IC-Bytes']);
                assert.ok(Math.abs(bytes / expected - 1) <= MAX_SIZE_DIFFERENCE, `${bytes} bytes, not ${expected}`);
              }),
            );
          }
        }
      },
      modelsSkipReason ? {} : { IC_MODELS_DIR: MODELS_FOLDER },
    ),
  );

  it('show each source file unchanged', async () => {
    for (const name of new Set(examples.map(({ source }) => source))) {
      const shown = await shownImage(await readDoc(`examples/sources/${name}`));
      const written = await readDoc(`examples/images/${imageName(name)}`);
      // Here the SVG is rendered by a different renderer than the service's.
      if (!name.endsWith('.svg')) assert.ok((await imageDifference(written, shown.data)) <= MAX_MEAN_DIFFERENCE, name);
    }
  });

  it('show adjustments as they are', { skip: nightlyOnly }, () =>
    withServedDocs(async (service) => {
      const source = await readDoc(`examples/sources/${ADJUSTED_SOURCE}`);
      for (const adjustment of ADJUSTMENTS) {
        const written = await readDoc(`examples/images/${stripName(adjustment)}`);
        const strip = await adjustmentStrip(adjustment, source, service);
        assert.ok((await imageDifference(written, strip.data)) <= MAX_MEAN_DIFFERENCE, adjustment);
      }
    }),
  );

  it('show every operation on images, with small image files', async () => {
    const shown = new Set(examples.map(({ operation }) => operation));
    const images = endpoints.filter(({ method, operation }) => method === 'POST' && operation.tags.includes('Images'));
    for (const { operation } of images) assert.ok(shown.has(operation.operationId), operation.operationId);
    for (const name of Object.keys(sizes))
      assert.ok((await readDoc(`examples/images/${name}`)).byteLength < 60_000, name);
  });
});

describe('the comparison of responses', () => {
  it('finds differences, and ignores values that always differ', () => {
    const one = { status: 200, headers: { 'X-IC-Bytes': '1000' }, json: { id: 'file_1', score: 0.9, list: ['a'] } };
    assert.deepEqual(differences(one, { ...one, headers: { 'X-IC-Bytes': '1010' } }), []);
    assert.deepEqual(differences(one, { ...one, json: { ...one.json, id: 'file_2' } }), []);
    assert.equal(differences(one, { ...one, headers: { 'X-IC-Bytes': '1100' } }).length, 1);
    assert.equal(differences(one, { ...one, headers: {} }).length, 1);
    assert.equal(differences(one, { ...one, json: { ...one.json, list: ['b'] } }).length, 1);
    assert.equal(differences(one, { ...one, status: 400 }).length, 1);
  });
});
