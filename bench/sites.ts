/**
 * `npm run bench:sites`: scans a website of 2,000 pages and 6,000 images on loopback from its address to its package.
 * Reports recall and precision of references, totals, time and memory; with --kills 10 the process is killed ten times
 * in between. Options: --pages 2000 --images 6000 --kills 0 --workers 2 --optimize auto|manual.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ALLOCATOR_VARIABLES, NODE_OPTIONS } from '../cli/memory-settings.ts';
import { withFolder } from '../test/support/folder.ts';
import { scanGeneratedSite } from '../test/support/website/story.ts';
import { describeMachine, describeRevision, ROOT } from './machine.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '2000' },
    images: { type: 'string', default: '6000' },
    kills: { type: 'string', default: '0' },
    workers: { type: 'string', default: '2' },
    optimize: { type: 'string', default: 'auto' },
    seed: { type: 'string', default: '1' },
  },
});

/** Peak memory of a process, in MiB. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

const report = await withFolder((dataDir) =>
  scanGeneratedSite({
    dataDir,
    pages: Number(values.pages),
    images: Number(values.images),
    kills: Number(values.kills),
    seed: Number(values.seed),
    optimize: values.optimize === 'manual' ? 'manual' : 'auto',
    env: { IC_WORKERS: values.workers, ...ALLOCATOR_VARIABLES, IC_STORAGE_BYTES: String(2 ** 36) },
    command: [...NODE_OPTIONS, join(ROOT, 'dist/cli/main.js')],
    measure: peakMemory,
  }),
);
console.log(JSON.stringify({ revision: describeRevision(), machine: describeMachine(), ...report }, null, 1));
