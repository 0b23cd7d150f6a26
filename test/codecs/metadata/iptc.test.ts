import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bareIptc, editIptc, iptcOfResources, resourcesOfIptc } from '../../../codecs/metadata/iptc.ts';

function dataset(record: number, number: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x1c, record, number, 0, text.length]), Buffer.from(text)]);
}

const CAPTION = dataset(2, 120, 'A lake');
const PLACES = [26, 27, 90, 92, 95, 100, 101].map((number) => dataset(2, number, 'Bled'));

describe('editIptc', () => {
  it('removes the locations of record 2 and nothing else', () => {
    const other = dataset(1, 90, '\x1b%G');
    const edited = editIptc(Buffer.concat([other, ...PLACES, CAPTION]), { removeLocation: true });
    assert.deepEqual(Buffer.from(edited!), Buffer.concat([other, CAPTION]));
  });

  it('removes previews', () => {
    const preview = [dataset(2, 202, 'JPEG'), dataset(8, 10, 'data')];
    assert.deepEqual(Buffer.from(editIptc(Buffer.concat([CAPTION, ...preview]), { removePreview: true })!), CAPTION);
  });

  it('returns nothing when nothing else was there', () => {
    assert.equal(editIptc(Buffer.concat(PLACES), { removeLocation: true }), undefined);
  });

  it('reads sizes of more than 15 bits', () => {
    const long = Buffer.concat([Buffer.from([0x1c, 2, 90, 0x80, 4, 0, 0, 0x80, 0]), Buffer.alloc(0x8000)]);
    assert.deepEqual(Buffer.from(editIptc(Buffer.concat([long, CAPTION]), { removeLocation: true })!), CAPTION);
  });

  it('drops the bytes after a damaged record', () => {
    const cut = Buffer.concat([CAPTION, PLACES[2]!]).subarray(0, -1);
    assert.deepEqual(Buffer.from(editIptc(cut, { removeLocation: true })!), CAPTION);
  });
});

describe('Photoshop resources', () => {
  it('wrap and unwrap records of even and odd length', () => {
    for (const iptc of [CAPTION, Buffer.concat([CAPTION, dataset(2, 5, 'odd')])]) {
      assert.deepEqual(Buffer.from(iptcOfResources(resourcesOfIptc(iptc))!), iptc);
      assert.deepEqual(Buffer.from(bareIptc(resourcesOfIptc(iptc))!), iptc);
    }
  });

  it('are found after other resources, padded or not', () => {
    const other = Buffer.from('8BIM\x04\x25\0\0\0\0\0\x03abc', 'latin1');
    const found = iptcOfResources(Buffer.concat([other, resourcesOfIptc(CAPTION)]));
    assert.deepEqual(Buffer.from(found!), CAPTION);
  });

  it('are ignored when they are damaged', () => {
    assert.equal(iptcOfResources(resourcesOfIptc(CAPTION).subarray(0, 20)), undefined);
    assert.equal(bareIptc(Buffer.from('other')), undefined);
  });
});
