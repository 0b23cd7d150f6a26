/**
 * Decodes IW44: wavelet images, coded progressively over any number of chunks (DjVu 3 Specification, 2005, appendix 1).
 */
import type { Size } from '../../../base/geometry.ts';
import { imageTooLarge } from '../../errors.ts';
import type { Address, Kernels } from '../../kernels/kernels.ts';
import { viewOf } from '../../metadata/bytes.ts';
import type { Shrink } from '../../shrink.ts';
import { type Raster, reducedSize } from './raster.ts';
import { DELTA, LAMBDA, MU, THETA } from './zp-tables.ts';

export interface Iw44Header extends Size {
  grey: boolean;
  /** Number of slices before the first that contains colour. */
  chromaDelay: number;
  /** Whether colour is stored at half the size of brightness. */
  halfChroma: boolean;
}

const MAJOR_VERSION = 1;
const GREY = 0x80;
/** From this minor version on the header declares how colour is stored. */
const CHROMA_VERSION = 2;
const DEFAULT_CHROMA_DELAY = 10;
const CHUNK_HEADER = 2;

/** Reads the header in the first chunk of an image; undefined when it is not readable. */
export function readIw44Header(data: Uint8Array): Iw44Header | undefined {
  if (data.length < 8 || data[0] !== 0) return undefined;
  const view = viewOf(data);
  const [version, minor] = [data[2]!, data[3]!];
  const width = view.getUint16(4);
  const height = view.getUint16(6);
  if ((version & 0x7f) !== MAJOR_VERSION || width === 0 || height === 0) return undefined;
  const chroma = minor < CHROMA_VERSION ? undefined : data[8];
  return {
    width,
    height,
    grey: (version & GREY) !== 0,
    chromaDelay: chroma === undefined ? DEFAULT_CHROMA_DELAY : chroma & 0x7f,
    halfChroma: chroma !== undefined && (chroma & 0x80) === 0,
  };
}

/** Width and height of a block in pixels. */
const BLOCK = 32;
const COEFFICIENTS = BLOCK * BLOCK;
/** Bytes of a group of coefficients of a block. The first group has bands 0 to 6; bands 7, 8 and 9 have one each. */
const GROUP_BYTES = 512;
const FINE_GROUPS = 3;
/** Memory for all fine groups of an image: enough for 89 megapixels in colour without empty groups. */
const MAX_GROUPS_MIB = 512;
const MIB = 2 ** 20;

/** Initial step sizes (Table 3) of the 16 coefficients of band 0 and, below, of the bands. */
const FIRST_STEPS = [
  ...[0x4000, 0x8000, 0x8000, 0x10000],
  ...[0x10000, 0x10000, 0x10000, 0x10000],
  ...[0x10000, 0x10000, 0x10000, 0x10000],
  ...[0x20000, 0x20000, 0x20000, 0x20000],
];
const BAND_STEPS = [0, 0x20000, 0x20000, 0x40000, 0x40000, 0x40000, 0x80000, 0x40000, 0x40000, 0x80000];
const CONTEXT_BYTES = 98;

/** For each state of the coder: Δ, θ, then μ and λ. */
const STATES = Uint16Array.from({ length: DELTA.length * 4 }, (_, at) => {
  const state = at >> 2;
  return [DELTA[state]!, THETA[state]!, MU[state]! | (LAMBDA[state]! << 8), 0][at & 3]!;
});

/**
 * The column of each coefficient of a block, then the row of each. The bits of `n`, from the lowest up, are alternately
 * bits of the column and the row, from the highest down.
 */
const POSITIONS = new Uint8Array(2 * COEFFICIENTS);
for (let n = 0; n < COEFFICIENTS; n++) {
  for (let bit = 0; bit < 5; bit++) {
    POSITIONS[n]! |= ((n >> (2 * bit)) & 1) << (4 - bit);
    POSITIONS[COEFFICIENTS + n]! |= ((n >> (2 * bit + 1)) & 1) << (4 - bit);
  }
}

/**
 * Decodes an image from its chunks. The caller has checked that it is small enough to allocate.
 * @param kernels must not be in use: their memory is freed
 * @param header from the first chunk
 * @param reduction how many times smaller the result is; the finest wavelets are then not transformed
 * @throws Failure `image_too_large` when its coefficients take too much memory
 */
export function decodeIw44(
  kernels: Kernels,
  header: Iw44Header,
  chunks: readonly Uint8Array[],
  reduction: Shrink = 1,
): Raster & { truncated: boolean } {
  kernels.free();
  return new WaveletDecoder(kernels, header, reduction).decode(chunks);
}

/** The results of `decodeSlice`, by their number. */
const SLICE_RESULTS = ['complete', 'ends early', 'no room'] as const;

class WaveletDecoder {
  readonly #kernels: Kernels;
  readonly #header: Iw44Header;
  readonly #reduction: Shrink;
  /** Size of the result. */
  readonly #size: Size;
  readonly #blocksAcross: number;
  /** Brightness and, in colour images, two colour differences. */
  readonly #components: Address[];

  constructor(kernels: Kernels, header: Iw44Header, reduction: Shrink) {
    this.#kernels = kernels;
    this.#header = header;
    this.#reduction = reduction;
    this.#size = reducedSize(header, reduction);
    this.#blocksAcross = Math.ceil(header.width / BLOCK);
    const blocks = this.#blocksAcross * Math.ceil(header.height / BLOCK);
    this.#components = Array.from({ length: header.grey ? 1 : 3 }, () => this.#placeComponent(blocks));
  }

