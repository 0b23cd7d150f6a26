import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Bitmap } from '../../../../codecs/bitmap.ts';
import { reader as djvuReader } from '../../../../codecs/formats/djvu/read.ts';
import type { Shrink } from '../../../../codecs/shrink.ts';
import { corpus, corpusSkipReason } from '../../../support/corpus.ts';
import { decodeWith } from '../../../support/readers.ts';

/**
 * One file per kind of layer: page, reduction factors, and the allowed mean difference from the averages of squares.
 */
const PAGES = [
  ['boy', 1, 'a wavelet image in grey', [2, 4, 8], 9],
  ['chicken', 1, 'a wavelet image in colour', [2, 4], 11],
  ['carte', 1, 'a mask over two layers', [4], 4],
  ['irish', 1, 'a mask in colours', [2, 8], 0.6],
  ['boy_jb2_rotate90', 1, 'a rotated mask', [2, 4, 8], 0.6],
  ['ccitt_2', 1, 'a mask in the coding of fax', [4], 0.6],
] as const;

async function draw(name: string, page: number, shrink: Shrink): Promise<Bitmap> {
  const bytes = corpus(`djvu/djvujs--${name}.djvu`)!;
  const content = await decodeWith(djvuReader, bytes, { page, shrink, maxPixels: 20_000_000 });
  assert.ok('bitmap' in content);
  return content.bitmap;
}

/** Averages whole squares of an image, starting at the bottom or the top left corner. */
function meansOf({ data, width, height, channels }: Bitmap, side: number, fromBottom: boolean): Bitmap {
  const [across, down] = [Math.floor(width / side), Math.floor(height / side)];
  const means = new Uint8Array(across * down * channels);
  for (let at = 0; at < means.length; at++) {
    const pixel = Math.floor(at / channels);
    const left = (pixel % across) * side;
    const row = Math.floor(pixel / across);
    const top = fromBottom ? height - (down - row) * side : row * side;
    let sum = 0;
    for (let y = top; y < top + side; y++) {
      for (let x = left; x < left + side; x++) sum += data[(y * width + x) * channels + (at % channels)]!;
    }
    means[at] = sum / side ** 2;
  }
  return { data: means, width: across, height: down, channels };
}

describe('a DjVu page at a reduced size', { skip: corpusSkipReason }, () => {
  for (const [name, page, what, shrinks, most] of PAGES) {
    it(what, async () => {
      const whole = await draw(name, page, 1);
      for (const shrink of shrinks) {
        const reduced = await draw(name, page, shrink);
        const size = [Math.ceil(whole.width / shrink), Math.ceil(whole.height / shrink)];
        assert.deepEqual([reduced.width, reduced.height], size);
        assert.equal(reduced.channels, whole.channels);
        assert.equal(reduced.data.length, reduced.width * reduced.height * reduced.channels);
        // The squares start at the bottom left corner of the stored page.
        const means = meansOf(whole, shrink, name !== 'boy_jb2_rotate90');
        const above = reduced.height - means.height;
        let difference = 0;
        for (let y = 0; y < means.height; y++) {
          for (let x = 0; x < means.width * means.channels; x++) {
            const row = (name === 'boy_jb2_rotate90' ? y : y + above) * reduced.width;
            difference += Math.abs(
              means.data[y * means.width * means.channels + x]! - reduced.data[row * reduced.channels + x]!,
            );
          }
        }
        difference /= means.data.length;
        assert.ok(difference <= most, `1/${shrink}: ${difference}`);
      }
    });
  }
});
