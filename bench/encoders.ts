/** `npm run bench:encoders`: measures every candidate encoder and setting and writes bench/encoders.md. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CandidateOrder } from './encoders/candidate.ts';
import { DECISIONS, type Decision } from './encoders/candidates.ts';
import { type MeasuredDecision, writeDocument } from './encoders/document.ts';
import { type ImageFile, prepareImages } from './encoders/images.ts';
import type { Sample } from './encoders/summary.ts';
import { runInFreshProcess } from './fresh-process.ts';
import { TMP } from './inputs.ts';
import { describeMachine, describeRevision, packageVersion } from './machine.ts';
import { PHOTOGRAPH_KIND } from './source-images.ts';

const PROCESS = new URL('./encoders/candidate.ts', import.meta.url);
const PATIENCE_MS = 900_000;
const PACKAGES = ['wasm-vips', ...['jpeg', 'png', 'webp', 'avif', 'jxl'].map((name) => `@jsquash/${name}`)];

const { values: flags } = parseArgs({
  options: {
    /** Part of the title of a decision. */
    only: { type: 'string' },
    /** Uses one image, to check that everything works. */
    quick: { type: 'boolean', default: false },
  },
});

async function measureDecision(decision: Decision, images: readonly ImageFile[]): Promise<MeasuredDecision> {
  const wanted = images.filter(({ name }) => decision.images?.includes(name) ?? true);
  const candidates: MeasuredDecision['candidates'] = [];
  for (const { name, chosen = false } of decision.candidates) {
    console.error(`${decision.title}: ${name}`);
    const order: CandidateOrder = {
      decision: decision.title,
      candidate: name,
      images: flags.quick ? wanted.slice(0, 1) : wanted,
    };
    const reply = await runInFreshProcess<Sample[]>(PROCESS, order, { patienceMs: PATIENCE_MS });
    candidates.push({
      name,
      chosen,
      ...('value' in reply ? { samples: reply.value } : { samples: [], error: reply.error }),
    });
  }
  return { decision, candidates };
}

const { cpu, node, load } = describeMachine();
const { commit, dirty } = describeRevision();
const versions = PACKAGES.map((name) => `${name} ${packageVersion(name)}`).join(', ');
const caption = `Measured at ${commit}${dirty ? ' with changes' : ''} on ${cpu}, Node ${node}, load ${load.toFixed(2)}, with ${PHOTOGRAPH_KIND} images; ${versions}.`;

const images = await prepareImages();
const measured: MeasuredDecision[] = [];
for (const decision of DECISIONS) {
  if (decision.title.includes(flags.only ?? '')) measured.push(await measureDecision(decision, images));
}
const document = writeDocument(
  measured,
  images.map(({ name }) => name),
  caption,
);
// Only a complete measurement may replace the document.
const partial = flags.quick || flags.only !== undefined;
await mkdir(TMP, { recursive: true });
const path = join(partial ? TMP : import.meta.dirname, 'encoders.md');
await writeFile(path, document);
console.log(partial ? document : `Written: ${path}`);
