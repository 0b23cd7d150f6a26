import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FormatReader } from '../../codecs/format-reader.ts';
import { compileModules } from '../../codecs/modules.ts';
import { openReaderSource } from '../../codecs/reader-source.ts';
import { type Source, Truncated, WHOLE_IMAGE } from '../../codecs/source.ts';
import { startVips } from '../../codecs/vips.ts';

const modules = await compileModules();
const { vips } = await startVips(modules);

/**
 * Returns a reader of a truncated file. Each page is one pixel with the page's number; decoded pages are added to
 * `decoded`.
 */
function truncatedReader(decoded: number[]): FormatReader {
  return {
    probe: () => ({ width: 1, height: 1, pages: 2, depth: 8, hasAlpha: false }),
    decode: (_, { page }) => {
      decoded.push(page);
      return { bitmap: { data: Uint8Array.of(page), width: 1, height: 1, channels: 1, truncated: true } };
    },
  };
}

describe('a file that ends early', () => {
  const bytes = new Uint8Array(100);
  const open = (reader: FormatReader, page: number, of = bytes): Promise<Source> =>
    openReaderSource({ vips, modules }, reader, of, 'djvu', { page, extension: '' }, () => assert.fail());
  const refuse = async (source: Source) => assert.rejects(source.open(WHOLE_IMAGE), Truncated);
  const pixelOf = async (source: Source) => {
    const { frames } = await source.open({ ...WHOLE_IMAGE, tolerant: true });
    return frames[0].getpoint(0, 0)[0];
  };

  it('is decoded only once if the caller first rejects and then accepts it', async () => {
    const decoded: number[] = [];
    const reader = truncatedReader(decoded);
    await refuse(await open(reader, 2));
    assert.equal(await pixelOf(await open(reader, 2, new Uint8Array(bytes.buffer))), 2);
    assert.deepEqual(decoded, [2]);
    assert.equal(await pixelOf(await open(reader, 2)), 2);
    assert.deepEqual(decoded, [2, 2], 'it is not kept any longer');
  });

  it('is not used for another page, part or file', async () => {
    const decoded: number[] = [];
    const reader = truncatedReader(decoded);
    for (const [page, of] of [
      [1, bytes],
      [2, bytes.subarray(1)],
      [2, bytes.slice()],
    ] as const) {
      await refuse(await open(reader, 2));
      assert.equal(await pixelOf(await open(reader, page, of)), page);
    }
    assert.deepEqual(decoded, [2, 1, 2, 2, 2, 2]);
  });
});

describe('a reader that shrinks', () => {
  /** Returns a reader that decodes the requested size, or a size that is `wrong` pixels wider. */
  const reader = (shrinks: boolean, wrong = 0): FormatReader => ({
    shrinks,
    probe: () => ({ width: 9, height: 6, pages: 1, depth: 8, hasAlpha: false }),
    decode: (_, { shrink = 1 }) => {
      const [width, height] = [Math.ceil(9 / shrink) + wrong, Math.ceil(6 / shrink)];
      return { bitmap: { data: new Uint8Array(width * height), width, height, channels: 1 } };
    },
  });
  const widthOf = async (of: FormatReader) => {
    const request = { page: 1, extension: '' };
    const source = await openReaderSource({ vips, modules }, of, new Uint8Array(9), 'djvu', request, () =>
      assert.fail(),
    );
    const { frames } = await source.open({ ...WHOLE_IMAGE, shrink: 4 });
    return [source.header.width, source.shrinks, frames[0].width];
  };

  it('is asked for the requested scale, and any other size is rejected', async () => {
    assert.deepEqual(await widthOf(reader(true)), [9, true, 3]);
    assert.deepEqual(await widthOf(reader(false)), [9, false, 9]);
    await assert.rejects(widthOf(reader(true, 1)), { code: 'corrupt_image' });
  });
});
