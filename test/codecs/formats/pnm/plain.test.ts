import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packPlainPnm } from '../../../../codecs/formats/pnm/plain.ts';
import { tryParse } from '../../../../codecs/metadata/damage.ts';
import { damaged } from '../../../support/damage.ts';
import { compress } from '../../../support/engine.ts';
import { decode } from '../../../support/test-images.ts';

const pack = (text: string) => Buffer.from(packPlainPnm(Buffer.from(text))).toString('latin1');

test('reads digits with and without spaces as the same image', () => {
  const packed = 'P4\n10 2\n\xa8\x40\x40\x80';
  assert.equal(pack('P1\n10 2\n1010100001\n0100000010\n'), packed);
  assert.equal(pack('P1 # by hand 99\n10 #\n2\n1 0 1 0 1 0 0 0 0 1 # 1 1 1\n0 1 0 0 0 0 0 0 1 0'), packed);
});

test('keeps the complete rows of bits that end early', () => {
  assert.equal(pack('P1\n10 2\n1010100001\n01'), 'P4\n10 2\n\xa8\x40');
});

test('converts numbers to samples of 8 or 16 bits', () => {
  assert.equal(pack('P3 # by hand 99\n2 1 255\n1 2 3 # 9\n254\t255 300'), 'P6\n2 1\n255\n\x01\x02\x03\xfe\xff\xff');
  assert.equal(pack('P2\n2 2\n7\n0 1\r\n6 7\n'), 'P5\n2 2\n7\n\0\x01\x06\x07');
  assert.equal(pack('P2\n2 1\n65535\n258 65535'), 'P5\n2 1\n65535\n\x01\x02\xff\xff');
});

test('keeps the complete rows of numbers that end early, and takes no memory for the others', () => {
  assert.equal(pack('P2\n2 3\n255\n1 2 3 4 5'), 'P5\n2 3\n255\n\x01\x02\x03\x04');
  assert.equal(pack('P3\n9999 9999\n255\n1 2 3'), 'P6\n9999 9999\n255\n');
  assert.equal(pack('P1\n9999 9999\n1 0'), 'P4\n9999 9999\n');
});

test('reads the numbers as samples', async () => {
  const { bytes } = await compress(Buffer.from('P3\n2 1\n255\n255 0 10 0 20 255\n'), {
    format: 'png',
    mode: 'lossless',
  });
  const { data, channels } = await decode(bytes);
  assert.deepEqual([...data.subarray(0, 3), ...data.subarray(channels, channels + 3)], [255, 0, 10, 0, 20, 255]);
});

test('rejects 100 megapixels of which almost none are in the file', async () => {
  for (const text of ['P2\n9999 9999\n255\n1 2 3', 'P3\n9999 9999\n255\n1 2 3'])
    await assert.rejects(compress(Buffer.from(text)), { code: 'corrupt_image' });
});

test('leaves an invalid header to the decoder', async () => {
  for (const text of ['P1 ', 'P1\n0 5\n', 'P1\n# 3 3', 'P2\n', 'P3\n0 3\n255\n1']) {
    assert.equal(pack(text), text);
    await assert.rejects(compress(Buffer.from(text)), { code: 'corrupt_image' });
  }
});

test('rejects samples of more than 16 bits or of none', async () => {
  for (const text of ['P2\n3 3\n0\n1', 'P3\n3 3\n65536\n1', 'P1\n4000000000 1\n1'])
    await assert.rejects(compress(Buffer.from(text)), { code: /corrupt_image|image_too_large/ });
});

test('throws nothing but a Failure on damaged files', () => {
  const file = Buffer.from(`P1\n30 30\n${'01'.repeat(450)}`);
  for (const broken of damaged(file, 1_000, 3)) tryParse(() => packPlainPnm(broken));
  const colours = Buffer.from(`P3\n9 9\n999\n${'7 '.repeat(243)}`);
  for (const broken of damaged(colours, 1_000, 3)) tryParse(() => packPlainPnm(broken));
});

test('reads 1 as black', async () => {
  const { bytes, width } = await compress(Buffer.from('P1\n3 1\n101'), { format: 'png', mode: 'lossless' });
  const { data, channels } = await decode(bytes);
  assert.deepEqual([width, data[0], data[channels], data[2 * channels]], [3, 0, 255, 0]);
});
