/** The contents of a pack: names, sizes, formats, and the ZIP file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { probeIco } from '../../../codecs/formats/ico/read.ts';
import { withFolder } from '../../support/folder.ts';
import { withMagick } from '../../support/magick.ts';
import { flat, jpeg, pattern, png } from '../../support/test-images.ts';
import { findProgram, skipWithout } from '../../support/tool.ts';
import { verifies } from '../../support/verifies.ts';
import { makePack, type UnpackedPack } from './pack.ts';

const NAMES = [
  'favicon.ico',
  'favicon-16x16.png',
  'favicon-32x32.png',
  'favicon-48x48.png',
  'apple-touch-icon.png',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'site.webmanifest',
  'favicon.html',
];

const makeWidePack = async () => makePack(await png(pattern(600, 400, 4)));
let wide: Promise<UnpackedPack> | undefined;
/** The pack of a source of 600 x 400 pixels with transparency, made once. */
const widePack = (): Promise<UnpackedPack> => {
  wide ??= makeWidePack();
  return wide;
};

describe('the files of a favicon pack', () => {
  it('are those of the API, with their usual names, and are listed with the ZIP', async () => {
    verifies(
      'favicon.pack.ico',
      'favicon.pack.png',
      'favicon.pack.maskable',
      'favicon.pack.manifest',
      'favicon.pack.html',
    );
    const { names, result } = await widePack();
    assert.deepEqual(names, NAMES);
    assert.deepEqual(result.files, NAMES);
    assert.deepEqual(result.warnings, []);
    assert.deepEqual(result.source.format, 'png');
    assert.deepEqual([result.source.width, result.source.height], [600, 400]);
  });

  it('include PNG files of the required sizes, without metadata', async () => {
    verifies('favicon.pack.png', 'favicon.pack.maskable');
    const source = await sharp(await jpeg(flat(700, 700, 90, 60, 30)))
      .withExif({ IFD0: { Copyright: 'somebody' } })
      .jpeg()
      .toBuffer();
    const pack = await makePack(source);
    const sides = { 'favicon-16x16.png': 16, 'favicon-32x32.png': 32, 'favicon-48x48.png': 48 };
    const large = {
      'apple-touch-icon.png': 180,
      'icon-192.png': 192,
      'icon-512.png': 512,
      'icon-maskable-512.png': 512,
    };
    for (const [name, side] of Object.entries({ ...sides, ...large })) {
      const { format, width, height, exif, icc, depth } = await sharp(pack.bytes(name)).metadata();
      assert.deepEqual([format, width, height, depth], ['png', side, side, 'uchar'], name);
      assert.deepEqual([exif, icc], [undefined, undefined], name);
    }
  });

  it('include an ICO file with the pixels of the three small PNG files', async () => {
    verifies('favicon.pack.ico');
    const pack = await widePack();
    const ico = pack.bytes('favicon.ico');
    const icons = await Promise.all([16, 32, 48].map((side) => pack.icon(`favicon-${side}x${side}.png`)));
    await withMagick(ico, 'Ico', (frames) => {
      assert.deepEqual(
        frames.map(({ width, height }) => [width, height]),
        [
          [16, 16],
          [32, 32],
          [48, 48],
        ],
      );
      for (const [index, frame] of frames.entries())
        assert.deepEqual(Buffer.from(frame.samples(4)), icons[index]!.data);
    });
    assert.deepEqual(probeIco(ico, 1), { width: 48, height: 48, pages: 3 });
  });

  it('have no alpha channel when everything is opaque', async () => {
    const opaque = await makePack(await png(flat(600, 600, 90, 60, 30)));
    assert.equal((await opaque.icon('icon-512.png')).channels, 3);
    assert.equal((await opaque.icon('favicon-16x16.png')).channels, 3);
    // The areas beside the image are transparent.
    assert.equal((await (await widePack()).icon('icon-512.png')).channels, 4);
  });
});

describe('the ZIP', () => {
  it('has the same bytes for the same request, and stores PNG files uncompressed', async () => {
    const [one, other] = [await widePack(), await makeWidePack()];
    assert.deepEqual(one.zip, other.zip);
    const { zip } = one;
    // Local file headers (APPNOTE.TXT, 4.3.7): method at offset 8, time and date at offset 10.
    let headers = 0;
    for (let at = zip.indexOf('PK\x03\x04'); at !== -1; at = zip.indexOf('PK\x03\x04', at + 4)) {
      const name = zip.toString('latin1', at + 30, at + 30 + zip.readUInt16LE(at + 26));
      assert.equal(zip.readUInt16LE(at + 8), name.endsWith('.png') ? 0 : 8, name);
      assert.equal(zip.readUInt32LE(at + 10), (1 << 21) | (1 << 16), '1980-01-01 00:00');
      headers += 1;
    }
    assert.equal(headers, NAMES.length);
  });

  it("passes unzip's test", { skip: skipWithout('unzip') }, async () => {
    const { zip } = await widePack();
    await withFolder(async (folder) => {
      const file = join(folder, 'pack.zip');
      writeFileSync(file, zip);
      const said = execFileSync(findProgram('unzip')!, ['-t', file], { encoding: 'utf8' });
      assert.match(said, /No errors detected/);
    });
  });
});
