/** Reads the headers of a file (ITU-T T.81, annex B): the state of the decoder before and between scans. */

import { numberAt, setNumber } from '../../assembly/memory';
import {
  acTable,
  BLOCK,
  copyQuantization,
  dcTable,
  readHuffmanTables,
  readQuantizationTables,
  resetTables,
  u16At,
} from './header-tables';

/** Results of exported functions. */
export const OK: i32 = 0;
/** A scan follows. */
export const SCAN: i32 = 1;
/** The end of the image, or of the file. */
export const END: i32 = 2;
/** Not a JPEG file, or one whose headers contradict each other. */
export const CORRUPT: i32 = -1;
/** Arithmetic coding, more than 8 bits, lossless or hierarchical coding, fractional sampling factors. */
export const UNSUPPORTED: i32 = -2;
export const OUT_OF_MEMORY: i32 = -3;

/** Colour models of the samples. */
export const GREY: i32 = 1;
export const RGB: i32 = 2;
export const YCBCR: i32 = 3;
export const CMYK: i32 = 4;
export const YCCK: i32 = 5;

export const MAX_COMPONENTS: i32 = 4;
const MAX_SAMPLING: i32 = 4;

@unmanaged
export class Component {
  identifier: i32 = 0;
  /** Sampling factors. */
  across: i32 = 0;
  down: i32 = 0;
  /** Number of its quantization table. */
  tableNumber: i32 = 0;
  /** The table as it was at the component's first scan: 64 values of 16 bits in natural order; 0 before that. */
  quantization: usize = 0;
  dcTable: usize = 0;
  acTable: usize = 0;
  /** Prediction of the DC coefficient of the next block. */
  prediction: i32 = 0;
  /** Blocks that contain samples of the image. */
  blocksAcross: i32 = 0;
  blocksDown: i32 = 0;
  /** Blocks per row, including those that fill up the last MCU. */
  pitchBlocks: i32 = 0;
  /** All coefficients of the file, 64 of 16 bits per block, if they are kept; otherwise 0. */
  coefficients: usize = 0;
  /** Side of a decoded block in samples: 8 at full size. */
  side: i32 = 0;
  /** The last place in zigzag order that such a block uses. */
  lastPlace: i32 = 63;
  /** Matrix that converts coefficients to a block of that side; 0 for 8. */
  matrix: usize = 0;
  /** Size of the decoded image in samples. */
  width: i32 = 0;
  height: i32 = 0;
  /** Decoded lines of two or more rows of MCUs. Line `y` of the image is at `y % lines`. */
  plane: usize = 0;
  pitch: i32 = 0;
  lines: i32 = 0;
}

const componentBytes: usize = offsetof<Component>();
const components: usize = memory.data(MAX_COMPONENTS * 128, 16);

let at: usize = 0;
let limit: usize = 0;
let frameMarker: i32 = 0;
let width: i32 = 0;
let height: i32 = 0;
let componentCount: i32 = 0;
let maxAcross: i32 = 1;
let maxDown: i32 = 1;
let restartInterval: i32 = 0;
let hasJfif: bool = false;
let adobeTransform: i32 = -1;

/** Components of the next scan, in its order, as component numbers of the frame. */
const scanOrder: usize = memory.data(MAX_COMPONENTS * 4, 4);
let scanCount: i32 = 0;
let scanFirst: i32 = 0;
let scanLast: i32 = 0;
let scanHigh: i32 = 0;
let scanLow: i32 = 0;

export function component(index: i32): Component {
  return changetype<Component>(components + <usize>index * componentBytes);
}

export function scanComponent(index: i32): Component {
  return component(numberAt(scanOrder, index));
}

export function imageWidth(): i32 {
  return width;
}
export function imageHeight(): i32 {
  return height;
}
export function countOfComponents(): i32 {
  return componentCount;
}
export function countInScan(): i32 {
  return scanCount;
}
export function firstCoefficient(): i32 {
  return scanFirst;
}
export function lastCoefficient(): i32 {
  return scanLast;
}
/** Successive approximation: the lowest bit of the previous scans, 0 for a first scan. */
export function highBit(): i32 {
  return scanHigh;
}
/** The lowest bit of this scan. */
export function lowBit(): i32 {
  return scanLow;
}
export function mcusOfInterval(): i32 {
  return restartInterval;
}
export function widestSampling(): i32 {
  return maxAcross;
}
export function highestSampling(): i32 {
  return maxDown;
}
export function isProgressive(): bool {
  return frameMarker === 0xc2;
}
export function mcusAcross(): i32 {
  return (width + maxAcross * 8 - 1) / (maxAcross * 8);
}
export function mcusDown(): i32 {
  return (height + maxDown * 8 - 1) / (maxDown * 8);
}
/** Returns the address of the scan's data. */
export function dataAt(): usize {
  return at;
}
export function dataLimit(): usize {
  return limit;
}

