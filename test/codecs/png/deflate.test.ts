/** The deflate encoder of the kernels, compared with zlib. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Kernels } from '../../../codecs/kernels/kernels.ts';
import { compileModule } from '../../../codecs/modules.ts';
import { nightlyOnly } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';

const HISTORY_BYTES = 32 * 1024;
const random = new Random(7);

let kernels: Kernels;

/** Uses optimal parsing with `passes`, otherwise lazy parsing with matches of at least `minMatch` bytes. */
type Search = { niceLength: number; maxSearch: number } & ({ minMatch: number } | { passes: number });

const SEARCH: Search = { minMatch: 4, niceLength: 258, maxSearch: 64 };
const OPTIMAL: Search = { niceLength: 128, maxSearch: 128, passes: 3 };
const SEARCHES: readonly Search[] = [
  SEARCH,
  { minMatch: 6, niceLength: 32, maxSearch: 2 },
  OPTIMAL,
  { niceLength: 8, maxSearch: 2, passes: 1 },
  { niceLength: 258, maxSearch: 1000, passes: 2 },
];

/** @param parts parts of a stream; the last may be of any size, the others are no larger than the first */
function deflated(parts: readonly Uint8Array[], search = SEARCH): Buffer {
  const { niceLength, maxSearch } = search;
  kernels.free();
  const { run } = kernels;
  const most = Math.max(...parts.map(({ length }) => length));
  const window = kernels.reserve(HISTORY_BYTES + most + 64);
  const area = kernels.reserve(kernels.areas.deflate);
  const to = kernels.reserve(most * 1.01 + 4096);
  const from = window + HISTORY_BYTES;
  const optimal = kernels.reserve(kernels.areas.optimal);
  run.startDeflate(area, from);
  run.startOptimal(optimal);
  const made: Uint8Array[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    kernels.bytes(from, most + 16).set(bytes(most + 16, () => random.integer(2)));
    kernels.bytes(from, part.length).set(part);
    const partEnd = from + part.length;
    const last = Number(isLast);
    let end =
      'minMatch' in search
        ? run.deflate(from, partEnd, to, search.minMatch, niceLength, maxSearch, last)
        : run.deflateOptimally(from, partEnd, to, niceLength, maxSearch, search.passes, last);
    if (isLast) end = run.finishDeflate();
    made.push(kernels.bytes(to, end - to).slice());
    kernels.bytes(window, HISTORY_BYTES + part.length).copyWithin(0, part.length);
    run.moveDeflated(part.length);
  }
  return Buffer.concat(made);
}

const bytes = (count: number, value: (index: number) => number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, index) => value(index));

/** Data that are easy for encoders, hard, and at their limits. */
const INPUTS: Readonly<Record<string, (count: number) => Uint8Array>> = {
  zeros: (count) => new Uint8Array(count),
  noise: (count) => bytes(count, () => random.integer(256)),
  'few values': (count) => bytes(count, () => random.integer(3)),
  'one value in a thousand': (count) => bytes(count, () => (random.integer(1000) === 0 ? random.integer(256) : 9)),
  'values by a bell curve': (count) =>
    bytes(count, () => random.integer(8) + random.integer(8) - random.integer(8) - random.integer(8)),
  'the same 32,767 bytes again and again': (count) => {
    const pattern = bytes(32_767, () => random.integer(256));
    return bytes(count, (index) => pattern[index % pattern.length]!);
  },
  'the same 32,769 bytes again and again': (count) => {
    const pattern = bytes(32_769, () => random.integer(256));
    return bytes(count, (index) => pattern[index % pattern.length]!);
  },
  'pieces of what was before': (count) => {
    const made = bytes(count, () => random.integer(256));
    for (let at = 300; at + 300 < count; ) {
      const length = 1 + random.integer(280);
      made.copyWithin(at, at - 1 - random.integer(Math.min(at - 1, 40_000)), at);
      at += length + random.integer(3);
    }
    return made;
  },
  'a drawing': (count) => {
    const glyphs = bytes(6000, () => 255 * random.integer(2));
    const across = (x: number, y: number) => 60 * ((Math.floor(x / 9) * 13 + Math.floor(y / 12) * 5) % 100);
    return bytes(count, (index) => {
      const [x, y] = [index % 1000, Math.floor(index / 1000)];
      return glyphs[across(x, y) + (x % 9) + 5 * (y % 12)]!;
    });
  },
  'rare symbols with long codes': (count) =>
    bytes(count, () => Math.min(255, Math.floor(-Math.log2(1 - random.next()) * 8))),
};

/**
 * Returns a sequence of two values. Each value is the opposite of the one that last followed most of its contexts (the
 * 3 to 14 values before it).
 */
function alternating(count: number): Uint8Array {
  const contexts = Array.from({ length: 12 }, (_, index) => ({
    mask: 2 ** (index + 3) - 1,
    last: new Int8Array(2 ** (index + 3)),
  }));
  let history = 0;
  return bytes(count, () => {
    const votes = contexts.reduce((sum, { mask, last }) => sum + last[history & mask]!, 0);
    const value = votes === 0 ? random.integer(2) : Number(votes < 0);
    for (const { mask, last } of contexts) last[history & mask] = value === 1 ? 1 : -1;
    history = 2 * (history & 0xffff) + value;
    return value;
  });
}

