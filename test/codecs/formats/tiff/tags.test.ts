import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { checkTiffPages, MAX_TIFF_PAGES } from '../../../../codecs/formats/tiff/tags.ts';
import { compileModules, type Modules } from '../../../../codecs/modules.ts';
import { openSource } from '../../../../codecs/read.ts';
import { startVips, type VipsApi } from '../../../../codecs/vips.ts';
import { failureOf } from '../../../support/failure.ts';

const HEADER_BYTES = 8;
const ENTRIES = [
  [256, 4, 1],
  [257, 4, 1],
  [258, 3, 8],
  [262, 3, 1],
  [273, 4, 0],
  [279, 4, 1],
] as const;
const DIRECTORY_BYTES = 2 + ENTRIES.length * 12 + 4;

/** Writes pages of one pixel. @param last offset of the next directory that the last directory declares */
function tiff(pages: number, last = 0): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + pages * DIRECTORY_BYTES);
  bytes.write('II*\0\x08\0\0\0', 'latin1');
  for (let page = 0; page < pages; page++) {
    const at = HEADER_BYTES + page * DIRECTORY_BYTES;
    bytes.writeUInt16LE(ENTRIES.length, at);
    for (const [index, [tag, type, value]] of ENTRIES.entries()) {
      const entryAt = at + 2 + index * 12;
      bytes.writeUInt16LE(tag, entryAt);
      bytes.writeUInt16LE(type, entryAt + 2);
      bytes.writeUInt32LE(1, entryAt + 4);
      bytes.writeUInt32LE(value, entryAt + 8);
    }
    bytes.writeUInt32LE(page + 1 < pages ? at + DIRECTORY_BYTES : last, at + DIRECTORY_BYTES - 4);
  }
  return bytes;
}

/** Writes a BigTIFF whose directories have no entries. */
function bigTiff(pages: number): Buffer {
  const bytes = Buffer.alloc(16 + pages * 16);
  bytes.write('II\x2b\0\x08\0\0\0', 'latin1');
  bytes.writeBigUInt64LE(16n, 8);
  for (let page = 0; page + 1 < pages; page++) bytes.writeBigUInt64LE(BigInt(16 + (page + 1) * 16), 16 + page * 16 + 8);
  return bytes;
}

describe('the pages of a TIFF', () => {
  let context: { vips: VipsApi; modules: Modules };

  before(async () => {
    const modules = await compileModules();
    context = { vips: (await startVips(modules)).vips, modules };
  });

  const open = (bytes: Uint8Array, page = 1) => openSource(context, { bytes, format: 'tiff', page });

  test('are read up to the limit', async () => {
    const { header } = await open(tiff(MAX_TIFF_PAGES), MAX_TIFF_PAGES);
    assert.equal(header.pages, MAX_TIFF_PAGES);
  });

  test('are rejected above it, before a decoder counts them', async () => {
    const failure = await failureOf('image_too_large', () => open(tiff(MAX_TIFF_PAGES + 1)));
    assert.equal(failure.message, 'Expected at most 10000 pages for image but received more.');
    await failureOf('image_too_large', () => checkTiffPages(bigTiff(MAX_TIFF_PAGES + 1)));
    checkTiffPages(bigTiff(MAX_TIFF_PAGES));
  });

  test('that form a circle are counted once', async () => {
    const { header } = await open(tiff(3, HEADER_BYTES));
    assert.equal(header.pages, 3);
  });

  test('are left to the decoder in a damaged file', async () => {
    checkTiffPages(tiff(MAX_TIFF_PAGES + 1).subarray(0, 1000));
    checkTiffPages(Buffer.from('II*\0'));
    await failureOf('corrupt_image', () => open(Buffer.from('II*\0')));
  });
});