/** Returns the colour model. Without a marker it is guessed like libjpeg does. */
export function colourModel(): i32 {
  if (componentCount === 1) return GREY;
  if (componentCount === 4) return adobeTransform < 0 || adobeTransform === 0 ? CMYK : YCCK;
  if (hasJfif) return YCBCR;
  if (adobeTransform >= 0) return adobeTransform === 0 ? RGB : YCBCR;
  const isNamed =
    component(0).identifier === 0x52 && component(1).identifier === 0x47 && component(2).identifier === 0x42;
  return isNamed ? RGB : YCBCR;
}

/**
 * Reads the headers up to the first scan.
 * @returns `SCAN`, or the error
 */
export function openFrame(data: usize, bytes: i32): i32 {
  at = data;
  limit = data + bytes;
  frameMarker = 0;
  width = 0;
  height = 0;
  componentCount = 0;
  restartInterval = 0;
  hasJfif = false;
  adobeTransform = -1;
  if (bytes < 4 || load<u16>(data) !== 0xd8ff) return CORRUPT;
  at += 2;
  resetTables();
  const found = readHeaders();
  if (found === END) return CORRUPT;
  if (found === SCAN && height === 0) return findHeight() ? SCAN : CORRUPT;
  return found;
}

/**
 * Creates a frame of one component, or of luma and two chroma components.
 * @param across sampling factor of the first component; the others have 1
 */
export function createFrame(ofWidth: i32, ofHeight: i32, count: i32, across: i32, down: i32): void {
  frameMarker = 0;
  width = ofWidth;
  height = ofHeight;
  componentCount = count;
  maxAcross = across;
  maxDown = down;
  restartInterval = 0;
  memory.fill(components, 0, componentBytes * MAX_COMPONENTS);
  for (let index = 0; index < count; index++) {
    const own = component(index);
    own.identifier = index + 1;
    own.across = index === 0 ? across : 1;
    own.down = index === 0 ? down : 1;
    own.tableNumber = index === 0 ? 0 : 1;
  }
  countBlocks();
}

export function resizeFrame(toWidth: i32, toHeight: i32): void {
  width = toWidth;
  height = toHeight;
  countBlocks();
}

/** Swaps the horizontal and vertical dimensions. */
export function transposeFrame(): void {
  const wide = width;
  width = height;
  height = wide;
  const widest = maxAcross;
  maxAcross = maxDown;
  maxDown = widest;
  for (let index = 0; index < componentCount; index++) {
    const own = component(index);
    const across = own.across;
    own.across = own.down;
    own.down = across;
  }
  countBlocks();
}

/** Continues after the data of a scan. */
export function continueAt(position: usize): i32 {
  at = position;
  return readHeaders();
}

/**
 * Reads markers up to the next scan.
 * @returns `SCAN`, `END` or the error
 */
function readHeaders(): i32 {
  while (true) {
    // Skips bytes between two segments, like libjpeg.
    while (at + 1 < limit && !(load<u8>(at) === 0xff && load<u8>(at, 1) !== 0 && load<u8>(at, 1) !== 0xff)) at += 1;
    if (at + 1 >= limit) return END;
    const marker = <i32>load<u8>(at, 1);
    at += 2;
    if (marker === 0xd9) return END;
    // Restart markers, TEM and SOI have no length.
    if ((marker >= 0xd0 && marker <= 0xd8) || marker === 0x01) continue;
    if (at + 2 > limit) return END;
    const length = u16At(at);
    if (length < 2) return CORRUPT;
    const start = at + 2;
    const stop = at + length;
    if (stop > limit) return END;
    at = stop;
    if (marker === 0xda) return readScan(start, stop);
    let fault = OK;
    if (marker === 0xc4) fault = readHuffmanTables(start, stop) ? OK : CORRUPT;
    else if (marker === 0xdb) fault = readQuantizationTables(start, stop) ? OK : CORRUPT;
    else if (marker === 0xdd) {
      if (length < 4) return CORRUPT;
      restartInterval = u16At(start);
    } else if (marker === 0xe0) {
      if (length >= 7 && load<u32>(start) === 0x4649464a && load<u8>(start, 4) === 0) hasJfif = true;
    } else if (marker === 0xee) {
      // "Adobe", version, two flags, transform.
      if (length >= 14 && load<u32>(start) === 0x626f6441 && load<u8>(start, 4) === 0x65)
        adobeTransform = <i32>load<u8>(start, 11);
    } else if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8 && marker !== 0xcc)
      fault = readFrame(marker, start, stop);
    if (fault !== OK) return fault;
  }
}

