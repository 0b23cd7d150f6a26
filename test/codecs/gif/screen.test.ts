/** The image that is inserted first for libvips: its data are complete at every screen size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { endsEarly } from '../../../codecs/formats/gif/metadata.ts';
import { coverScreen } from '../../../codecs/formats/gif/screen.ts';
import { makeGif } from '../../engine/gif/support.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { skipWithout } from '../../support/tool.ts';
import { gifsicleInfo } from './animations.ts';

const gifWithDot = (width: number, height: number) =>
  makeGif({ width, height, table: [0xff0000, 0x00ff00], frames: [{ width: 1, height: 1, indices: [1] }] });

/** The code length grows at each of the first sizes. From 8.4 million pixels on, all codes are in use. */
const SIZES: readonly (readonly [number, number])[] = [
  ...Array.from({ length: 40 }, (_, more) => [2049 + more, 1] as const),
  ...[2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 610, 987].map((height) => [2049, height] as const),
  [4091, 2046],
  [4093, 2046],
  [4001, 3001],
];

test('adds a fully transparent image before the first one', { skip: nightlyOnly }, async () => {
  for (const [width, height] of SIZES) {
    const covered = coverScreen(gifWithDot(width, height))!;
    assert.ok(!endsEarly(covered));
    const image = sharp(covered, { failOn: 'truncated', limitInputPixels: false });
    assert.deepEqual(await image.metadata().then((told) => [told.width, told.height, told.pages]), [width, height, 2]);
    const { channels } = await image.stats();
    assert.deepEqual([channels.length, channels.at(-1)!.max], [4, 0], `${width} x ${height}`);
  }
});

test('writes data that gifsicle reads without a warning', { skip: skipWithout('gifsicle') }, () => {
  for (const [width, height] of SIZES) {
    const said = gifsicleInfo(coverScreen(gifWithDot(width, height))!);
    assert.ok(said.includes('2 images') && !/warning|error/i.test(said), said);
  }
});

test('does not change a file that libvips can read', () => {
  const corner = { left: 639, top: 479, width: 1, height: 1, indices: [0] };
  assert.equal(coverScreen(makeGif({ width: 640, height: 480, table: [0, 1], frames: [corner] })), undefined);
  assert.equal(coverScreen(gifWithDot(639, 480)), undefined);
  assert.equal(coverScreen(gifWithDot(2048, 2048)), undefined);
  const dot = gifWithDot(640, 480);
  assert.ok(coverScreen(dot));
  for (let length = 0; length < dot.indexOf(0x2c) + 9; length += 1) {
    assert.equal(coverScreen(dot.subarray(0, length)), undefined);
  }
});
