/** A BZZ encoder for tests: it writes one block and sorts its rotations by a plain comparison. */
import { ZpEncoder } from './zp-encoder.ts';

/** @param forgetting 0 to 2: how slowly the frequencies decay */
export function compressBzz(bytes: Uint8Array, forgetting = 0): Uint8Array {
  const zp = new ZpEncoder();
  const contexts = new Uint8Array(262);
  if (bytes.length > 0) writeBlock(zp, contexts, bytes, forgetting);
  writeNumber(zp, 0, 24);
  return zp.finish();
}

function writeNumber(zp: ZpEncoder, value: number, bits: number): void {
  for (let bit = bits - 1; bit >= 0; bit--) zp.encodePlain((value >> bit) & 1);
}

function writeBlock(zp: ZpEncoder, contexts: Uint8Array, bytes: Uint8Array, forgetting: number): void {
  const size = bytes.length + 1;
  writeNumber(zp, size, 24);
  zp.encodePlain(forgetting > 0 ? 1 : 0);
  if (forgetting > 0) zp.encodePlain(forgetting - 1);
  // The end marker sorts before every byte.
  const at = (index: number) => (index === bytes.length ? -1 : bytes[index]!);
  const order = Array.from({ length: size }, (_, start) => start).sort((a, b) => {
    for (let step = 0; ; step++) {
      const difference = at(a + step) - at(b + step);
      if (difference !== 0) return difference;
    }
  });

  let list = Array.from({ length: 256 }, (_, symbol) => symbol);
  const frequencies = [0, 0, 0, 0];
  let step = 4;
  let last = 3;
  for (const start of order) {
    const symbol = start === 0 ? -1 : bytes[start - 1]!;
    const place = symbol < 0 ? 256 : list.indexOf(symbol);
    writePlace(zp, contexts, Math.min(last, 2), place);
    last = place;
    if (symbol < 0) continue;
    step += step >> forgetting;
    if (step > 0x10000000) {
      step = Math.floor(step / 2 ** 24);
      frequencies.forEach((frequency, rank) => {
        frequencies[rank] = Math.floor(frequency / 2 ** 24);
      });
    }
    const frequency = step + (frequencies[place] ?? 0);
    if (place < 4) frequencies.splice(place, 1);
    let to = frequencies.findIndex((other) => frequency >= other);
    if (to < 0 || to > place) to = Math.min(place, 3);
    frequencies.splice(to, 0, frequency);
    frequencies.length = 4;
    list = list.filter((other) => other !== symbol);
    list.splice(to, 0, symbol);
  }
}

function writePlace(zp: ZpEncoder, contexts: Uint8Array, last: number, place: number): void {
  zp.encode(contexts, last, place === 0 ? 1 : 0);
  if (place === 0) return;
  zp.encode(contexts, 3 + last, place === 1 ? 1 : 0);
  if (place === 1) return;
  let at = 6;
  for (let bits = 1; bits < 8; bits++) {
    const isHere = place < 2 << bits;
    zp.encode(contexts, at, isHere ? 1 : 0);
    if (isHere) {
      zp.encodeBits(contexts, at + 1, bits, place - (1 << bits));
      return;
    }
    at += 1 << bits;
  }
}