function readFrame(marker: i32, start: usize, stop: usize): i32 {
  if (marker > 0xc2) return UNSUPPORTED;
  if (componentCount !== 0 || stop - start < 6) return CORRUPT;
  if (load<u8>(start) !== 8) return UNSUPPORTED;
  frameMarker = marker;
  height = u16At(start + 1);
  width = u16At(start + 3);
  const count = <i32>load<u8>(start, 5);
  if (width === 0 || count === 0 || stop - start !== 6 + <usize>count * 3) return CORRUPT;
  if (count > MAX_COMPONENTS || count === 2) return UNSUPPORTED;
  memory.fill(components, 0, componentBytes * MAX_COMPONENTS);
  maxAcross = 1;
  maxDown = 1;
  for (let index = 0; index < count; index++) {
    const from = start + 6 + <usize>index * 3;
    const own = component(index);
    own.identifier = <i32>load<u8>(from);
    own.across = <i32>(load<u8>(from, 1) >> 4);
    own.down = <i32>(load<u8>(from, 1) & 15);
    own.tableNumber = <i32>load<u8>(from, 2);
    if (own.across < 1 || own.across > MAX_SAMPLING || own.down < 1 || own.down > MAX_SAMPLING) return CORRUPT;
    maxAcross = max(maxAcross, own.across);
    maxDown = max(maxDown, own.down);
  }
  componentCount = count;
  for (let index = 0; index < count; index++) {
    const own = component(index);
    if (maxAcross % own.across !== 0 || maxDown % own.down !== 0) return UNSUPPORTED;
  }
  countBlocks();
  return OK;
}

function countBlocks(): void {
  for (let index = 0; index < componentCount; index++) {
    const own = component(index);
    own.blocksAcross = (width * own.across + maxAcross * 8 - 1) / (maxAcross * 8);
    own.blocksDown = (height * own.down + maxDown * 8 - 1) / (maxDown * 8);
    own.pitchBlocks = mcusAcross() * own.across;
  }
}

function readScan(start: usize, stop: usize): i32 {
  if (componentCount === 0 || stop - start < 4) return CORRUPT;
  const count = <i32>load<u8>(start);
  if (count < 1 || count > componentCount || stop - start !== 4 + <usize>count * 2) return CORRUPT;
  const end = start + 1 + <usize>count * 2;
  scanFirst = <i32>load<u8>(end);
  scanLast = <i32>load<u8>(end, 1);
  scanHigh = <i32>(load<u8>(end, 2) >> 4);
  scanLow = <i32>(load<u8>(end, 2) & 15);
  if (!isProgressive()) {
    scanFirst = 0;
    scanLast = BLOCK - 1;
    scanHigh = 0;
    scanLow = 0;
  } else if (!isPossibleScan(count)) return CORRUPT;
  let blocks = 0;
  let seen = 0;
  for (let index = 0; index < count; index++) {
    const from = start + 1 + <usize>index * 2;
    const number = numberOf(<i32>load<u8>(from));
    if (number < 0 || (seen & (1 << number)) !== 0) return CORRUPT;
    seen |= 1 << number;
    setNumber(scanOrder, index, number);
    const own = component(number);
    own.dcTable = dcTable(<i32>(load<u8>(from, 1) >> 4));
    own.acTable = acTable(<i32>(load<u8>(from, 1) & 15));
    const needsDc = scanFirst === 0 && scanHigh === 0;
    const needsAc = scanLast > 0;
    if ((needsDc && own.dcTable === 0) || (needsAc && own.acTable === 0)) return CORRUPT;
    blocks += own.across * own.down;
    if (own.quantization === 0) own.quantization = copyQuantization(own.tableNumber);
    if (own.quantization === 0) return CORRUPT;
  }
  // T.81, B.2.3.
  if (count > 1 && blocks > 10) return CORRUPT;
  scanCount = count;
  return SCAN;
}

/**
 * Checks the parameters of a progressive scan (T.81, G.1.1.1): DC and AC coefficients are in separate scans, and AC
 * scans have one component.
 */
function isPossibleScan(count: i32): bool {
  if (scanFirst > scanLast || scanLast >= BLOCK || scanLow > 13) return false;
  if (scanFirst === 0 ? scanLast !== 0 : count !== 1) return false;
  return scanHigh === 0 || scanHigh - 1 === scanLow;
}

function numberOf(identifier: i32): i32 {
  for (let index = 0; index < componentCount; index++) if (component(index).identifier === identifier) return index;
  return -1;
}

/** Reads the height from the DNL segment after the first scan, if the frame header leaves it 0 (T.81, B.2.5). */
function findHeight(): bool {
  for (let place = at; place + 6 <= limit; place++) {
    if (load<u8>(place) !== 0xff) continue;
    const marker = <i32>load<u8>(place, 1);
    if (marker === 0 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)) continue;
    if (marker !== 0xdc || u16At(place + 2) !== 4) return false;
    height = u16At(place + 4);
    countBlocks();
    return height > 0;
  }
  return false;
}
