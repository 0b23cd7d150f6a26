import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { isHighDynamicRange, readProfile, spaceOfCicp } from '../../../codecs/tags/icc.ts';
import { corpus, corpusSkipReason } from '../../support/corpus.ts';

async function profileOf(name: string): Promise<Uint8Array> {
  const file = await sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })
    .withIccProfile(name)
    .jpeg()
    .toBuffer();
  return (await sharp(file).metadata()).icc!;
}

/** Writes a profile of the given tags, by ICC.1, section 7. */
function profile(space: string, tags: Record<string, Buffer>): Buffer {
  const header = Buffer.alloc(128);
  header.write(space, 16, 'latin1');
  const names = Object.keys(tags);
  const table = Buffer.alloc(4 + names.length * 12);
  table.writeUInt32BE(names.length);
  let at = header.length + table.length;
  for (const [index, name] of names.entries()) {
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(tags[name]!.length, 12 + index * 12);
    at += tags[name]!.length;
  }
  return Buffer.concat([header, table, ...Object.values(tags)]);
}

describe('ICC profiles', () => {
  it('are recognised by their colorants and curve', async () => {
    assert.equal(readProfile(await profileOf('srgb')).space, 'srgb');
    assert.equal(readProfile(await profileOf('p3')).space, 'display_p3');
    assert.equal(readProfile(await profileOf('cmyk')).space, 'cmyk');
    assert.equal(readProfile(profile('GRAY', {})).space, 'gray');
    assert.equal(readProfile(profile('Lab ', {})).space, 'lab');
    assert.equal(readProfile(profile('RGB ', {})).space, 'unknown');
  });

  it('of linear light are not recognised as the space of their colorants', async () => {
    const srgb = Buffer.from(await profileOf('srgb'));
    // Replaces the green curve by one without entries, which is the identity.
    const entry = srgb.indexOf('gTRC', 132);
    const at = srgb.readUInt32BE(entry + 4);
    srgb.write('curv', at, 'latin1');
    srgb.writeUInt32BE(0, at + 8);
    assert.equal(readProfile(srgb).space, 'unknown');
  });

  it('have a name in the form of version 2, of version 4 or as text', () => {
    const v2 = Buffer.concat([
      Buffer.from('desc\0\0\0\0\0\0\0\x08', 'latin1'),
      Buffer.from('My name\0'),
      Buffer.alloc(40),
    ]);
    assert.equal(readProfile(profile('RGB ', { desc: v2 })).description, 'My name');
    const text = Buffer.from('Žiga', 'utf16le').swap16();
    const v4 = Buffer.concat([
      Buffer.from('mluc\0\0\0\0\0\0\0\x02\0\0\0\x0c', 'latin1'),
      Buffer.from('slSI\0\0\0\x02\0\0\0\x28', 'latin1'),
      Buffer.from('enUS\0\0\0\x08\0\0\0\x2a', 'latin1'),
      Buffer.from('\0x', 'latin1'),
      text,
    ]);
    assert.equal(readProfile(profile('RGB ', { desc: v4 })).description, 'Žiga');
    const plain = Buffer.from('text\0\0\0\0Plain\0', 'latin1');
    assert.equal(readProfile(profile('RGB ', { desc: plain })).description, 'Plain');
  });

  it('may declare a high dynamic range', () => {
    const cicp = (transfer: number) => Buffer.from([...Buffer.from('cicp\0\0\0\0'), 9, transfer, 0, 1]);
    assert.equal(readProfile(profile('RGB ', { cicp: cicp(16) })).hdr, true);
    assert.equal(readProfile(profile('RGB ', { cicp: cicp(13) })).hdr, false);
    assert.deepEqual([isHighDynamicRange(18), isHighDynamicRange(1)], [true, false]);
  });

  it('may be damaged', async () => {
    const srgb = Buffer.from(await profileOf('srgb'));
    for (let length = 0; length < srgb.length; length += 7) readProfile(srgb.subarray(0, length));
    assert.deepEqual(readProfile(Buffer.alloc(0)), { description: null, space: 'unknown', hdr: false });
    const endless = profile('RGB ', {});
    endless.writeUInt32BE(0xffffffff, 128);
    assert.equal(readProfile(endless).space, 'unknown');
  });

  it('of real files are recognised', { skip: corpusSkipReason }, async () => {
    for (const [path, space] of [
      ['jpeg/twelvemonkeys--cmm-exception-adobe-rgb.jpg', 'adobe_rgb'],
      ['avif/libvips--avif-orientation-6.avif', 'display_p3'],
      ['jpeg/pillow--ultrahdr.jpg', 'srgb'],
    ] as const) {
      const { icc } = await sharp(corpus(path)).metadata();
      assert.equal(readProfile(icc!).space, space, path);
    }
  });
});

describe('code points', () => {
  it('name the colour spaces of displays', () => {
    assert.equal(spaceOfCicp({ primaries: 1, transfer: 13 }), 'srgb');
    assert.equal(spaceOfCicp({ primaries: 2, transfer: 2 }), 'srgb');
    assert.equal(spaceOfCicp({ primaries: 12, transfer: 13 }), 'display_p3');
    assert.equal(spaceOfCicp({ primaries: 9, transfer: 16 }), 'unknown');
    assert.equal(spaceOfCicp({ primaries: 1, transfer: 8 }), 'unknown');
  });
});