  decode(chunks: readonly Uint8Array[]): Raster & { truncated: boolean } {
    const kernels = this.#kernels;
    const { width, height } = this.#size;
    const states = kernels.place(STATES);
    const places = kernels.place(POSITIONS);
    const scratch = kernels.reserve(2 * 2 * width + 64);
    const plane = kernels.reserve(2 * width * (height + 1));
    const data = kernels.reserve(Math.max(0, ...chunks.map(({ length }) => length)));
    const rows = kernels.reserve(8 * width);
    const truncated = !this.#decodeSlices(chunks, states, data);

    const transform = (component: Address, reduction: number) =>
      kernels.run.transform(
        component,
        plane,
        this.#header.width,
        this.#header.height,
        this.#blocksAcross,
        places,
        scratch,
        reduction,
      );
    const [brightness, ...colours] = this.#components as [Address, ...Address[]];
    const samples = new Uint8Array(width * height * this.#components.length);
    for (const [at, colour] of colours.entries()) {
      const halved = this.#header.halfChroma && this.#reduction === 1;
      transform(colour, halved ? 2 : this.#reduction);
      this.#keepColour(samples, at, plane, rows, halved);
    }
    transform(brightness, this.#reduction);
    if (colours.length === 0) this.#writeGrey(samples, plane, rows);
    else this.#writeColour(samples, plane, rows);
    return { data: samples, width, height, channels: colours.length === 0 ? 1 : 3, truncated };
  }

  /** Allocates a component without coefficients, laid out as described in assembly/djvu.ts. */
  #placeComponent(blocks: number): Address {
    const kernels = this.#kernels;
    const zeros = (bytes: number) => {
      const start = kernels.reserve(bytes);
      kernels.bytes(start, bytes).fill(0);
      return start;
    };
    const coarse = zeros(blocks * GROUP_BYTES);
    const groups = zeros(blocks * FINE_GROUPS * Int32Array.BYTES_PER_ELEMENT);
    const fields = Int32Array.of(0, blocks, coarse, groups, ...FIRST_STEPS, ...BAND_STEPS);
    const component = zeros(fields.byteLength + CONTEXT_BYTES);
    kernels.bytes(component, fields.byteLength).set(new Uint8Array(fields.buffer));
    return component;
  }

  /** @returns false when the data are truncated or chunks are missing */
  #decodeSlices(chunks: readonly Uint8Array[], states: Address, data: Address): boolean {
    const { run } = this.#kernels;
    run.placeGroups(this.#kernels.end, MAX_GROUPS_MIB * MIB);
    let slice = 0;
    for (const [serial, chunk] of chunks.entries()) {
      if (chunk.length < CHUNK_HEADER || chunk[0] !== (serial & 0xff)) return false;
      const coded = chunk.subarray(serial > 0 ? CHUNK_HEADER : chunk[3]! < CHROMA_VERSION ? 8 : 9);
      this.#kernels.bytes(data, coded.length).set(coded);
      run.startStream(data, coded.length, states);
      for (const end = slice + chunk[1]!; slice < end; slice++) {
        for (const [at, component] of this.#components.entries()) {
          if (at > 0 && slice < this.#header.chromaDelay) break;
          const result = SLICE_RESULTS[run.decodeSlice(component)];
          if (result === 'ends early') return false;
          if (result === 'no room') throw imageTooLarge(`${MAX_GROUPS_MIB} MiB of DjVu wavelet coefficients`, 'more');
        }
      }
    }
    return true;
  }

  /**
   * Stores a colour difference in the buffer of the result, which saves memory. Row `y` of the first difference begins
   * at sample `2 y width`; that of the second follows it. The pixels overwrite them from the last row up.
   */
  #keepColour(samples: Uint8Array, at: number, plane: Address, row: Address, halved: boolean): void {
    const kernels = this.#kernels;
    const { width, height } = this.#size;
    const count = halved ? Math.ceil(width / 2) : width;
    for (let y = 0; y < height; y++) {
      const fromBottom = height - 1 - y;
      const from = plane + 2 * count * (halved ? fromBottom >> 1 : fromBottom);
      kernels.run.roundSamples(row, from, count, halved ? 1 : 0);
      samples.set(kernels.bytes(row, width), (2 * y + at) * width);
    }
  }

  #writeColour(samples: Uint8Array, plane: Address, rows: Address): void {
    const kernels = this.#kernels;
    const { width, height } = this.#size;
    const reds = rows + width;
    const rgb = rows + 3 * width;
    for (let y = height - 1; y >= 0; y--) {
      kernels.bytes(rows, 2 * width).set(samples.subarray(2 * y * width, 2 * (y + 1) * width));
      kernels.run.toRgb(rgb, plane + 2 * width * (height - 1 - y), rows, reds, width);
      samples.set(kernels.bytes(rgb, 3 * width), 3 * y * width);
    }
  }

  #writeGrey(samples: Uint8Array, plane: Address, row: Address): void {
    const kernels = this.#kernels;
    const { width, height } = this.#size;
    for (let y = 0; y < height; y++) {
      kernels.run.toGrey(row, plane + 2 * width * (height - 1 - y), width);
      samples.set(kernels.bytes(row, width), y * width);
    }
  }
}
