import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { manyScansJpeg, repeatedScansJpeg } from '../../bench/bombs/jpeg.ts';
import { countJpegScans, estimateJpegScans } from '../../codecs/jpeg-scans.ts';
import { compress, inspect } from '../support/engine.ts';

const ordinary = (progressive: boolean) =>
  sharp({ create: { width: 200, height: 100, channels: 3, background: 'teal' } })
    .jpeg({ progressive, optimiseScans: progressive })
    .toBuffer();

/** Writes a multi-picture JPEG (CIPA DC-007): its first image lists the second one, which follows it. */
function multiPictureJpeg(first: Buffer, second: Buffer): Buffer {
  const directory = Buffer.alloc(58);
  directory.write('MPF\0II*\0\x08\0\0\0\x01\0', 'latin1');
  // Tag, type, length and offset of the list of two images.
  directory.writeUInt16LE(0xb002, 14);
  directory.writeUInt16LE(7, 16);
  directory.writeUInt32LE(2 * 16, 18);
  directory.writeUInt32LE(22, 22);
  const entry = 26 + 16;
  directory.writeUInt32LE(second.length, entry + 4);
  // The offset counts from the byte order mark, which follows the marker, the length and the signature.
  directory.writeUInt32LE(first.length + 2 + 2 + directory.length - 10, entry + 8);
  const length = Buffer.from([0xff, 0xe2, 0, directory.length + 2]);
  return Buffer.concat([first.subarray(0, 2), length, directory, first.subarray(2), second]);
}

describe('the scans of a JPEG', () => {
  it('are counted by their markers, up to a limit', async () => {
    assert.equal(countJpegScans(manyScansJpeg(7, 64, 64), 100), 7);
    assert.equal(countJpegScans(manyScansJpeg(50, 64, 64), 10), 11);
    assert.equal(countJpegScans(await ordinary(false), 100), 1);
    const usual = countJpegScans(await ordinary(true), 100);
    assert.ok(usual > 1 && usual < 15, `${usual}`);
  });

  it('are counted up to the end of a truncated file, and are one at least', () => {
    const whole = manyScansJpeg(20, 64, 64);
    const half = countJpegScans(whole.subarray(0, whole.length / 2), 100);
    assert.ok(half > 1 && half < 20, `${half}`);
    assert.equal(countJpegScans(whole.subarray(0, 20), 100), 1);
    assert.equal(countJpegScans(new Uint8Array(0), 100), 1);
  });

  it('are estimated from the beginning of a large file', () => {
    const many = manyScansJpeg(20_000, 640, 640);
    assert.ok(many.length > 200_000);
    const { scans: estimated } = estimateJpegScans(many);
    assert.ok(estimated > 1000 && estimated < 20_000, `${estimated}`);
  });

  it('are at most 100: one more is rejected before any is decoded', async () => {
    assert.equal((await compress(manyScansJpeg(100, 64, 64))).width, 64);
    assert.equal((await inspect(manyScansJpeg(100, 64, 64))).width, 64);
    const refused = {
      code: 'image_too_large',
      message: 'Expected at most 100 scans for image but received a progressive JPEG of more.',
    };
    await assert.rejects(compress(manyScansJpeg(101, 64, 64)), refused);
    await assert.rejects(inspect(manyScansJpeg(5000, 64, 64)), refused);
  });

  it('are counted in the sequential coding too, where most files have one per component', async () => {
    assert.equal(countJpegScans(repeatedScansJpeg(3, 64, 64), 100), 3);
    assert.equal(countJpegScans(repeatedScansJpeg(5000, 64, 64), 100), 101);
    assert.equal((await compress(repeatedScansJpeg(100, 64, 64))).width, 64);
    await assert.rejects(compress(repeatedScansJpeg(101, 64, 64)), {
      code: 'image_too_large',
      message: 'Expected at most 100 scans for image but received a JPEG of more.',
    });
  });

  it('are counted in the image of the requested page', async () => {
    const file = multiPictureJpeg(manyScansJpeg(2, 64, 64), manyScansJpeg(101, 64, 64));
    assert.equal((await compress(file)).width, 64);
    await assert.rejects(compress(file, { page: 2 }), { code: 'image_too_large' });
  });

  it('are estimated from the first scan on, however long the segments before it are', async () => {
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(0xffff - 2)]);
    const withComment = (file: Buffer) => Buffer.concat([file.subarray(0, 2), comment, comment, file.subarray(2)]);
    assert.deepEqual(estimateJpegScans(withComment(manyScansJpeg(50, 64, 64))), { scans: 50, holdsCoefficients: true });
    assert.deepEqual(estimateJpegScans(withComment(repeatedScansJpeg(9, 64, 64))), {
      scans: 9,
      holdsCoefficients: true,
    });
    assert.deepEqual(estimateJpegScans(withComment(await ordinary(false))), { scans: 1, holdsCoefficients: false });
  });

  it('hold coefficients in a progressive file, even if the first scan is longer than the part read', () => {
    assert.deepEqual(estimateJpegScans(manyScansJpeg(2, 9000, 9000)), { scans: 1, holdsCoefficients: true });
  });

  it('are none if the file ends before the first scan', () => {
    const file = manyScansJpeg(2, 64, 64);
    const header = file.subarray(0, file.indexOf('ffda', 0, 'hex'));
    assert.deepEqual(estimateJpegScans(header), { scans: 0, holdsCoefficients: false });
    assert.deepEqual(estimateJpegScans(new Uint8Array(0)), { scans: 0, holdsCoefficients: false });
  });
});
