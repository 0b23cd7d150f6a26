/** Encodes pixels as JPEG files. */
import type { Size } from '../../base/geometry.ts';
import type { Address } from '../codec-module.ts';
import { RowStrips } from '../row-strips.ts';
import { type JpegCodec, OK } from './codec.ts';
import { MAX_HELD_BYTES } from './memory.ts';
import { type QuantizationTables, quantizationTables } from './quantization.ts';
import type { Effort } from './scan-script.ts';
import { JFIF, RowWriter, writeJpeg } from './write.ts';

export interface JpegSize extends Size {
  /** Grey or RGB. */
  bands: 1 | 3;
}

export interface JpegSource extends JpegSize {
  /** Rows of pixels from the top, `bands` bytes per pixel. */
  data: Uint8Array;
}

export interface JpegSettings {
  /** 1 to 100, on the scale of libjpeg. */
  quality: number;
  /** Default: the tables of the quality. */
  tables?: QuantizationTables;
  /** Chroma subsampling: 4:4:4, 4:2:2 or 4:2:0. */
  sampling: '444' | '422' | '420';
  /** Choose coefficients by their cost and benefit, not only by rounding. */
  trellis: boolean;
  /** How the coefficients are written if all of them are kept; otherwise sequential coding is used. */
  coding: Effort;
  /** Limit for kept coefficients. Default: `MAX_HELD_BYTES`. */
  maxHeldBytes?: number;
}

/** Luma samples per chroma sample, horizontally and vertically. */
const SAMPLING = { '444': [1, 1], '422': [2, 1], '420': [2, 2] } as const;

/** Scale factors of the transform in assembly/forward.ts: 1, and 2 cos(kπ/16) / √2 = √2 cos(kπ/16). */
const AAN = Array.from({ length: 8 }, (_, index) => (index === 0 ? 1 : Math.SQRT2 * Math.cos((index * Math.PI) / 16)));
/** 8 of the transform itself, 16 of the fraction of its samples. */
const TRANSFORM_SCALE = 128;
const SCALES = Float32Array.from(AAN.flatMap((down) => AAN.map((across) => TRANSFORM_SCALE * down * across)));

const BLOCK_SIDE = 8;
/** Largest memory for a block: its record and 63 values (assembly/sparse.ts). */
const BLOCK_BYTES = 40 + 63 * 2;

/** How an image is encoded, in rows of MCUs. */
interface Rows {
  coding: Effort;
  /** Number of rows whose coefficients are kept. */
  rows: number;
  /** The pixels of one row of MCUs. */
  strip: Address;
  stripRows: number;
  writer: RowWriter | undefined;
}

/** Encodes an image row by row, as its pixels arrive. */
export class JpegEncoder {
  readonly #codec: JpegCodec;
  readonly #coding: Effort;
  /** Bytes per row of pixels. */
  readonly #pitch: number;
  /** The pixels of a row of MCUs. */
  readonly #strip: Address;
  readonly #strips: RowStrips;
  readonly #rowsHeld: number;
  /** Set if not all rows of MCUs are kept. */
  readonly #writer: RowWriter | undefined;
  #rows = 0;
  #isOutOfMemory = false;

  /**
   * Starts encoding. Uses the codec until the file is finished.
   * @returns undefined if there is not enough memory
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

  /** @param data any number of bytes, following the previous ones */
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
   * Returns the file. Call it when all pixels have been pushed.
   * @returns undefined if there is not enough memory
   */
  finish(): Uint8Array | undefined {
    if (this.#isOutOfMemory) return undefined;
    if (!this.#writer) return writeJpeg(this.#codec, [JFIF], this.#coding);
    this.#writer.write();
    return this.#writer.finish();
  }
}

/**
 * Encodes a whole image.
 * @returns undefined if there is not enough memory
 */
export function encodeJpeg(codec: JpegCodec, source: JpegSource, settings: JpegSettings): Uint8Array | undefined {
  const encoder = JpegEncoder.start(codec, source, settings);
  encoder?.push(source.data);
  return encoder?.finish();
}
