/** Encodes animated PNG (PNG, third edition, sections 4.9 and 11.3.6) and keeps every frame as a frame of its own. */
import { toRgb, withAlpha } from '../colour.ts';
import type { Timing } from '../decoded-image.ts';
import { frameReader } from '../frame-reader.ts';
import { type Kernels, startKernels } from '../kernels/kernels.ts';
import { bytesOf, concat, uint16, uint32 } from '../metadata/bytes.ts';
import { chunk, SIGNATURE } from '../metadata/png-chunks.ts';
import type { Modules } from '../modules.ts';
import { type PixelFormat, PixelObserver, pixelBytesOf, pixelFormatOf } from '../pixel-facts.ts';
import type { Rectangle } from '../rectangle.ts';
import type { Image } from '../vips.ts';
import { BLEND, type Blend, DISPOSAL, type Disposal } from './animation-structure.ts';
import { colourChunks, headerChunk, PngEncoder } from './encode.ts';
import { chooseFrame, cutOut, type PreviousFrame, type WordFrames, withoutUnchanged } from './frame-choice.ts';
import { type LayoutOptions, layoutsOf, type PngLayout } from './layout.ts';

/** Animations of up to this many bytes of RGBA are deflated with optimal parsing, and in both kinds of layout. */
const MAX_CAREFUL_BYTES = 16 * 2 ** 20;

interface EncodeJob extends WordFrames {
  kernels: Kernels;
  format: PixelFormat;
  timing: Timing;
  /** Returns the pixels of a frame. The next call may replace them. */
  read(index: number): Uint32Array;
  maxOptimalBytes: number | undefined;
}

/**
 * Encodes every pixel losslessly. Frames are drawn as the smallest rectangle that changes.
 * @param column two or more frames, stacked vertically: grey or RGB, with or without alpha, of 8 or 16 bits
 * @throws a libvips error if the pixels cannot be decoded
 */
export function encodePngAnimation(
  { modules }: { modules: Modules },
  column: Image,
  timing: Timing,
  options: LayoutOptions = {},
): Uint8Array {
  const count = timing.delays.length;
  const [width, height] = [column.width, column.height / count];
  const rgba = withAlpha(toRgb(column));
  const format = pixelFormatOf(rgba);
  const readBytes = frameReader(rgba, height);
  const kernels = startKernels(modules);
  kernels.free();
  const observer = new PixelObserver(kernels, format);
  for (let index = 0; index < count; index += 1) observer.observe(readBytes(index));
  const isCareful = count * width * height * pixelBytesOf(format) <= MAX_CAREFUL_BYTES;
  const job: EncodeJob = {
    ...{ kernels, format, timing, width, height },
    wordsPerPixel: format.depth === 16 ? 2 : 1,
    read: (index) => wordsOf(readBytes(index)),
    maxOptimalBytes: isCareful ? undefined : 0,
  };
  const { facts } = observer;
  const { colours } = facts;
  const isFull = colours?.length === MAX_COLOURS && !colours.includes(CLEAR);
  const plain = facts.isOpaque || isFull ? encode(job, layoutsOf(facts, format, options)[0], false) : undefined;
  if (plain && (isFull || !isCareful)) return plain;
  // Pixels that stay are transparent.
  observer.observe(new Uint8Array(pixelBytesOf(format)));
  const blended = encode(job, layoutsOf(observer.facts, format, { ...options, keepAlpha: true })[0], true);
  return plain && plain.length <= blended.length ? plain : blended;
}

/** A palette with this many colours has no place for a transparent one. */
const MAX_COLOURS = 256;
const CLEAR = 0;

function wordsOf(bytes: Uint8Array<ArrayBuffer>): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

interface WrittenFrame {
  area: Rectangle;
  blend: Blend;
  disposal: Disposal;
  /** Deflated rows, in parts. */
  data: Uint8Array[];
}

