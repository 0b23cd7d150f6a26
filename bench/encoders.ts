/** `npm run bench:encoders`: measures every encoder and setting that was considered and writes bench/encoders.md. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp, { type Sharp } from 'sharp';
import { compileModules } from '../codecs/modules.ts';
import { type Image, startVips } from '../codecs/vips.ts';
import { type Candidate, DECISIONS, type Decision } from './encoders/candidates.ts';
import { type MeasuredDecision, writeDocument } from './encoders/document.ts';
import type { Sample } from './encoders/summary.ts';
import { TMP } from './inputs.ts';
import { describeMachine, describeRevision, packageVersion } from './machine.ts';
import { cutout, drawing, gradient, PHOTOGRAPH_KIND, photograph, portrait, screenshot } from './pictures.ts';
import { type Decoded, decodeFile, scoreOf, toRgb } from './score.ts';

const WIDTH = 1224;
const HEIGHT = 816;
const RUNS = 3;

const { values: flags } = parseArgs({
  options: { only: { type: 'string' }, quick: { type: 'boolean', default: false } },
});

interface Picture {
  name: string;
  image: Image;
  reference: Decoded;
}

const modules = await compileModules();
const { vips, releaseHandles } = await startVips(modules);

async function loadPicture(name: string, source: Sharp): Promise<Picture> {
  const { data, info } = await source.raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const image = vips.Image.newFromMemory(data, width, height, channels, 'uchar' as never);
  return {
    name,
    image: image.copy({ interpretation: 'srgb' }),
    reference: await toRgb(sharp(data, { raw: { width, height, channels } })),
  };
}

/** Pictures are made anew for each decision: the handles of the one before are freed. */
async function loadPictures({ pictures }: Decision): Promise<Picture[]> {
  const face = await portrait(WIDTH, HEIGHT);
  const sources: Record<string, Sharp> = {
    photograph: await photograph(WIDTH, HEIGHT),
    ...(face ? { face } : {}),
    screenshot: sharp(await screenshot(WIDTH, HEIGHT)).removeAlpha(),
    drawing: sharp(await drawing(WIDTH, HEIGHT)).removeAlpha(),
    gradient: sharp(await gradient(WIDTH, HEIGHT)).removeAlpha(),
    cutout: await cutout(WIDTH, HEIGHT),
  };
  const wanted = Object.entries(sources).filter(([name]) => pictures?.includes(name) ?? true);
  return Promise.all((flags.quick ? wanted.slice(0, 1) : wanted).map(([name, source]) => loadPicture(name, source)));
}

async function measureOne(
  { encode }: Candidate,
  { lossless, format }: Decision,
  picture: Picture,
  quality: number,
): Promise<Sample> {
  let file = new Uint8Array();
  let ms = Number.POSITIVE_INFINITY;
  for (let run = 0; run < (flags.quick ? 1 : RUNS); run++) {
    const started = performance.now();
    file = Uint8Array.from(await encode(picture.image, quality, modules));
    ms = Math.min(ms, performance.now() - started);
  }
  const decoded = await decodeFile(format, Buffer.from(file));
  return {
    picture: picture.name,
    quality,
    ms,
    bytes: file.length,
    similarity: lossless ? 1 : scoreOf(picture.reference, decoded).similarity,
    exact: decoded.data.equals(picture.reference.data),
  };
}

async function measureDecision(decision: Decision): Promise<MeasuredDecision> {
  const pictures = await loadPictures(decision);
  const candidates = [];
  for (const candidate of decision.candidates) {
    console.error(`${decision.title}: ${candidate.name}`);
    const samples: Sample[] = [];
    for (const picture of pictures) {
      for (const quality of decision.qualities) samples.push(await measureOne(candidate, decision, picture, quality));
    }
    candidates.push({ name: candidate.name, chosen: candidate.chosen ?? false, samples });
  }
  releaseHandles();
  return { decision, candidates };
}

const { cpu, node, load } = describeMachine();
const { commit, dirty } = describeRevision();
const versions = ['wasm-vips', '@jsquash/jpeg', '@jsquash/png', '@jsquash/webp', '@jsquash/avif', '@jsquash/jxl'];
const caption = `Measured at ${commit}${dirty ? ' with changes' : ''} on ${cpu}, Node ${node}, load ${load.toFixed(2)}, with ${PHOTOGRAPH_KIND} pictures; ${versions.map((name) => `${name} ${packageVersion(name)}`).join(', ')}.`;

const measured: MeasuredDecision[] = [];
for (const decision of DECISIONS.filter(({ title }) => title.includes(flags.only ?? '')))
  measured.push(await measureDecision(decision));
const document = writeDocument(
  measured,
  ['photograph', 'face', 'screenshot', 'drawing', 'gradient', 'cutout'],
  caption,
);
// Only a whole measurement may replace the document.
const partial = flags.quick || flags.only !== undefined;
const path = join(partial ? TMP : import.meta.dirname, 'encoders.md');
await writeFile(path, document);
console.log(partial ? document : `Written: ${path}`);
process.exit();
