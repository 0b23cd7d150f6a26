/** Reads the structure of an animated PNG (PNG, third edition, sections 4.9, 5.6 and 11.3.6). */
import type { Size } from '../../base/geometry.ts';
import { Reader, viewOf } from '../metadata/bytes.ts';
import { collectUntilDamage } from '../metadata/damage.ts';
import { type Chunk, describingChunks, SIGNATURE } from '../metadata/png-chunks.ts';

export const DISPOSAL = { none: 0, background: 1, previous: 2 } as const;
export type Disposal = (typeof DISPOSAL)[keyof typeof DISPOSAL];

export const BLEND = { source: 0, over: 1 } as const;
export type Blend = (typeof BLEND)[keyof typeof BLEND];

export interface PngFrame extends Size {
  left: number;
  top: number;
  /** In seconds, as a fraction. */
  delay: { numerator: number; denominator: number };
  disposal: Disposal;
  blend: Blend;
  /** Deflated rows; at least one part. */
  data: Uint8Array[];
}

export interface PngAnimation extends Size {
  frames: [PngFrame, ...PngFrame[]];
  /** Number of plays; 0 is for ever. */
  plays: number;
  /** Fewer frames can be read than the file declares, or the last one is not complete. */
  endsEarly: boolean;
}

/** The denominator that 0 stands for. */
const DEFAULT_DENOMINATOR = 100;
/** Bytes of a sequence number, which precedes the data in fdAT. */
const SEQUENCE_BYTES = 4;

/**
 * Reads the frames up to the first fault. The default image is a frame only if a frame header precedes it.
 * @returns undefined for a file without a readable frame, and for one whose default image is its only frame
 */
export function readAnimation(bytes: Uint8Array): PngAnimation | undefined {
  const found = new FrameCollector();
  collectUntilDamage(found, () => {
    for (const chunk of describingChunks(bytes)) if (!found.take(chunk)) return;
  });
  return found.animation;
}

class FrameCollector {
  #canvas: Size | undefined;
  #declared = 0;
  #plays = 0;
  #sequence = 0;
  #isDefaultOver = false;
  #isComplete = false;
  #hasDefaultFrame = false;
  readonly #frames: PngFrame[] = [];

  /** @returns false when nothing more can be read */
  take({ name, data }: Chunk): boolean {
    switch (name) {
      case 'IHDR':
        this.#canvas = { width: viewOf(data).getUint32(0), height: viewOf(data).getUint32(4) };
        return true;
      case 'acTL': {
        const reader = new Reader(data, 'png');
        this.#declared = reader.u32(0);
        this.#plays = reader.u32(4);
        return this.#declared > 0;
      }
      case 'fcTL':
        return this.#startFrame(new Reader(data, 'png'));
      case 'IDAT':
        return this.#takeDefaultImage(data);
      case 'fdAT':
        return this.#takeData(data);
      case 'IEND':
        this.#isComplete = this.#frames.at(-1)?.data.length !== 0 && this.#frames.length === this.#declared;
        return false;
      default:
        return true;
    }
  }

  get animation(): PngAnimation | undefined {
    const [first, ...rest] = this.#frames.filter(({ data }) => data.length > 0);
    const isStill = this.#declared <= 1 && this.#hasDefaultFrame;
    if (!this.#canvas || !first || isStill) return undefined;
    return { ...this.#canvas, frames: [first, ...rest], plays: this.#plays, endsEarly: !this.#isComplete };
  }

  #isNext(sequence: number): boolean {
    this.#sequence += 1;
    return sequence === this.#sequence - 1;
  }

  #startFrame(reader: Reader): boolean {
    const isFree = this.#frames.at(-1)?.data.length !== 0;
    if (this.#declared === 0 || !isFree || !this.#isNext(reader.u32(0))) return false;
    // Frames beyond the declared number are not shown.
    if (this.#frames.length === this.#declared) {
      this.#isComplete = true;
      return false;
    }
    const [width, height, left, top] = [4, 8, 12, 16].map((at) => reader.u32(at)) as [number, number, number, number];
    const [disposal, blend] = [reader.u8(24), reader.u8(25)];
    const isInside = this.#canvas && left + width <= this.#canvas.width && top + height <= this.#canvas.height;
    if (!isInside || width === 0 || height === 0 || disposal > DISPOSAL.previous || blend > BLEND.over) return false;
    this.#frames.push({
      ...{ width, height, left, top },
      delay: { numerator: reader.u16(20), denominator: reader.u16(22) || DEFAULT_DENOMINATOR },
      disposal: disposal as Disposal,
      blend: blend as Blend,
      data: [],
    });
    return true;
  }

  #takeDefaultImage(data: Uint8Array): boolean {
    if (this.#declared === 0) return false;
    const [frame] = this.#frames;
    if (!frame || this.#isDefaultOver) return true;
    const { width, height } = this.#canvas!;
    if (this.#frames.length > 1 || frame.width !== width || frame.height !== height) return false;
    this.#hasDefaultFrame = true;
    frame.data.push(data);
    return true;
  }

  #takeData(data: Uint8Array): boolean {
    const frame = this.#frames.at(-1);
    const isDefault = this.#hasDefaultFrame && this.#frames.length === 1;
    if (!frame || isDefault || !this.#isNext(new Reader(data, 'png').u32(0))) return false;
    this.#isDefaultOver = true;
    frame.data.push(data.subarray(SEQUENCE_BYTES));
    return true;
  }
}

/** Returns the delays in whole milliseconds. Rounding errors are carried over, so that the total does not drift. */
export function delaysOf(frames: readonly PngFrame[]): number[] {
  let exact = 0;
  let rounded = 0;
  return frames.map(({ delay: { numerator, denominator } }) => {
    exact += (1000 * numerator) / denominator;
    const delay = Math.round(exact) - rounded;
    rounded += delay;
    return delay;
  });
}

const MAX_COUNTED_CHUNKS = 250_000;
/** Chunk names as big-endian numbers. Creating a string per chunk would be slow in a file of many chunks. */
const CONTROL = 0x6163544c; // acTL
const FRAME = 0x6663544c; // fcTL
const DATA = 0x49444154; // IDAT

/** Counts the frames that a file may have. Returns undefined for a file that is not animated. Main-thread safe. */
export function countFrames(bytes: Uint8Array): number | undefined {
  const view = viewOf(bytes);
  let declared = 0;
  let frames = 0;
  let at = SIGNATURE.length;
  for (let chunk = 0; chunk < MAX_COUNTED_CHUNKS && at + 12 <= bytes.length; chunk += 1) {
    const name = view.getUint32(at + 4);
    if (name === CONTROL) declared = view.getUint32(at + 8);
    else if (name === FRAME) frames += 1;
    else if (name === DATA && declared === 0) return undefined;
    at += 12 + view.getUint32(at);
  }
  return declared > 0 && frames > 0 ? Math.min(declared, frames) : undefined;
}
