import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { createExif, editExif, readExif } from '../../../codecs/metadata/exif.ts';
import {
  cameraStream,
  contains,
  containsSecret,
  emptyStream,
  exifStream,
  PREVIEW,
  putDirectory,
  SECRET,
  withoutMetadata,
} from './fixtures.ts';

const LONG = 4;
const UNDEFINED = 7;

/** Returns what sharp reads from the stream, through libvips and libexif. */
async function readBySharp(exif: Uint8Array) {
  const jpeg = Buffer.from(await withoutMetadata('jpeg'));
  const header = Buffer.alloc(4);
  header.writeUInt16BE(0xffe1);
  header.writeUInt16BE(exif.length + 8, 2);
  return sharp(
    Buffer.concat([jpeg.subarray(0, 2), header, Buffer.from('Exif\0\0'), exif, jpeg.subarray(2)]),
  ).metadata();
}

describe('readExif', () => {
  it('returns orientation, density and position', () => {
    assert.deepEqual(readExif(cameraStream()), { orientation: 6, density: { x: 180, y: 180 }, hasGps: true });
  });

  it('converts dots per centimetre to dots per inch', () => {
    const exif = cameraStream();
    exif[8 + 2 + 3 * 12 + 9] = 3;
    assert.deepEqual(readExif(exif).density, { x: 180 * 2.54, y: 180 * 2.54 });
  });

  it('returns no position for a GPS directory without coordinates', () => {
    const exif = cameraStream();
    exif[201] = 1;
    assert.equal(readExif(exif).hasGps, false);
  });

  it('returns what is readable of damaged bytes', () => {
    assert.deepEqual(readExif(new Uint8Array(3)), { orientation: 1, hasGps: false });
    assert.deepEqual(readExif(cameraStream().subarray(0, 90)), { orientation: 6, hasGps: false });
  });
});

describe('createExif', () => {
  it('creates a stream that other readers read', async () => {
    const exif = createExif({ density: { x: 300, y: 299.5 }, orientation: 8 });
    assert.deepEqual(readExif(exif), { orientation: 8, density: { x: 300, y: 299.5 }, hasGps: false });
    const { density, orientation } = await readBySharp(exif);
    assert.equal(density, 300);
    assert.equal(orientation, 8);
  });
});

