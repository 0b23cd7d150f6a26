/** Pixels to JPEG files. */
import { type JpegCodec, OK } from './codec.ts';
import { quantizationTable } from './quantization.ts';
import type { Effort } from './scan-script.ts';
import { segment, writeJpeg } from './write.ts';

export interface JpegSource {
  /** Rows of pixels from the top, `bands` bytes each: grey or RGB. */
  data: Uint8Array;
  width: number;
  height: number;
  bands: 1 | 3;
}

export interface JpegSettings {
  /** 1 to 100, as libjpeg counts it. */
  quality: number;
  /** Resolution of luma to that of colour: 4:4:4, 4:2:2 or 4:2:0. */
  sampling: '444' | '422' | '420';
  /** Choose coefficients by what they cost and what they are good for, not by rounding alone. */
  trellis: boolean;
  /** How the coefficients are written. */
  coding: Effort;
}

/** Samples of luma to one of colour, across and down. */
const SAMPLING = { '444': [1, 1], '422': [2, 1], '420': [2, 2] } as const;

/** Scale factors of the transform in assembly/forward.ts: 1, and 2 cos(kπ/16) / √2 = √2 cos(kπ/16). */
const AAN = Array.from({ length: 8 }, (_, index) => (index === 0 ? 1 : Math.SQRT2 * Math.cos((index * Math.PI) / 16)));
/** 8 of the transform itself, 16 of the fraction of its samples. */
const TRANSFORM_SCALE = 128;
const SCALES = Float32Array.from(AAN.flatMap((down) => AAN.map((across) => TRANSFORM_SCALE * down * across)));

const BLOCK_SIDE = 8;
const APP0 = 0xe0;
/** "JFIF", version 1.1, an aspect ratio of 1:1 and no thumbnail. */
const JFIF = segment(APP0, [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]);

/** @returns undefined where there is no memory for it */
export function encodeJpeg(
  codec: JpegCodec,
  { data, width, height, bands }: JpegSource,
  { quality, sampling, trellis, coding }: JpegSettings,
): Uint8Array | undefined {
  const { run } = codec;
  run.close();
  const [across, down] = bands === 1 ? SAMPLING['444'] : SAMPLING[sampling];
  const table = quantizationTable(quality);
  const tables = codec.place(new Uint8Array(Uint16Array.from([...table, ...table]).buffer));
  const scales = codec.place(new Uint8Array(SCALES.buffer));
  const rows = BLOCK_SIDE * down;
  const pitch = width * bands;
  const strip = codec.reserve(rows * pitch);
  if (tables === undefined || scales === undefined || strip === undefined) return undefined;
  if (run.startEncoding(width, height, bands, across, down, tables, scales, trellis ? 1 : 0) !== OK) return undefined;
  for (let row = 0; row < height; row += rows) {
    const count = Math.min(rows, height - row);
    codec.bytes(strip, count * pitch).set(data.subarray(row * pitch, (row + count) * pitch));
    run.encodeRows(strip, pitch, count);
  }
  return writeJpeg(codec, [JFIF], coding);
}
