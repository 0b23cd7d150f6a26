/**
 * Decodes the data of scans: coefficients of blocks, in sequential and progressive coding (ITU-T T.81, annexes F and
 * G).
 */
import {
  addressOfBits,
  countOfBits,
  hasRunOut,
  isPlain,
  markerAt,
  refill,
  refillByBytes,
  setBits,
  startBits,
  take,
  windowOfBits,
} from './bits';
// biome-ignore lint/style/useImportType: AssemblyScript has no imports of types.
import {
  Component,
  countInScan,
  dataAt,
  dataLimit,
  firstCoefficient,
  highBit,
  isProgressive,
  lastCoefficient,
  lowBit,
  mcusAcross,
  mcusDown,
  mcusOfInterval,
  scanComponent,
} from './frame';
import { acEntry, codeAt, HAS_END, HAS_NO_VALUE, placesOf, signed, skipEntry, takeSymbol } from './huffman';
import { NATURAL_ORDER } from './tables';

/** Quantization table for coefficients that are kept unchanged. */
const ONES: usize = memory.data<u16>([
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
]);

/** MCUs before the next restart marker. */
let mcusLeft: i32 = 0;
let nextRestart: i32 = 0;
/** Number of blocks whose coefficients of this band are all zero, including the next block. */
let endOfBandRun: i32 = 0;
/** The data of this interval has ended; the rest of it is zeros. */
let isExhausted: bool = false;
let isDamaged: bool = false;

/** Whether some data was missing. */
export function isTruncated(): bool {
  return isDamaged;
}

export function startDecoding(): void {
  isDamaged = false;
}

export function startScan(): void {
  startBits(dataAt());
  mcusLeft = mcusOfInterval();
  nextRestart = 0;
  startInterval();
  isExhausted = false;
}

function startInterval(): void {
  endOfBandRun = 0;
  for (let index = 0; index < countInScan(); index++) scanComponent(index).prediction = 0;
}

/**
 * Must be called before each MCU.
 * @returns false if it has no data
 */
export function beginMcu(): bool {
  if (mcusOfInterval() !== 0) {
    if (mcusLeft === 0) restart();
    mcusLeft -= 1;
  }
  return !isExhausted;
}

/** Must be called after each MCU. */
export function endMcu(): void {
  if (hasRunOut()) {
    isExhausted = true;
    isDamaged = true;
  }
}

/**
 * Continues at the next restart marker. An unexpected marker is handled as in libjpeg: one of the next two is left for
 * later, one of the last two is skipped, any other is treated as the expected one.
 */
function restart(): void {
  const limit = dataLimit();
  let at = markerAt(limit);
  mcusLeft = mcusOfInterval();
  const expected = nextRestart;
  nextRestart = (nextRestart + 1) & 7;
  startInterval();
  while (at + 1 < limit) {
    const marker = <i32>load<u8>(at, 1);
    const ahead = (marker - 0xd0 - expected) & 7;
    const isRestart = marker >= 0xd0 && marker <= 0xd7;
    if (isRestart && (ahead === 0 || (ahead > 2 && ahead < 6))) {
      if (ahead !== 0) isDamaged = true;
      startBits(at + 2);
      isExhausted = false;
      return;
    }
    isDamaged = true;
    if (marker >= 0xc0 && !(isRestart && ahead >= 6)) break;
    startBits(at + 2);
    at = markerAt(limit);
  }
  isDamaged = true;
  startBits(min(at, limit));
}

/**
 * Decodes a block of sequential coding (F.2.2).
 * @param target 64 zeros, which become coefficients times their quantization
 * @param last place in zigzag order that is needed; below 63 only for tables with `prepareSkips`
 * @returns the natural-order places of its non-zero AC coefficients, joined by `or`: 0 if there are none
 */
export function decodeBlock(target: usize, own: Component, quantization: usize, last: i32): i32 {
  decodeDifference(own);
  store<i16>(target, <i16>(own.prediction * <i32>load<u16>(quantization)));
  const table = own.acTable;
  let window = windowOfBits();
  let count = countOfBits();
  let next = addressOfBits();
  let seen: usize = 0;
  let index = 1;
  while (index <= last) {
    if (count <= 32) {
      const word = load<u32>(next);
      if (isPlain(word)) {
        window = (window << 32) | <u64>bswap<u32>(word);
        count += 32;
        next += 4;
      } else {
        setBits(window, count, next);
        refillByBytes();
        window = windowOfBits();
        count = countOfBits();
        next = addressOfBits();
      }
    }
    const entry = acEntry(table, window, count);
    let bits = entry >> 16;
    if ((entry & HAS_NO_VALUE) === 0) {
      count -= entry & 0xff;
      index += (entry >> 8) & 0x7f;
    } else {
      const code = codeAt(table, window, count);
      bits = code & 15;
      count -= (code >> 8) + bits;
      index += placesOf(code & 0xff);
      if (bits === 0) continue;
    }
    const value = signed(<i32>(window >> <u64>count) & ((1 << bits) - 1), bits);
    const place = <usize>load<u8>(NATURAL_ORDER + index - 1);
    seen |= place;
    store<i16>(target + (place << 1), <i16>(value * <i32>load<u16>(quantization + (place << 1))));
  }
  while (index < 64) {
    if (count <= 32) {
      const word = load<u32>(next);
      if (isPlain(word)) {
        window = (window << 32) | <u64>bswap<u32>(word);
        count += 32;
        next += 4;
      } else {
        setBits(window, count, next);
        refillByBytes();
        window = windowOfBits();
        count = countOfBits();
        next = addressOfBits();
      }
    }
    const entry = skipEntry(table, window, count);
    const places = (entry >> 8) & 0x7f;
    if (index + places <= 64) {
      count -= entry & 0xff;
      if ((entry & HAS_END) !== 0) break;
      index += places;
    } else {
      // Codes that are long, or may belong to the next block.
      const code = codeAt(table, window, count);
      count -= (code >> 8) + (code & 15);
      index += placesOf(code & 0xff);
    }
  }
  setBits(window, count, next);
  return <i32>seen;
}