describe('editExif', () => {
  it('sets the orientation and changes no other byte', () => {
    const before = cameraStream();
    const after = editExif(before, { orientation: 1 })!;
    assert.equal(readExif(after).orientation, 1);
    const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
    assert.deepEqual(changed, [8 + 2 + 9]);
    assert.equal(after.length, before.length);
  });

  it('removes the position and its bytes', () => {
    const after = editExif(cameraStream(), { removeGps: true })!;
    assert.equal(readExif(after).hasGps, false);
    assert.equal(containsSecret(after), false);
    assert.ok(after.subarray(200, 284).every((byte) => byte === 0));
    assert.equal(contains(after, 'maker note'), true);
    assert.deepEqual(readExif(after).density, { x: 180, y: 180 });
  });

  it('removes the position that libexif wrote', async () => {
    const before = await exifStream();
    assert.equal(readExif(before).hasGps && containsSecret(before), true);
    const after = editExif(before, { removeGps: true })!;
    assert.equal(containsSecret(after), false);
    assert.equal((await readBySharp(after)).exif?.includes('Acme'), true);
  });

  it('removes coordinates in the form of GeoTIFF', () => {
    const stream = emptyStream(60);
    putDirectory(stream, 8, [[33922, 12, 1, 40]]);
    stream.writeUInt32BE(SECRET, 40);
    assert.equal(containsSecret(editExif(stream, { removeGps: true })!), false);
  });

  it('removes locations in the maker notes of Panasonic and Nikon', () => {
    const panasonic = emptyStream(200);
    putDirectory(panasonic, 8, [[0x8769, LONG, 1, 30]]);
    putDirectory(panasonic, 30, [[0x927c, UNDEFINED, 130, 60]]);
    panasonic.write('Panasonic\0\0\0', 60);
    putDirectory(panasonic, 72, [
      [0x51, UNDEFINED, 10, 120],
      [0x6d, UNDEFINED, 10, 140],
    ]);
    panasonic.write('lens', 120);
    panasonic.write('Ljubljana', 140);
    const after = editExif(panasonic, { removeGps: true })!;
    assert.equal(contains(after, 'Ljubljana'), false);
    assert.equal(contains(after, 'lens'), true);

    const nikon = emptyStream(200);
    putDirectory(nikon, 8, [[0x8769, LONG, 1, 30]]);
    putDirectory(nikon, 30, [[0x927c, UNDEFINED, 130, 60]]);
    nikon.write('Nikon\0\x02\x10\0\0', 60, 'latin1');
    const own = emptyStream(100);
    putDirectory(own, 8, [[0x39, UNDEFINED, 10, 40]]);
    own.write('Ljubljana', 40);
    own.copy(nikon, 70);
    assert.equal(contains(editExif(nikon, { removeGps: true })!, 'Ljubljana'), false);
  });

  it('removes the thumbnail and the previews of maker notes, and their bytes', () => {
    const after = editExif(cameraStream(), { removeThumbnail: true })!;
    assert.equal(contains(after, 'thumbnail'), false);
    assert.equal(contains(after, PREVIEW), false);
    assert.equal(contains(after, 'maker note'), true);
    assert.equal(after.length, 500);
    assert.equal(readExif(after).hasGps, true);
  });

  it('writes a new density in place', async () => {
    const after = editExif(cameraStream(), { density: { x: 300, y: 150 } })!;
    assert.equal(after.length, cameraStream().length);
    assert.deepEqual(readExif(after).density, { x: 300, y: 150 });
    assert.equal((await readBySharp(after)).density, 300);
  });

  it('adds a density where there was none, and moves nothing else', async () => {
    const before = createExif({ orientation: 3 });
    const after = editExif(before, { density: { x: 96, y: 96 } })!;
    assert.deepEqual(readExif(after), { orientation: 3, density: { x: 96, y: 96 }, hasGps: false });

    const shared = cameraStream();
    shared[8 + 2 + 2 * 12 + 11] = 100;
    const apart = editExif(shared, { density: { x: 300, y: 150 } })!;
    assert.deepEqual(readExif(apart), { orientation: 6, density: { x: 300, y: 150 }, hasGps: true });
    assert.deepEqual(apart.subarray(120, 600), shared.subarray(120, 600));
    assert.equal((await readBySharp(apart)).density, 300);
    // The old table is erased, and the thumbnail is still linked.
    assert.ok(apart.subarray(8, 8 + 2 + 6 * 12 + 4).every((byte) => byte === 0));
    assert.equal(contains(editExif(apart, { removeThumbnail: true })!, 'thumbnail'), false);
  });

  it('updates the recorded size', () => {
    const after = editExif(cameraStream(), { width: 640, height: 70_000 })!;
    const view = new DataView(after.buffer);
    assert.equal(view.getUint16(120 + 2 + 12 + 8), 640);
    assert.equal(view.getUint16(120 + 2 + 24 + 2), LONG);
    assert.equal(view.getUint32(120 + 2 + 24 + 8), 70_000);
  });

  it('returns nothing for a stream that it cannot parse', () => {
    assert.equal(editExif(new Uint8Array(20), { removeGps: true }), undefined);
    assert.equal(editExif(cameraStream().subarray(0, 40), { removeGps: true }), undefined);
  });

  it('does not change its input', () => {
    const stream = cameraStream();
    editExif(stream, { orientation: 1, removeGps: true, removeThumbnail: true });
    assert.deepEqual(stream, cameraStream());
  });
});
