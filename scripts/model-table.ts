/**
 * Measures the accuracy of the models on the images next to the repository, and writes docs/models.md. An image of all
 * cut-outs, for visual inspection, is written to the folder printed at the end.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../engine/pools.ts';
import { MODELS_FOLDER } from '../test/support/models.ts';
import { measureBackground, sheetPath } from './model-table/background.ts';
import { measureFaces } from './model-table/faces.ts';
import { measureOcr } from './model-table/ocr.ts';
import { writeReport } from './model-table/report.ts';
import { measureUpscale } from './model-table/upscale.ts';

const TIMEOUT_MS = 300_000;

const folder = await mkdtemp(join(tmpdir(), 'model-table-'));
const engine = await createEngine({ workers: 1, modelsFolder: MODELS_FOLDER, timeoutMs: TIMEOUT_MS });
const report = writeReport({
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  date: new Date().toISOString().slice(0, 10),
  faces: await measureFaces(engine),
  background: await measureBackground(engine, sheetPath(folder)),
  upscale: await measureUpscale(engine),
  ocr: await measureOcr(),
});
await engine.close();
await writeFile('docs/models.md', report);
console.log(`Wrote docs/models.md; look at ${sheetPath(folder)}.`);
