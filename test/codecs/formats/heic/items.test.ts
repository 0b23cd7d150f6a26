import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkHeifItems, MAX_HEIF_ITEMS } from '../../../../codecs/heif/items.ts';
import { box, fullBox } from '../../../../codecs/metadata/isobmff.ts';
import { compress } from '../../../support/engine.ts';
import { pattern, sharpOf } from '../../../support/test-images.ts';

const be16 = (value: number) => Uint8Array.of(value >> 8, value & 0xff);
const be32 = (value: number) => Uint8Array.of(value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff);
const BRAND = box('ftyp', Buffer.from('avif'), be32(0), Buffer.from('mif1avif'));
const REFERENCE = box('cdsc', be16(2), be16(1), be16(1));

/** Files whose lists claim, or contain, `count` entries. */
const LISTS: Readonly<Record<string, (count: number) => Uint8Array>> = {
  'items of 16 bits': (count) => fullBox('iinf', 0, 0, be16(count)),
  'items of 32 bits': (count) => fullBox('iinf', 1, 0, be32(count)),
  'locations of 16 bits': (count) => fullBox('iloc', 1, 0, be16(0x4400), be16(count)),
  'locations of 32 bits': (count) => fullBox('iloc', 2, 0, be16(0x4400), be32(count)),
  associations: (count) => box('iprp', box('ipco'), fullBox('ipma', 0, 0, be32(count))),
  references: (count) => fullBox('iref', 0, 0, ...Array<Uint8Array>(count).fill(REFERENCE)),
};
const fileOf = (list: Uint8Array) => Buffer.concat([BRAND, fullBox('meta', 0, 0, list)]);
const REFUSED = {
  code: 'image_too_large',
  message: 'Expected at most 10000 items for image but received more.',
};

describe('the items of a HEIF file', () => {
  for (const [name, listOf] of Object.entries(LISTS))
    it(`are rejected above the limit: ${name}`, () => {
      checkHeifItems(fileOf(listOf(MAX_HEIF_ITEMS)));
      assert.throws(() => checkHeifItems(fileOf(listOf(MAX_HEIF_ITEMS + 1))), REFUSED);
    });

  it('are counted before the file is decoded', async () => {
    const many = LISTS['items of 32 bits']!(60_000);
    await assert.rejects(compress(Buffer.concat([BRAND, fullBox('meta', 0, 0, many)])), REFUSED);
    const { width } = await compress(await sharpOf(pattern(64, 48)).avif().toBuffer());
    assert.equal(width, 64);
  });

  it('are left to the decoder in a damaged file', () => {
    for (const list of Object.values(LISTS)) {
      const file = fileOf(list(1));
      for (let end = 0; end < file.length; end += 1) checkHeifItems(file.subarray(0, end));
    }
  });
});
