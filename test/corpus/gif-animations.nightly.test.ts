/**
 * Real animations with every option, checked with independent tools: gifsicle and webpmux for frames, times and loops;
 * ImageMagick (GIF) and libwebp (WebP) for the pixels of composed frames.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import type { AnimationFormat } from '../../engine/operations/gif/timeline.ts';
import { FINGERPRINT_SIDE, fingerprint, fingerprintDistance } from '../../engine/quality/fingerprint.ts';
import { edit, type GifOptions } from '../engine/gif/support.ts';
import { corpus, corpusSkipReason } from '../support/corpus.ts';
import { withFolder } from '../support/folder.ts';
import { isSelected } from '../support/thorough.ts';
import { skipWithout } from '../support/tool.ts';
import { verifies } from '../support/verifies.ts';

const ANIMATIONS = [
  'gif/image--any-disposal.gif',
  'gif/image--large-gif-anim-combine.gif',
  'gif/libvips--cogs.gif',
  'gif/libvips--dispose-previous.gif',
  'gif/pillow--chi.gif',
  'gif/pillow--different_transparency.gif',
  'gif/pillow--dispose_bgnd.gif',
  'gif/pillow--dispose_prev.gif',
  'gif/pillow--iss634.gif',
  'gif/pygif--animation-multi-image.gif',
  'gif/pygif--animation-no-delays.gif',
  'gif/pygif--animation-speed.gif',
  'gif/pygif--animation-zero-delays.gif',
  'gif/pygif--animation.gif',
  'gif/pygif--dispose-keep.gif',
  'gif/pygif--dispose-restore-background.gif',
  'gif/pygif--dispose-restore-previous.gif',
  'gif/pygif--images-overlap.gif',
  'webp/image--anim.webp',
  'webp/libvips--big-height.webp',
  'webp/pillow--iss634.webp',
];

interface DecodedAnimation {
  width: number;
  height: number;
  /** RGBA pixels of each composed frame. */
  frames: Buffer[];
  /** Delays in milliseconds. */
  delays: number[];
  /** How often the animation plays; 0 means forever. */
  plays: number;
}

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'ignore'] });

/** Reads a file with the other tools. */
async function readWithOtherTools(file: string, format: AnimationFormat): Promise<DecodedAnimation> {
  const { width, height, pixels } = format === 'gif' ? magick(file) : await libwebp(file);
  const size = width * height * 4;
  const frames = Array.from({ length: pixels.length / size }, (_, at) => pixels.subarray(at * size, (at + 1) * size));
  return { width, height, frames, ...(format === 'gif' ? gifsicle(file) : webpmux(file)) };
}

function magick(file: string) {
  const [width = 0, height = 0] = run('identify', '-format', '%W %H\n', `${file}[0]`).toString().split(' ').map(Number);
  return { width, height, pixels: run('convert', file, '-alpha', 'set', '-coalesce', '-depth', '8', 'rgba:-') };
}

/** Decodes WebP with libwebp, because ImageMagick 6 blends every frame, even frames that replace the previous ones. */
async function libwebp(file: string) {
  const bytes = readFileSync(file);
  const { pages = 1 } = await sharp(bytes, { animated: true }).metadata();
  const column = sharp(bytes, { animated: true }).toColourspace('srgb').ensureAlpha().raw();
  const { data, info } = await column.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height / pages, pixels: data };
}

