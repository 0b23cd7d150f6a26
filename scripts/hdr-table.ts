/**
 * Compares the tone mapping of ten files in PQ and HLG with a reference, and samples of 10, 12 and 16 bits with other
 * decoders, and writes docs/high-dynamic-range.md. A contact sheet, for visual inspection, is written to the folder
 * printed at the end. Needs avifenc, avifdec, cjxl, djxl, heif-enc, heif-convert, ImageMagick, and ffmpeg with libx265,
 * libplacebo and a Vulkan driver.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '../engine/pool.ts';
import { compareDepths } from './hdr-table/depth.ts';
import { referenceVersions } from './hdr-table/reference.ts';
import { writeReport } from './hdr-table/report.ts';
import { makeHdrFiles } from './hdr-table/sources.ts';
import { compareToneMapping, writeContactSheet } from './hdr-table/tone-mapping.ts';

const folder = await mkdtemp(join(tmpdir(), 'hdr-table-'));
const engine = await createPool({ workers: 1, warmThreads: false });
const compared = [];
for (const file of await makeHdrFiles(folder)) compared.push(await compareToneMapping(engine, file, folder));
const sheet = join(folder, 'contact-sheet.png');
await writeContactSheet(compared, sheet);
const report = writeReport({
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  date: new Date().toISOString().slice(0, 10),
  versions: await referenceVersions(),
  toneMapping: compared.map(({ row }) => row),
  depth: await compareDepths(engine, folder),
});
await engine.close();
await writeFile('docs/high-dynamic-range.md', report);
console.log(`Wrote docs/high-dynamic-range.md; look at ${sheet}.`);