/** @param canBlend whether the layout has a transparent colour */
function encode(job: EncodeJob, layout: PngLayout, canBlend: boolean): Uint8Array {
  const { width, height, timing } = job;
  const area = { left: 0, top: 0, right: width, bottom: height };
  const first = job.read(0).slice();
  const written: WrittenFrame[] = [
    { area, blend: BLEND.source, disposal: DISPOSAL.none, data: deflate(job, layout, area, first) },
  ];
  let previous: PreviousFrame = { base: new Uint32Array(first.length), target: first, area, isFirst: true };
  for (let index = 1; index < timing.delays.length; index += 1) {
    const target = job.read(index).slice();
    const choice = chooseFrame(job, previous, target, canBlend);
    written.at(-1)!.disposal = choice.disposal;
    written.push({ ...drawnFrame(job, layout, canBlend, choice, target), area: choice.area, disposal: DISPOSAL.none });
    previous = { base: choice.base, target, area: choice.area, isFirst: false };
  }
  return fileOf(job, layout, written);
}

/** Replaces the area, or blends only its changed pixels over it, whichever is smaller. */
function drawnFrame(
  job: EncodeJob,
  layout: PngLayout,
  canBlend: boolean,
  { area, base }: { area: Rectangle; base: Uint32Array },
  target: Uint32Array,
): Pick<WrittenFrame, 'blend' | 'data'> {
  const pixels = cutOut(job, target, area);
  const replaced = { blend: BLEND.source, data: deflate(job, layout, area, pixels) };
  const changed = canBlend ? withoutUnchanged(job, cutOut(job, base, area), pixels) : undefined;
  if (!changed) return replaced;
  const blended = { blend: BLEND.over, data: deflate(job, layout, area, changed) };
  return lengthOf(blended.data) < lengthOf(replaced.data) ? blended : replaced;
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, { length }) => sum + length, 0);

function deflate(
  { kernels, format, maxOptimalBytes }: EncodeJob,
  layout: PngLayout,
  { left, top, right, bottom }: Rectangle,
  pixels: Uint32Array,
): Uint8Array[] {
  const start = kernels.end;
  const size = { width: right - left, height: bottom - top };
  const encoder = new PngEncoder(kernels, size, format, layout, maxOptimalBytes);
  encoder.push(new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.byteLength));
  const data = encoder.finishData();
  kernels.free(start);
  return data;
}

function fileOf({ width, height, timing }: EncodeJob, layout: PngLayout, frames: readonly WrittenFrame[]): Uint8Array {
  let sequence = 0;
  const next = () => uint32(sequence++);
  return concat([
    bytesOf(SIGNATURE),
    headerChunk({ width, height }, layout),
    chunk('acTL', concat([uint32(frames.length), uint32(timing.loop)])),
    ...colourChunks(layout),
    ...frames.flatMap((frame, index) => [
      chunk('fcTL', concat([next(), frameHeader(frame, timing.delays[index]!)])),
      // The first frame is also the image that readers without animation show.
      ...frame.data.map((part) => (index === 0 ? chunk('IDAT', part) : chunk('fdAT', concat([next(), part])))),
    ]),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

function frameHeader({ area, disposal, blend }: WrittenFrame, delay: number): Uint8Array {
  const { left, top, right, bottom } = area;
  return concat([
    ...[right - left, bottom - top, left, top].map((value) => uint32(value)),
    ...delayFraction(delay).map((value) => uint16(value)),
    Uint8Array.of(disposal, blend),
  ]);
}

const MAX_UINT16 = 65_535;

/** Returns a delay in milliseconds as a fraction of a second, in the finest unit that its 16 bits allow. */
function delayFraction(delay: number): [numerator: number, denominator: number] {
  const unit = [1000, 100, 10].find((each) => (delay * each) / 1000 <= MAX_UINT16) ?? 1;
  return [Math.min(MAX_UINT16, Math.round((delay * unit) / 1000)), unit];
}
