import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packPlainBitmap } from '../../codecs/plain-bitmap.ts';
import { damaged } from '../support/damage.ts';
import { compress } from '../support/engine.ts';
import { decode } from '../support/pictures.ts';

const pack = (text: string) => Buffer.from(packPlainBitmap(Buffer.from(text))).toString('latin1');

test('digits with and without spaces are the same picture', () => {
  const packed = 'P4\n10 2\n\xa8\x40\x40\x80';
  assert.equal(pack('P1\n10 2\n1010100001\n0100000010\n'), packed);
  assert.equal(pack('P1 # by hand 99\n10 #\n2\n1 0 1 0 1 0 0 0 0 1 # 1 1 1\n0 1 0 0 0 0 0 0 1 0'), packed);
});

test('of a file that ends early the whole rows are there', () => {
  assert.equal(pack('P1\n10 2\n1010100001\n01'), 'P4\n10 2\n\xa8\x40');
});

test('a header that makes no sense is left to the decoder', async () => {
  for (const text of ['P1 ', 'P1\n0 5\n', 'P1\n4000000000 1\n1', 'P1\n# 3 3']) {
    assert.equal(pack(text), text);
    await assert.rejects(compress(Buffer.from(text)), { code: 'corrupt_image' });
  }
});

test('damage does not make it throw', () => {
  const file = Buffer.from(`P1\n30 30\n${'01'.repeat(450)}`);
  for (const broken of damaged(file, 1_000, 3)) packPlainBitmap(broken);
});

test('the picture is read: 1 is black', async () => {
  const { bytes, width } = await compress(Buffer.from('P1\n3 1\n101'), { format: 'png', mode: 'lossless' });
  const { data, channels } = await decode(bytes);
  assert.deepEqual([width, data[0], data[channels], data[2 * channels]], [3, 0, 255, 0]);
});