function gifsicle(file: string): Pick<DecodedAnimation, 'delays' | 'plays'> {
  const info = run('gifsicle', '--info', file).toString();
  const images = info.split(/^ {2}\+ image #/m).slice(1);
  const loop = /^ {2}loop (forever|count ([0-9]+))/m.exec(info);
  return {
    delays: images.map((image) => Math.round(Number(/ delay ([0-9.]+)s/.exec(image)?.[1] ?? 0) * 1000)),
    plays: loop === null ? 1 : loop[2] === undefined ? 0 : Number(loop[2]) + 1,
  };
}

function webpmux(file: string): Pick<DecodedAnimation, 'delays' | 'plays'> {
  const info = run('webpmux', '-info', file).toString();
  const frames = info.split('\n').filter((line) => /^ *[0-9]+: /.test(line));
  return {
    delays: frames.map((line) => Number(line.trim().split(/ +/)[6])),
    plays: Number(/Loop Count : ([0-9]+)/.exec(info)?.[1] ?? 1),
  };
}

/** Returns the delay that browsers use: 100 ms for delays up to 10 ms. */
const played = (delay: number) => (delay <= 10 ? 100 : delay);

/** An option and its expected frames in order, with their delays before `speed` is applied. */
interface Case {
  name: string;
  options(source: DecodedAnimation): GifOptions;
  frames(source: { index: number; delay: number }[]): { index: number; delay: number }[];
  speed?: number;
  /** Tested with WebP only, because one format is enough. */
  webpOnly?: true;
}

const half = ({ width, height }: DecodedAnimation) => ({
  left: Math.floor(width / 4),
  top: Math.floor(height / 4),
  width: Math.ceil(width / 2),
  height: Math.ceil(height / 2),
});
const sum = (delays: number[]) => delays.reduce((total, delay) => total + delay, 0);
const same: Case['frames'] = (frames) => frames;

const grouped =
  (count: number): Case['frames'] =>
  (frames) =>
    frames
      .filter((_, place) => place % count === 0)
      .map(({ index }) => ({ index, delay: sum(frames.slice(index, index + count).map(({ delay }) => delay)) }));

const CASES: Case[] = [
  { name: 'no option', options: () => ({}), frames: same },
  { name: 'every=2', options: () => ({ every: 2 }), frames: grouped(2) },
  { name: 'every=4', options: () => ({ every: 4 }), frames: grouped(4), webpOnly: true },
  { name: 'reverse', options: () => ({ reverse: true }), frames: (frames) => frames.toReversed() },
  { name: 'speed=200', options: () => ({ speed: 200 }), frames: same, speed: 200 },
  { name: 'speed=30', options: () => ({ speed: 30 }), frames: same, speed: 30, webpOnly: true },
  {
    name: 'trim to the second frame',
    options: ({ delays }) => ({ trim_start: played(delays[0]!) / 1000 }),
    frames: (frames) => frames.slice(1),
  },
  {
    name: 'trim before the last frame',
    options: ({ delays }) => ({ trim_end: sum(delays.slice(0, -1).map(played)) / 1000 }),
    webpOnly: true,
    frames: (frames) => frames.slice(0, -1),
  },
  {
    name: 'crop',
    options(source) {
      const { left, top, width, height } = half(source);
      return { crop: [left, top, width, height].join() };
    },
    frames: same,
  },
  { name: 'width', options: ({ width }) => ({ width: Math.ceil(width / 2) }), frames: same },
  { name: 'loop=0', options: () => ({ loop: 0 }), frames: same, webpOnly: true },
  { name: 'loop=5', options: () => ({ loop: 5 }), frames: same },
  { name: 'colours=32', options: () => ({ colours: 32 }), frames: same },
];

/** Applies the crop or the resize of the case to a frame. */
function geometry(name: string, source: DecodedAnimation, frame: Buffer) {
  const { width, height } = source;
  const image = sharp(frame, { raw: { width, height, channels: 4 } });
  if (name === 'crop') return image.extract(half(source));
  return name === 'width' ? image.resize(Math.ceil(width / 2)) : image;
}

const colour = (pixels: Buffer, at: number) => (pixels[at + 3] === 0 ? 0 : pixels.readUInt32BE(at));

/** Returns the largest difference of a sample, ignoring the colours of transparent pixels. */
function pixelDifference(a: Buffer, b: Buffer): number {
  assert.equal(a.length, b.length);
  let most = 0;
  for (let at = 0; at < a.length; at += 4) {
    if (colour(a, at) === colour(b, at)) continue;
    for (let band = 0; band < 4; band += 1) most = Math.max(most, Math.abs(a[at + band]! - b[at + band]!));
  }
  return most;
}

/** Hashes a frame on grey, so that transparent pixels do not count as black. */
async function hash(pixels: Buffer, width: number, height: number): Promise<string> {
  const luminance = await sharp(pixels, { raw: { width, height, channels: 4 } })
    .flatten({ background: '#808080' })
    .resize(FINGERPRINT_SIDE, FINGERPRINT_SIDE, { fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return fingerprint(luminance);
}

/** Maximum distance at which two images count as the same (engine/quality/fingerprint.ts). */
const MAX_FINGERPRINT_DISTANCE = 6;

describe('real animations', {
  skip: corpusSkipReason || skipWithout('convert', 'identify', 'gifsicle', 'webpmux'),
}, () => {
  for (const [turn, path] of ANIMATIONS.entries()) {
    it(path, async () => {
      verifies('gif.endpoint', 'gif.reads-webp', 'gif.frames-composed', 'gif.every', 'gif.reverse', 'gif.speed');
      verifies('gif.trim-start', 'gif.trim-end', 'gif.crop', 'gif.width', 'gif.loop', 'gif.format.webp');
      const bytes = corpus(path)!;
      const from: AnimationFormat = path.startsWith('gif') ? 'gif' : 'webp';
      await withFolder(async (folder) => {
        const file = join(folder, `source.${from}`);
        writeFileSync(file, bytes);
        const source = await readWithOtherTools(file, from);
        const delays = source.delays.map(played);
        assert.equal(source.frames.length, delays.length);
        for (const format of ['gif', 'webp'] as const) {
          for (const [way, { name, options, frames, speed = 100, webpOnly = false }] of CASES.entries()) {
            if (!isSelected(turn, way, 3)) continue;
            if (webpOnly && format === 'gif') continue;
            const said = `${name} as ${format}`;
            const given = { ...options(source), format };
            const { bytes: edited, ...result } = await edit(bytes, given);
            const written = join(folder, `result.${format}`);
            writeFileSync(written, edited);
            const seen = await readWithOtherTools(written, format);
            const expected = frames(delays.map((delay, index) => ({ index, delay })));

            // The result describes both the source and the output file.
            assert.deepEqual([result.sourceFrames, result.sourceAnimationMs], [delays.length, sum(delays)], said);
            assert.deepEqual(
              [result.frames, result.width, result.height],
              [seen.frames.length, seen.width, seen.height],
              said,
            );
            assert.equal(seen.frames.length, expected.length, said);

            if (expected.length > 1) {
              assert.equal(result.animationMs, sum(seen.delays), said);
              const exact = expected.map(({ delay }) => Math.max(20, (delay * 100) / speed));
              const unit = format === 'gif' ? 10 : 1;
              for (const [place, delay] of seen.delays.entries())
                assert.ok(
                  delay >= 20 && Math.abs(delay - exact[place]!) <= unit,
                  `${said}: ${delay} for ${exact[place]}`,
                );
              assert.ok(Math.abs(sum(seen.delays) - sum(exact)) <= unit, `${said}: ${sum(seen.delays)} ms`);
              const plays = name === 'loop=0' ? 0 : name === 'loop=5' ? 6 : source.plays;
              assert.equal(seen.plays, plays, said);
            }

            for (const [place, { index }] of expected.entries()) {
              const wanted = await geometry(name, source, source.frames[index]!).raw().toBuffer();
              const frame = seen.frames[place]!;
              if (format === 'webp' && from === 'gif' && name !== 'width') {
                assert.equal(pixelDifference(frame, wanted), 0, `${said}, frame ${place}`);
                continue;
              }
              const distance = fingerprintDistance(
                await hash(frame, seen.width, seen.height),
                await hash(wanted, seen.width, seen.height),
              );
              assert.ok(distance <= MAX_FINGERPRINT_DISTANCE, `${said}, frame ${place}: ${distance} bits`);
            }
          }
        }
      });
    });
  }
});
