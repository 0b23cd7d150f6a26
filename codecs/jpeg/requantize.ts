/** Recompresses JPEG files to smaller ones, optionally cropped and rotated, without decoding them to pixels. */

import type { Size } from '../../base/geometry.ts';
import { type JpegCodec, OK } from './codec.ts';
import { hasTables, readCoefficients } from './coefficients.ts';
import { quantizationTables } from './quantization.ts';
import type { Effort } from './scan-script.ts';
import { JFIF, stepsOf, writeJpeg } from './write.ts';

/** Applied in this order: transpose rows and columns, then swap left and right, then top and bottom. */
export interface Turn {
  transposes: boolean;
  mirrorsAcross: boolean;
  mirrorsDown: boolean;
}

export const UPRIGHT: Turn = { transposes: false, mirrorsAcross: false, mirrorsDown: false };

/** In pixels of the file. */
export interface Area extends Size {
  x: number;
  y: number;
}

export interface RequantizeSettings {
  /** The area to keep. Default: all. */
  area?: Area | undefined;
  /** Applied to the area. */
  turn: Turn;
  /** 1 to 100, on the scale of libjpeg. No coefficient becomes finer than in the file. */
  quality: number;
  /** Write the file even if nothing changes. */
  writesSame?: boolean;
  /** Returns how an image of this many pixels is written. */
  coding(pixels: number): Effort;
}

/** Values of `colourModel` of assembly/frame.ts. */
const GREY = 1;
const YCBCR = 3;
/** Half chroma resolution in both directions, as values of `samplingOf`. */
const HALF = [0x22, 0x11, 0x11];

/**
 * The file without its metadata, or `same` if nothing changes. Undefined if pixels are needed: for another coding, a
 * damaged file, more than half the chroma resolution, an area that does not begin at an MCU, or mirrored sides that are
 * not a whole number of MCUs.
 */
export type Requantized = Uint8Array<ArrayBuffer> | 'same' | undefined;

/** Crops and rotates a file and makes its quantization coarser, as the quality requires. */
export function requantizeJpeg(
  codec: JpegCodec,
  file: Uint8Array,
  { area, turn, quality, writesSame = false, coding }: RequantizeSettings,
): Requantized {
  const { run } = codec;
  if (!codec.open(file)) return undefined;
  const model = run.colourModel();
  if (model !== GREY && model !== YCBCR) return undefined;
  const isHalf = model === GREY || HALF.every((sampling, index) => run.samplingOf(index) === sampling);
  // Usually known before coefficients are read, which takes time.
  if (!isHalf && hasTables(run) && coarserTables(codec, quality)) return undefined;
  if (!readCoefficients(codec)) return undefined;
  const moves = area !== undefined || turn.transposes || turn.mirrorsAcross || turn.mirrorsDown;
  if (moves && !moveBlocks(codec, area, turn)) return undefined;
  const coarser = coarserTables(codec, quality);
  if (!coarser && !moves && !writesSame) return 'same';
  if (coarser) {
    if (!isHalf) return undefined;
    const tables = codec.place(new Uint8Array(coarser.buffer));
    if (tables === undefined || run.requantize(tables) !== OK) return undefined;
  } else if (run.storeCoefficients() !== OK) return undefined;
  return writeJpeg(codec, [JFIF], coding(run.imageWidth() * run.imageHeight()));
}

function moveBlocks({ run }: JpegCodec, area: Area | undefined, turn: Turn): boolean {
  const { x, y, width, height } = area ?? { x: 0, y: 0, width: run.imageWidth(), height: run.imageHeight() };
  const { transposes, mirrorsAcross, mirrorsDown } = turn;
  const turns = [transposes, mirrorsAcross, mirrorsDown].map(Number) as [number, number, number];
  return run.turnCoefficients(x, y, width, height, ...turns) === OK;
}

/**
 * Returns for each component the larger one of its own steps and those of the quality. Undefined if its own are at
 * least as large everywhere.
 */
function coarserTables(codec: JpegCodec, quality: number): Uint16Array<ArrayBuffer> | undefined {
  const { run } = codec;
  const { luma, colour } = quantizationTables(quality);
  const own = Array.from({ length: run.countOfComponents() }, (_, index) => stepsOf(codec, index));
  const wanted = own.map((_, index) => (index === 0 ? luma : colour));
  const larger = own.map((steps, index) => steps.map((step, place) => Math.max(step, wanted[index]![place]!)));
  const isCoarser = own.some((steps, index) => steps.some((step, place) => step < larger[index]![place]!));
  return isCoarser ? Uint16Array.from(larger.flatMap((steps) => [...steps])) : undefined;
}