const COUNTS = [0, 1, 2, 3, 4, 5, 15, 16, 17, 257, 258, 259, 260, 5000, 100_000, 300_000];

describe('deflate', () => {
  before(async () => {
    kernels = new Kernels(await compileModule('kernels'));
  });

  for (const [name, make] of Object.entries(INPUTS))
    it(`keeps ${name}, of any length`, () => {
      for (const count of COUNTS) {
        const data = make(count);
        for (const search of SEARCHES)
          assert.ok(inflateRawSync(deflated([data], search)).equals(data), `${count}, ${JSON.stringify(search)}`);
      }
    });

  it('accepts bytes in parts, and finds matches across parts', () => {
    for (const size of [1000, 32_768, 70_000]) {
      const pattern = bytes(size, () => random.integer(256));
      const parts = [pattern, pattern.slice(0, size / 2), new Uint8Array(0), pattern, pattern.slice(0, 1)];
      const whole = Buffer.concat(parts);
      for (const search of SEARCHES) {
        const made = deflated(parts, search);
        assert.ok(inflateRawSync(made).equals(whole));
        if (size < HISTORY_BYTES) assert.ok(made.length < pattern.length * 1.1, `${made.length}`);
      }
    }
  });

  it('keeps parts of any size, whatever follows them in memory', { skip: nightlyOnly }, () => {
    for (let run = 0; run < 60; run += 1) {
      // Long matches with late differences reveal a search that assumes too long a common prefix.
      const long = bytes(400, () => random.integer(2));
      const words = Array.from({ length: 40 }, () => {
        const start = random.integer(200);
        const word = long.slice(start, start + 20 + random.integer(180));
        if (random.integer(2)) word[random.integer(word.length)]! ^= 1;
        return word;
      });
      const size = 1 + random.integer(6000);
      const parts = Array.from({ length: 12 }, (_, index) => {
        const data = Buffer.concat(Array.from({ length: 1 + size / 20 }, () => random.pick(words)));
        return new Uint8Array(data.subarray(0, 1 + random.integer(index === 0 ? 6000 : size)));
      });
      for (const search of SEARCHES)
        assert.ok(inflateRawSync(deflated(parts, search)).equals(Buffer.concat(parts)), JSON.stringify(search));
    }
  });

  it('keeps bytes that have many matches in most places', () => {
    const data = alternating(300_000);
    assert.ok(inflateRawSync(deflated([data], OPTIMAL)).equals(data));
  });

  it('never makes the data much larger', () => {
    const noise = INPUTS.noise!(500_000);
    for (const search of SEARCHES) {
      const { length } = deflated([noise], search);
      assert.ok(length < noise.length + 100, `${length}, ${JSON.stringify(search)}`);
      // Fixed codes: 8 bits for each of these bytes, 3 bits before and 7 bits after them.
      for (let count = 0; count < 20; count += 1)
        assert.ok(deflated([bytes(count, (index) => index)], search).length <= count + 2, `${count}`);
    }
  });

  it('starts a new block with its own codes where the bytes change', () => {
    // Each byte takes 6 bits with its own codes, but 8 bits if all share their codes.
    const data = bytes(120_000, (index) => 64 * (Math.floor(index / 12_000) % 4) + random.integer(64));
    for (const search of SEARCHES) {
      const { length } = deflated([data], search);
      assert.ok(length < 95_000, `${length}, ${JSON.stringify(search)}`);
    }
  });

  it('uses no match that takes more bits than literals', () => {
    const data = INPUTS['values by a bell curve']!(300_000);
    const [own, zlib] = [deflated([data]).length, deflateRawSync(data, { level: 6 }).length];
    assert.ok(own < zlib * 0.97, `${own} beside ${zlib}`);
  });

  it('finds matches of three bytes at high effort', () => {
    // Three bytes, another byte, the same three bytes: 5 of 8 bytes are new.
    const words = bytes(80_000, () => random.integer(256));
    for (let at = 0; at < words.length; at += 8) words.copyWithin(at + 4, at, at + 3);
    const { length } = deflated([words], OPTIMAL);
    assert.ok(length < words.length * 0.75, `${length}`);
  });

  it('writes the same bytes whatever was deflated before', () => {
    const [one, other] = [INPUTS['a drawing']!(50_000), INPUTS['values by a bell curve']!(50_000)];
    for (const search of SEARCHES) {
      const before = deflated([one], search);
      deflated([other], search);
      assert.ok(deflated([one], search).equals(before), JSON.stringify(search));
    }
  });

  it('writes about as many bytes as zlib', () => {
    for (const name of ['one value in a thousand', 'values by a bell curve', 'a drawing']) {
      const data = INPUTS[name]!(300_000);
      const [own, zlib] = [deflated([data]).length, deflateRawSync(data, { level: 6 }).length];
      assert.ok(own < zlib * 1.02, `${name}: ${own} beside ${zlib}`);
    }
  });

  it('writes fewer bytes than zlib at its highest level at high effort', () => {
    for (const name of ['values by a bell curve', 'a drawing']) {
      const data = INPUTS[name]!(300_000);
      const [own, zlib] = [deflated([data], OPTIMAL).length, deflateRawSync(data, { level: 9 }).length];
      assert.ok(own <= zlib, `${name}: ${own} beside ${zlib}`);
    }
  });
});
