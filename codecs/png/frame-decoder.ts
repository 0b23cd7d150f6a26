/** Decodes and composes the frames of an animated PNG (PNG, third edition, section 11.3.6.2). */

import { Failure } from '../../base/failure.ts';
import type { DecodedPixels } from '../decoded-image.ts';
import { startKernels } from '../kernels/kernels.ts';
import { bytesOf, concat, uint32 } from '../metadata/bytes.ts';
import { chunk, chunksOf, SIGNATURE } from '../metadata/png-chunks.ts';
import type { Modules } from '../modules.ts';
import type { Image, VipsApi } from '../vips.ts';
import { BLEND, DISPOSAL, type PngAnimation, type PngFrame } from './animation-structure.ts';
import { type DrawnPixels, FrameCanvas, type Samples } from './canvas.ts';
import { readChunks } from './chunks.ts';
import { decodeChunks } from './decode.ts';
import { recoverPng } from './recovery.ts';

interface FramesRequest {
  /** Of the composed frames. */
  bands: number;
  depth: 8 | 16;
  first: number;
  count: number;
  tolerant: boolean;
}

/**
 * Whether a composed frame may have a transparent pixel although none is stored: where nothing was drawn, or where a
 * frame was cleared.
 */
export function uncovers({ width, height, frames }: PngAnimation): boolean {
  const [first] = frames;
  const isFirstWhole = first.width === width && first.height === height;
  return !isFirstWhole || frames.slice(0, -1).some((frame, index) => clears(frame, index));
}

/** The first frame has no state before it that could be restored. */
const clears = ({ disposal }: PngFrame, index: number): boolean =>
  disposal === DISPOSAL.background || (index === 0 && disposal === DISPOSAL.previous);

/**
 * Returns composed frames, each below the one before.
 * @throws a libvips error for a damaged frame, unless `tolerant`: then what can be read of it is drawn
 */
export async function decodeFrames(
  context: { vips: VipsApi; modules: Modules },
  file: Uint8Array,
  animation: PngAnimation,
  { bands, depth, first, count, tolerant }: FramesRequest,
): Promise<DecodedPixels> {
  const { width, height, frames } = animation;
  const head = headOf(file);
  const canvas = new FrameCanvas(animation, bands, depth);
  const { samples } = canvas;
  const data: Samples = depth === 16 ? new Uint16Array(samples.length * count) : new Uint8Array(samples.length * count);
  for (const [index, frame] of frames.slice(0, first + count).entries()) {
    const area = {
      left: frame.left,
      top: frame.top,
      right: frame.left + frame.width,
      bottom: frame.top + frame.height,
    };
    const before = frame.disposal === DISPOSAL.previous && index > 0 ? samples.slice() : undefined;
    const pixels = await decodeFrame(context, head, frame, tolerant);
    if (pixels) canvas.draw(pixels, frame.left, frame.top, index === 0 ? BLEND.source : frame.blend);
    if (index >= first) data.set(samples, (index - first) * samples.length);
    if (before) samples.set(before);
    else if (clears(frame, index)) canvas.clear(area);
  }
  return { data: new Uint8Array(data.buffer), width, height: height * count, bands, depth };
}

/** The chunks that apply to all frames. */
interface Head {
  /** The content of IHDR. */
  header: Uint8Array;
  /** The chunks PLTE and tRNS. */
  colours: Uint8Array[];
}

function headOf(file: Uint8Array): Head {
  const head: Head = { header: new Uint8Array(), colours: [] };
  for (const { name, data } of chunksOf(file)) {
    if (name === 'IHDR') head.header = data;
    else if (name === 'PLTE' || name === 'tRNS') head.colours.push(chunk(name, data));
    else if (name === 'IDAT') break;
  }
  return head;
}

/** Returns the pixels of a frame; undefined if it is damaged so that nothing can be read, and `tolerant`. */
async function decodeFrame(
  { vips, modules }: { vips: VipsApi; modules: Modules },
  head: Head,
  frame: PngFrame,
  tolerant: boolean,
): Promise<DrawnPixels | undefined> {
  const file = frameFile(head, frame);
  const chunks = readChunks(file);
  const pixels = chunks && decodeChunks(startKernels(modules), chunks, Number.POSITIVE_INFINITY);
  if (pixels) return { ...pixels, data: samplesOf(pixels) };
  if (!tolerant) return pixelsOf(vips.Image.pngloadBuffer(file, { fail_on: 'truncated', unlimited: true }));
  try {
    return pixelsOf(vips.Image.pngloadBuffer(await recoverPng(file, true), { fail_on: 'none', unlimited: true }));
  } catch (error) {
    // Nothing of it can be read.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Returns a frame as a PNG of its own. */
function frameFile({ header, colours }: Head, { width, height, data }: PngFrame): Uint8Array {
  return concat([
    bytesOf(SIGNATURE),
    chunk('IHDR', concat([uint32(width), uint32(height), header.subarray(8)])),
    ...colours,
    ...data.map((part) => chunk('IDAT', part)),
    chunk('IEND', new Uint8Array(0)),
  ]);
}

const samplesOf = ({ data, depth }: DecodedPixels): Samples =>
  depth === 16 ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;

const pixelsOf = (image: Image): DrawnPixels => ({
  width: image.width,
  height: image.height,
  bands: image.bands,
  data: image.writeToMemory() as Samples,
});
