/** Pixels to JPEG files. */
import type { Address } from '../codec-module.ts';
import { RowStrips } from '../row-strips.ts';
import { type JpegCodec, OK } from './codec.ts';
import { type QuantizationTables, quantizationTables } from './quantization.ts';
import type { Effort } from './scan-script.ts';
import { JFIF, RowWriter, writeJpeg } from './write.ts';

export interface JpegSize {
  width: number;
  height: number;
  /** Grey or RGB. */
  bands: 1 | 3;
}

export interface JpegSource extends JpegSize {
  /** Rows of pixels from the top, `bands` bytes each. */
  data: Uint8Array;
}

export interface JpegSettings {
  /** 1 to 100, as libjpeg counts it. */
  quality: number;
  /** Default: those of the quality. */
  tables?: QuantizationTables;
  /** Resolution of luma to that of colour: 4:4:4, 4:2:2 or 4:2:0. */
  sampling: '444' | '422' | '420';
  /** Choose coefficients by what they cost and what they are good for, not by rounding alone. */
  trellis: boolean;
  /** How the coefficients are written where all of them are held; else sequentially. */
  coding: Effort;
  /** Of coefficients. Default: `MAX_HELD_BYTES`. */
  maxHeldBytes?: number;
}

/** Samples of luma to one of colour, across and down. */
const SAMPLING = { '444': [1, 1], '422': [2, 1], '420': [2, 2] } as const;

/** Scale factors of the transform in assembly/forward.ts: 1, and 2 cos(kπ/16) / √2 = √2 cos(kπ/16). */
const AAN = Array.from({ length: 8 }, (_, index) => (index === 0 ? 1 : Math.SQRT2 * Math.cos((index * Math.PI) / 16)));
/** 8 of the transform itself, 16 of the fraction of its samples. */
const TRANSFORM_SCALE = 128;
const SCALES = Float32Array.from(AAN.flatMap((down) => AAN.map((across) => TRANSFORM_SCALE * down * across)));

const BLOCK_SIDE = 8;
/** What is held of a block at most: its record and 63 values (assembly/sparse.ts). */
const BLOCK_BYTES = 40 + 63 * 2;

/**
 * What is held of coefficients at a time, in bytes, were none of them zero. Up to it a file has the Huffman tables that suit it best, and may be
 * progressive.
 */
export const MAX_HELD_BYTES = 192 * 2 ** 20;

/** How an image passes through, in rows of MCUs. */
interface Rows {
  coding: Effort;
  /** Whose coefficients are held. */
  rows: number;
  /** The pixels of one. */
  strip: Address;
  stripRows: number;
  writer: RowWriter | undefined;
}

/** Encodes an image row by row, as its pixels come. */
export class JpegEncoder {
  readonly #codec: JpegCodec;
  readonly #coding: Effort;
  /** Of a row, in bytes. */
  readonly #pitch: number;
  /** The pixels of a row of MCUs. */
  readonly #strip: Address;
  readonly #strips: RowStrips;
  readonly #rowsHeld: number;
  /** Where not all of them are. */
  readonly #writer: RowWriter | undefined;
  #rows = 0;
  #isOutOfMemory = false;

  /**
   * The codec is busy until the end.
   * @returns undefined where there is no memory for it
   */
  static start(
    codec: JpegCodec,
    size: JpegSize,
    {
      quality,
      tables: steps = quantizationTables(quality),
      sampling,
      trellis,
      coding,
      maxHeldBytes = MAX_HELD_BYTES,
    }: JpegSettings,
  ): JpegEncoder | undefined {
    const { run } = codec;
    const { width, height, bands } = size;
    run.close();
    const [across, down] = bands === 1 ? SAMPLING['444'] : SAMPLING[sampling];
    const { luma, colour } = steps;
    const tables = codec.place(new Uint8Array(Uint16Array.from([...luma, ...colour]).buffer));
    const scales = codec.place(new Uint8Array(SCALES.buffer));
    const strip = codec.reserve(BLOCK_SIDE * down * width * bands);
    if (tables === undefined || scales === undefined || strip === undefined) return undefined;
    const blocks = Math.ceil(width / (BLOCK_SIDE * across)) * (across * down + bands - 1);
    const rows = Math.min(height, Math.max(1, Math.floor(maxHeldBytes / (blocks * BLOCK_BYTES))));
    const status = run.startEncoding(width, height, bands, across, down, tables, scales, trellis ? 1 : 0, rows);
    if (status !== OK) return undefined;
    const stripRows = BLOCK_SIDE * down;
    const writer = rows * stripRows < height ? RowWriter.start(codec, [JFIF]) : undefined;
    if (rows * stripRows < height && !writer) return undefined;
    return new JpegEncoder(codec, size, { coding, rows, strip, stripRows, writer });
  }

  private constructor(
    codec: JpegCodec,
    { width, height, bands }: JpegSize,
    { coding, rows, strip, stripRows, writer }: Rows,
  ) {
    this.#writer = writer;
    this.#codec = codec;
    this.#coding = coding;
    this.#pitch = width * bands;
    this.#strip = strip;
    const layout = { pitch: this.#pitch, height, rows: stripRows };
    this.#strips = new RowStrips((at, count) => codec.bytes(at, count), strip, layout);
    this.#rowsHeld = rows;
  }

  /** @param data any number of bytes that follow those before */
  push(data: Uint8Array): void {
    this.#strips.push(data, (rows) => this.#encode(rows));
  }

  #encode(count: number): void {
    if (this.#isOutOfMemory) return;
    const { run } = this.#codec;
    if (this.#rows > 0 && this.#rows % this.#rowsHeld === 0) {
      this.#writer?.write();
      run.nextRows();
    }
    if (run.encodeRows(this.#strip, this.#pitch, count) !== OK) this.#isOutOfMemory = true;
    this.#rows += 1;
  }

  /**
   * To be called when all pixels have come.
   * @returns the file; undefined where there is no memory for it
   */
  finish(): Uint8Array | undefined {
    if (this.#isOutOfMemory) return undefined;
    if (!this.#writer) return writeJpeg(this.#codec, [JFIF], this.#coding);
    this.#writer.write();
    return this.#writer.finish();
  }
}

/** @returns undefined where there is no memory for it */
export function encodeJpeg(codec: JpegCodec, source: JpegSource, settings: JpegSettings): Uint8Array | undefined {
  const encoder = JpegEncoder.start(codec, source, settings);
  encoder?.push(source.data);
  return encoder?.finish();
}