/** Decodes the DC coefficient of a block, as its difference from the last one (F.2.2.1). */
function decodeDifference(own: Component): void {
  refill();
  const size = takeSymbol(own.dcTable);
  if (size !== 0) own.prediction += takeSigned(size);
}

function takeSigned(bits: i32): i32 {
  return signed(take(bits), bits);
}

/**
 * Decodes the current scan into the coefficients of its components.
 * @returns the address after its data
 */
export function decodeScan(): usize {
  startScan();
  if (countInScan() === 1) decodeBlocksOf(scanComponent(0));
  else decodeMcus();
  return markerAt(dataLimit());
}

function decodeBlocksOf(own: Component): void {
  for (let y = 0; y < own.blocksDown; y++) {
    const line = own.coefficients + ((<usize>y * own.pitchBlocks) << 7);
    for (let x = 0; x < own.blocksAcross; x++) {
      if (!beginMcu()) {
        // Until the next restart marker, if there is one.
        if (mcusOfInterval() === 0) return;
        continue;
      }
      decodeKept(line + ((<usize>x) << 7), own);
      endMcu();
    }
  }
}

function decodeMcus(): void {
  const across = mcusAcross();
  for (let y = 0; y < mcusDown(); y++)
    for (let x = 0; x < across; x++) {
      if (!beginMcu()) {
        if (mcusOfInterval() === 0) return;
        continue;
      }
      for (let index = 0; index < countInScan(); index++) {
        const own = scanComponent(index);
        for (let down = 0; down < own.down; down++) {
          const row = <usize>(y * own.down + down) * own.pitchBlocks + x * own.across;
          for (let block = 0; block < own.across; block++) decodeKept(own.coefficients + ((row + block) << 7), own);
        }
      }
      endMcu();
    }
}

function decodeKept(target: usize, own: Component): void {
  if (!isProgressive()) decodeBlock(target, own, ONES, 63);
  else if (firstCoefficient() === 0) {
    if (highBit() === 0) decodeDc(target, own);
    else refineDc(target);
  } else if (highBit() === 0) decodeBand(target, own);
  else refineBand(target, own);
}

// Progressive coding (G.1.2 and G.2).

function decodeDc(target: usize, own: Component): void {
  decodeDifference(own);
  store<i16>(target, <i16>(own.prediction << lowBit()));
}

function refineDc(target: usize): void {
  refill();
  if (take(1) !== 0) store<i16>(target, <i16>(<i32>load<i16>(target) | (1 << lowBit())));
}

function decodeBand(target: usize, own: Component): void {
  if (endOfBandRun > 0) {
    endOfBandRun -= 1;
    return;
  }
  const low = lowBit();
  for (let index = firstCoefficient(); index <= lastCoefficient(); index++) {
    refill();
    const symbol = takeSymbol(own.acTable);
    const run = symbol >> 4;
    const bits = symbol & 15;
    if (bits !== 0) {
      index += run;
      const place = <usize>load<u8>(NATURAL_ORDER + index);
      store<i16>(target + (place << 1), <i16>(takeSigned(bits) << low));
    } else if (run === 15) index += 15;
    else {
      endOfBandRun = (1 << run) - 1 + take(run);
      return;
    }
  }
}

function refineBand(target: usize, own: Component): void {
  const last = lastCoefficient();
  const one = 1 << lowBit();
  let index = firstCoefficient();
  if (endOfBandRun === 0) {
    for (; index <= last; index++) {
      refill();
      const symbol = takeSymbol(own.acTable);
      const bits = symbol & 15;
      let run = symbol >> 4;
      let value = 0;
      if (bits !== 0) value = take(1) !== 0 ? one : -one;
      else if (run !== 15) {
        endOfBandRun = (1 << run) + take(run);
        break;
      }
      for (; index <= last; index++) {
        const at = target + ((<usize>load<u8>(NATURAL_ORDER + index)) << 1);
        if (load<i16>(at) !== 0) refine(at, one);
        else if (run === 0) break;
        else run -= 1;
      }
      if (value !== 0) store<i16>(target + ((<usize>load<u8>(NATURAL_ORDER + index)) << 1), <i16>value);
    }
  }
  if (endOfBandRun > 0) {
    for (; index <= last; index++) {
      const at = target + ((<usize>load<u8>(NATURAL_ORDER + index)) << 1);
      if (load<i16>(at) !== 0) refine(at, one);
    }
    endOfBandRun -= 1;
  }
}

function refine(at: usize, one: i32): void {
  refill();
  if (take(1) === 0) return;
  const old = <i32>load<i16>(at);
  if ((old & one) === 0) store<i16>(at, <i16>(old >= 0 ? old + one : old - one));
}
