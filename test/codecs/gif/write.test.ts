/** GIF encoding, read back with libvips. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import sharp from 'sharp';
import { type AnimationFrames, writeGif } from '../../../codecs/gif/write.ts';

const pixels = (...colours: readonly (readonly [number, number, number, number])[]) => Uint8Array.from(colours.flat());

function animation(width: number, height: number, frames: readonly Uint8Array[], delay = 100): AnimationFrames {
  return {
    width,
    height,
    delays: frames.map(() => delay),
    loop: 0,
    read: (index) => frames[index] as Uint8Array,
  };
}

async function decode(gif: Uint8Array): Promise<Buffer> {
  return sharp(gif, { animated: true }).ensureAlpha().raw().toBuffer();
}

describe('writeGif', () => {
  test('gives back every pixel when the colours fit', async () => {
    const one = pixels([255, 0, 0, 255], [0, 0, 255, 255], [9, 9, 9, 255], [0, 0, 0, 0]);
    const other = pixels([255, 0, 0, 255], [0, 0, 0, 0], [9, 9, 9, 255], [1, 2, 3, 255]);
    const gif = writeGif(animation(2, 2, [one, other, one]), { colours: 256 });
    assert.deepEqual([...(await decode(gif))], [...one, ...other, ...one]);
  });
});
