/**
 * `npm run bench:webp-animation-bytes`: bytes of our animated WebP compared with gif2webp, over drawn and filmed loops
 * and the GIF files of the corpus. Lossless is compared with gif2webp's default, quality 75 with the smallest of all
 * its modes, each with its PSNR. Needs Debian's package webp; without it only our results are shown.
 *
 *     npm run bench:webp-animation-bytes -- --methods 4,6
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import sharp from 'sharp';
import { compressParams } from '../engine/operations/compress/params.ts';
import { createPool } from '../engine/pool.ts';
import { corpus } from '../test/support/corpus.ts';
import { describeMachine } from './machine.ts';
import { animation, photograph, screenshot } from './source-images.ts';
import { renderSvg } from './svg.ts';

const run = promisify(execFile);
const { values: options } = parseArgs({
  options: {
    /** Methods of gif2webp; 4 is its default. */
    methods: { type: 'string', default: '4' },
  },
});

const QUALITY = 75;
const FRAMES = 24;
const DELAY_MS = 100;
const CORPUS = ['pillow--chi', 'pillow--iss634', 'libvips--cogs', 'libvips--dispose-previous'];

interface Loop {
  name: string;
  gif: Buffer;
}

const MODES = {
  lossless: [[]],
  lossy: [[], ['-lossy', '-q', String(QUALITY)], ['-mixed', '-q', String(QUALITY)]],
} as const;
type Mode = keyof typeof MODES;

async function gifOf(name: string, draw: (frame: number) => Promise<Buffer>): Promise<Loop> {
  const frames = await Promise.all(Array.from({ length: FRAMES }, (_, frame) => draw(frame)));
  const delay = frames.map(() => DELAY_MS);
  return {
    name,
    gif: await sharp(frames, { join: { animated: true } })
      .gif({ delay, loop: 0 })
      .toBuffer(),
  };
}

