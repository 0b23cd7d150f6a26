/**
 * Divides macroblocks into segments (RFC 6386, 9.3) by their activity. The higher the activity, the less visible are
 * errors.
 */
import { sumOfLanes } from '../../assembly/vectors';
import { putBit, putNumber, putSigned } from './bool-writer';
import { lumaAt, lumaPitch, macroblocksAcross, macroblocksDown, SIDE } from './planes';
import { acStep, indexOfStep } from './quantize';
import { hadamard } from './transform';

export const SEGMENTS: i32 = 4;
/**
 * Activities are 8 times the binary logarithm of the Hadamard sum of a macroblock without the averages of its blocks.
 */
const SCALE: f32 = 8;
/** Macroblocks with sums far below this count as equally quiet, as in gradients. */
const QUIET: f32 = 2048;
const ACTIVITIES: i32 = 128;
const ROUNDS: i32 = 6;

const histogram: usize = memory.data(ACTIVITIES * 4, 4);
const centers: usize = memory.data<i32>([0, 0, 0, 0]);
const indexes: usize = memory.data<i32>([0, 0, 0, 0]);
const members: usize = memory.data<i32>([0, 0, 0, 0]);
const segmentOf: usize = memory.data(ACTIVITIES);

function at(list: usize, index: i32): usize {
  return list + ((<usize>index) << 2);
}

/** Returns the activity of a macroblock, 0 to 127. */
function activityOf(x: i32, y: i32): i32 {
  const source = lumaAt(x, y);
  const pitch = lumaPitch();
  let lanes = i32x4.splat(0);
  for (let line: usize = 0; line < SIDE; line += 4)
    for (let column: usize = 0; column < SIDE; column += 8) {
      const from = source + line * pitch + column;
      const r0 = v128.load8x8_u(from);
      const r1 = v128.load8x8_u(from + pitch);
      const r2 = v128.load8x8_u(from + 2 * pitch);
      const r3 = v128.load8x8_u(from + 3 * pitch);
      const sum = i16x8.add(i16x8.add(r0, r1), i16x8.add(r2, r3));
      lanes = i32x4.add(lanes, i32x4.sub(hadamard(r0, r1, r2, r3), i32x4.extadd_pairwise_i16x8_s(sum)));
    }
  return min(ACTIVITIES - 1, <i32>(SCALE * Mathf.log2(1 + <f32>sumOfLanes(lanes) / QUIET)));
}

/**
 * Finds the segment of each macroblock.
 * @param records of macroblocks, `bytes` from one to the next; the first byte receives the segment
 * @param index of the quantizer of the image
 * @param strength how much quantization follows activity
 */
export function divide(records: usize, bytes: usize, index: i32, strength: f32): void {
  memory.fill(histogram, 0, ACTIVITIES * 4);
  let record = records;
  for (let y = 0; y < macroblocksDown(); y++)
    for (let x = 0; x < macroblocksAcross(); x++) {
      const activity = activityOf(x, y);
      store<u8>(record, <u8>activity);
      const place = at(histogram, activity);
      store<i32>(place, load<i32>(place) + 1);
      record += bytes;
    }
  findCenters();
  setIndexes(index, strength);
  memory.fill(members, 0, SEGMENTS * 4);
  const end = record;
  for (record = records; record < end; record += bytes) {
    const own = load<u8>(segmentOf + <usize>load<u8>(record));
    store<u8>(record, own);
    const place = at(members, own);
    store<i32>(place, load<i32>(place) + 1);
  }
}

/** Clusters macroblocks by their activity, with k-means. */
function findCenters(): void {
  let low = 0;
  while (load<i32>(at(histogram, low)) === 0) low += 1;
  let high = ACTIVITIES - 1;
  while (load<i32>(at(histogram, high)) === 0) high -= 1;
  for (let segment = 0; segment < SEGMENTS; segment++)
    store<i32>(at(centers, segment), low + ((high - low) * (2 * segment + 1)) / (2 * SEGMENTS));
  for (let round = 0; round < ROUNDS; round++) {
    let own = 0;
    let sum: i64 = 0;
    let count: i64 = 0;
    for (let activity = low; activity <= high; activity++) {
      const often = <i64>load<i32>(at(histogram, activity));
      if (often === 0) continue;
      while (own + 1 < SEGMENTS && isNearer(activity, own + 1, own)) {
        if (count > 0) store<i32>(at(centers, own), <i32>(sum / count));
        own += 1;
        sum = 0;
        count = 0;
      }
      store<u8>(segmentOf + <usize>activity, <u8>own);
      sum += often * <i64>activity;
      count += often;
    }
    if (count > 0) store<i32>(at(centers, own), <i32>(sum / count));
  }
}

function isNearer(activity: i32, segment: i32, other: i32): bool {
  return abs(activity - load<i32>(at(centers, segment))) < abs(activity - load<i32>(at(centers, other)));
}

function setIndexes(index: i32, strength: f32): void {
  let sum: i64 = 0;
  let count: i64 = 0;
  for (let activity = 0; activity < ACTIVITIES; activity++) {
    const often = <i64>load<i32>(at(histogram, activity));
    sum += often * <i64>activity;
    count += often;
  }
  const mean = <f32>(sum / count);
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const change = (strength * (<f32>load<i32>(at(centers, segment)) - mean)) / SCALE;
    store<i32>(at(indexes, segment), indexOfStep(<f32>acStep(index) * Mathf.pow(2, change)));
  }
}

export function indexOf(segment: i32): i32 {
  return load<i32>(at(indexes, segment));
}

function isDivided(): bool {
  for (let segment = 1; segment < SEGMENTS; segment++) if (indexOf(segment) !== indexOf(0)) return true;
  return false;
}

/** Returns the probability of a decision from its counts. */
function probabilityOf(zeros: i32, ones: i32): i32 {
  return zeros + ones === 0 ? 255 : min(255, max(1, <i32>((<i64>zeros * 256) / (zeros + ones))));
}

function membersOf(segment: i32): i32 {
  return load<i32>(at(members, segment));
}

function probability(decision: i32): i32 {
  if (decision === 0) return probabilityOf(membersOf(0) + membersOf(1), membersOf(2) + membersOf(3));
  return decision === 1 ? probabilityOf(membersOf(0), membersOf(1)) : probabilityOf(membersOf(2), membersOf(3));
}

export function filterOf(segment: i32, filter: f32): i32 {
  return min(63, <i32>((filter * <f32>acStep(indexOf(segment))) / 4));
}

/** Writes the quantizers, filters and frequencies of the segments. */
export function putSegments(filter: f32): void {
  const divided = isDivided();
  putNumber(divided ? 1 : 0, 1);
  if (!divided) return;
  // Write both the map and the data, with absolute values.
  putNumber(7, 3);
  for (let segment = 0; segment < SEGMENTS; segment++) putSigned(indexOf(segment), 7);
  for (let segment = 0; segment < SEGMENTS; segment++) putSigned(filterOf(segment, filter), 6);
  for (let decision = 0; decision < 3; decision++) {
    const own = probability(decision);
    putNumber(own === 255 ? 0 : 1, 1);
    if (own !== 255) putNumber(own, 8);
  }
}

export function putSegment(segment: i32): void {
  if (!isDivided()) return;
  putBit(segment >> 1, probability(0));
  putBit(segment & 1, probability(1 + (segment >> 1)));
}
