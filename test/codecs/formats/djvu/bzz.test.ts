import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expandBzz } from '../../../../codecs/formats/djvu/bzz.ts';
import { makeRandom } from '../../../support/damage.ts';
import { compressBzz } from './bzz-writer.ts';

const LIMIT = 1 << 16;
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');

describe('BZZ', () => {
  it('expands what the bzz program of DjVuLibre 3.5.28 wrote', () => {
    const packed = Buffer.from('///G/vayzPW8+3EA/DI9yN05Gl2imm+xou7nJ+qPae56x0N3WO2h2XzHiItbQuM=', 'base64');
    assert.equal(text(expandBzz(packed, LIMIT)), 'BZZ: block sorting, block sorting, and the Z-coder. BZZ!');
  });

  it('expands arbitrary bytes', () => {
    const random = makeRandom(7);
    for (const [length, symbols] of [
      [0, 1],
      [1, 1],
      [300, 1],
      [500, 2],
      [1000, 5],
      [3000, 256],
    ] as const) {
      const bytes = Uint8Array.from({ length }, () => random(symbols));
      for (const forgetting of [0, 1, 2]) {
        const expanded = Uint8Array.from(expandBzz(compressBzz(bytes, forgetting), LIMIT));
        assert.deepEqual(expanded, bytes, `${length} of ${symbols}, ${forgetting}`);
      }
    }
  });

  it('expands no more than its limit', () => {
    const packed = compressBzz(new Uint8Array(1000));
    assert.equal(expandBzz(packed, 1000).length, 1000);
    assert.equal(expandBzz(packed, 999).length, 0);
  });

  it('returns nothing for a block that is damaged or ends early', () => {
    const packed = compressBzz(Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(20)));
    assert.equal(expandBzz(packed.subarray(0, packed.length / 2), LIMIT).length, 0);
    assert.equal(expandBzz(new Uint8Array(0), LIMIT).length, 0);
    assert.equal(expandBzz(new Uint8Array(50), LIMIT).length, 0);
  });
});