const drawing = (width: number, height: number, body: string) =>
  renderSvg(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${body}</svg>`);

/** Two shapes in flat colours with hard edges. */
const flat = (frame: number) =>
  drawing(
    320,
    240,
    `<g shape-rendering="crispEdges"><rect width="320" height="240" fill="#f4f1de"/>
    <rect x="${10 + frame * 9}" y="60" width="60" height="60" fill="#e07a5f"/><circle cx="${300 - frame * 10}" cy="170" r="30" fill="#3d405b"/></g>`,
  );

/** Many disks with smooth edges. */
const disks = (frame: number) => {
  const each = Array.from({ length: 14 }, (_, index) => {
    const angle = index + (frame / FRAMES) * 2 * Math.PI * (1 + (index % 3));
    const [x, y] = [240 + (60 + index * 11) * Math.cos(angle), 180 + (40 + index * 8) * Math.sin(angle)];
    return `<circle cx="${x}" cy="${y}" r="${8 + index * 1.5}" fill="hsl(${index * 26}, 70%, 50%)" stroke="#222" stroke-width="2"/>`;
  });
  return drawing(480, 360, `<rect width="480" height="360" fill="#fff"/>${each.join('')}`);
};

/** A gradient with more colours than libwebp tries losslessly, and a square in front of it. */
const sky = (frame: number) =>
  drawing(
    320,
    240,
    `<linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${frame * 15}, 70%, 30%)"/><stop offset="1" stop-color="#fde2c0"/></linearGradient>
    <rect width="320" height="240" fill="url(#sky)"/><rect x="${10 + frame * 9}" y="60" width="60" height="60" fill="#e07a5f"/>`,
  );

async function loops(): Promise<Loop[]> {
  const photo = await (await photograph(900, 640)).png().toBuffer();
  const screen = await sharp(await screenshot(900, 1800))
    .resize(480)
    .png()
    .toBuffer();
  const part = (image: Buffer, left: number, top: number) =>
    sharp(image).extract({ left, top, width: 400, height: 300 }).png().toBuffer();
  const delay = Array.from({ length: FRAMES }, () => DELAY_MS);
  const files = CORPUS.flatMap((name) => {
    const gif = corpus(`gif/${name}.gif`);
    return gif ? [{ name, gif: Buffer.from(gif) }] : [];
  });
  return [
    await gifOf('drawn, flat', flat),
    await gifOf('drawn, smooth disks', disks),
    await gifOf('drawn, gradient', sky),
    await gifOf('scrolled screen', (frame) => part(screen, 0, frame * 16)),
    await gifOf('filmed, pan', (frame) => part(photo, frame * 12, frame * 6)),
    { name: 'photograph with a disk', gif: await (await animation(480, 360, FRAMES)).gif({ delay }).toBuffer() },
    ...files,
  ];
}

interface Decoded {
  pixels: Buffer;
  /** Bytes of one frame, RGBA. */
  frameBytes: number;
  delays: readonly number[];
}

async function decode(file: Uint8Array): Promise<Decoded> {
  const { pages = 1, delay = [DELAY_MS] } = await sharp(file, { animated: true }).metadata();
  const pixels = await sharp(file, { animated: true }).ensureAlpha().raw().toBuffer();
  return { pixels, frameBytes: pixels.length / pages, delays: delay };
}

/** Returns the frame shown after this many milliseconds: encoders merge equal frames, so indexes differ. */
function frameAt({ pixels, frameBytes, delays }: Decoded, time: number): Buffer {
  let end = 0;
  const found = delays.findIndex((delay) => {
    end += delay;
    return time < end;
  });
  const index = found < 0 ? delays.length - 1 : found;
  return pixels.subarray(index * frameBytes, (index + 1) * frameBytes);
}

/** PSNR of the frames on a black background. */
function psnr(reference: Decoded, other: Decoded): number {
  let sum = 0;
  let start = 0;
  for (const delay of reference.delays) {
    const [one, two] = [frameAt(reference, start + delay / 2), frameAt(other, start + delay / 2)];
    start += delay;
    for (let at = 0; at < one.length; at += 4)
      for (let band = 0; band < 3; band += 1)
        sum += ((one[at + band]! * one[at + 3]! - two[at + band]! * two[at + 3]!) / 255) ** 2;
  }
  return sum === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 ** 2 * 0.75 * reference.pixels.length) / sum);
}

const engine = await createPool({ workers: 1 });
const folder = await mkdtemp(join(tmpdir(), 'webp-animation-'));
const isInstalled = await run('gif2webp', ['-version']).then(
  () => true,
  () => false,
);

async function encodeOurs(gif: Buffer, mode: Mode): Promise<Uint8Array> {
  const asked = mode === 'lossless' ? { mode } : { quality: QUALITY };
  const params = { ...compressParams.parse({ format: 'webp', ...asked }), page: 1 };
  return new Uint8Array((await engine.run('compress', { image: { data: new Uint8Array(gif).buffer }, params })).data);
}

/** Returns the smallest of gif2webp's files in this mode. */
async function encodeTheirs(gif: Buffer, mode: Mode): Promise<Uint8Array> {
  const [from, to] = [join(folder, 'from.gif'), join(folder, 'to.webp')];
  await writeFile(from, gif);
  const made: Uint8Array[] = [];
  for (const method of options.methods.split(','))
    for (const settings of MODES[mode]) {
      await run('gif2webp', ['-quiet', ...settings, '-m', method, from, '-o', to]);
      made.push(await readFile(to));
    }
  return made.reduce((best, each) => (each.length < best.length ? each : best));
}

console.log(JSON.stringify(describeMachine()));
if (!isInstalled) console.log('gif2webp is not installed: only our bytes are shown.');
console.log(
  '| loop | mode | ours | PSNR | gif2webp | PSNR | ratio |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |',
);
for (const { name, gif } of await loops()) {
  const reference = await decode(gif);
  for (const mode of Object.keys(MODES) as Mode[]) {
    const ours = await encodeOurs(gif, mode);
    const theirs = isInstalled ? await encodeTheirs(gif, mode) : undefined;
    const measured = async (file: Uint8Array) => `${file.length} | ${psnr(reference, await decode(file)).toFixed(2)}`;
    const beside = theirs ? `${await measured(theirs)} | ${(ours.length / theirs.length).toFixed(3)}` : '- | - | -';
    console.log(`| ${name} | ${mode} | ${await measured(ours)} | ${beside} |`);
  }
}
await rm(folder, { recursive: true });
await engine.close();
