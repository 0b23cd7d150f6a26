/** File sizes compared with gifsicle -O3 for the same frames and colours, few and many. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { writeGif } from '../../../codecs/gif/write.ts';
import { corpusPath, corpusSkipReason } from '../../support/corpus.ts';
import { withFolder } from '../../support/folder.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';
import { animationOf, decodeWithMagick } from './animations.ts';

const FILES = [
  'pillow--chi.gif',
  'pillow--iss634.gif',
  'pillow--dispose_bgnd.gif',
  'pillow--dispose_prev.gif',
  'libvips--cogs.gif',
  'libvips--dispose-previous.gif',
  'image--large-gif-anim-combine.gif',
  'pygif--dispose-restore-previous.gif',
];

/**
 * Settings for glibc: ImageMagick allocates and frees its memory for every frame, which costs more than the processing
 * itself.
 */
const KEEP_MEMORY = {
  MALLOC_TRIM_THRESHOLD_: '1000000000',
  MALLOC_MMAP_THRESHOLD_: '1000000000',
  MALLOC_TOP_PAD_: '67108864',
};

test('writes files no larger than gifsicle -O3', {
  skip: corpusSkipReason || skipWithout('convert', 'gifsicle'),
}, async () => {
  await withFolder(async (folder) => {
    let sum = 0;
    let reference = 0;
    for (const name of FILES) {
      const whole = join(folder, 'whole.gif');
      const small = join(folder, 'small.gif');
      const args = [corpusPath(`gif/${name}`), '-coalesce', '-set', 'delay', '10', whole];
      execFileSync(findProgram('convert') as string, args, { env: { ...process.env, ...KEEP_MEMORY } });
      execFileSync(findProgram('gifsicle') as string, ['--no-warnings', '-O3', whole, '-o', small]);
      const { width, pages = 1, pageHeight: height = 1 } = await sharp(whole, { animated: true }).metadata();
      const samples = decodeWithMagick(readFileSync(whole));
      const size = width * height * 4;
      assert.equal(samples.length, size * pages);
      const frames = Array.from({ length: pages }, (_, index) => samples.subarray(index * size, (index + 1) * size));
      const gif = writeGif(animationOf(width, height, frames), { colours: 256 });
      assert.equal(Buffer.compare(decodeWithMagick(gif), samples), 0, `${name}: other pixels`);
      const theirs = readFileSync(small).length;
      assert.ok(gif.length <= theirs * 1.15, `${name}: ${gif.length} bytes against ${theirs}`);
      sum += gif.length;
      reference += theirs;
    }
    assert.ok(sum <= reference * 1.02, `${sum} bytes against ${reference}`);
  });
});

const MOVING = ['gif/pillow--chi.gif', 'gif/pillow--iss634.gif', 'gif/libvips--cogs.gif', 'webp/image--anim.webp'];

test('writes files of few colours no larger than gifsicle -O3 makes of them', {
  skip: corpusSkipReason || skipWithout('gifsicle'),
}, async () => {
  await withFolder(async (folder) => {
    for (const name of MOVING) {
      const image = sharp(corpusPath(name), { animated: true });
      const { width, pages = 1, pageHeight: height = 1 } = await image.metadata();
      const samples = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer();
      const size = width * height * 4;
      const frames = Array.from({ length: pages }, (_, index) => samples.subarray(index * size, (index + 1) * size));
      for (const colours of [2, 4, 8, 16, 64]) {
        const written = join(folder, 'written.gif');
        const whole = join(folder, 'whole.gif');
        const small = join(folder, 'small.gif');
        const gif = writeGif(animationOf(width, height, frames), { colours });
        writeFileSync(written, gif);
        execFileSync(findProgram('gifsicle') as string, ['--no-warnings', '--unoptimize', written, '-o', whole]);
        execFileSync(findProgram('gifsicle') as string, ['--no-warnings', '-O3', whole, '-o', small]);
        const theirs = readFileSync(small).length;
        assert.ok(gif.length <= theirs * 1.15, `${name} in ${colours} colours: ${gif.length} bytes against ${theirs}`);
      }
    }
  });
});
