/** Runs a codec of the @cornerstonejs packages. Each worker has one instance, started on first use. */

import { createRequire } from 'node:module';
import type { Size } from '../base/geometry.ts';
import { dependencyModule, readDependency } from '../base/package-file.ts';
import { instantiateTracked } from './memory.ts';

const require = createRequire(import.meta.url);

/** The members of their decoder classes that are used here. */
export interface CornerstoneDecoder {
  /** Returns memory of the codec, into which the caller copies the encoded bytes. */
  getEncodedBuffer(bytes: number): Uint8Array;
  /** Throws on bytes that cannot be decoded, or leaves the results of the functions below empty. */
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  /** Returns a copy: bytes, or little-endian words if samples have more than 8 bits. */
  getDecodedBuffer(): Uint8ClampedArray;
  /** JPEG-LS only. 0: the components are stored one after the other. Any other value: pixel by pixel. */
  getInterleaveMode?(): number;
  delete(): void;
}

export interface ExpectedFrame extends Size {
  components: number;
  precision: number;
}

type Codec = Record<string, new () => CornerstoneDecoder>;

export interface DecodedByCornerstone {
  /** Right-aligned; undefined unless the size, components and depth match the header. */
  values: Uint8Array | Uint16Array | undefined;
  /** With several components: each is stored as a whole, one after the other. */
  planar: boolean;
  /** The error that ended decoding early. */
  failure: { cause: unknown } | undefined;
}

export class CornerstoneCodec {
  readonly #packageName: string;
  readonly #decoderName: string;
  #codec: Promise<Codec> | undefined;

  constructor(packageName: string, decoderName: string) {
    this.#packageName = packageName;
    this.#decoderName = decoderName;
  }

  async decode(bytes: Uint8Array, expected: ExpectedFrame): Promise<DecodedByCornerstone> {
    this.#codec ??= this.#load();
    const Decoder = (await this.#codec)[this.#decoderName]!;
    try {
      const decoder = new Decoder();
      decoder.getEncodedBuffer(bytes.length).set(bytes);
      const failure = attempt(() => decoder.decode());
      // An exception leaves the codec's stack pointer where it was; a few hundred of them use up the stack. A trap can
      // leave the codec in any state. So the next call starts a new codec.
      if (failure) this.#codec = undefined;
      const values = takeSamples(decoder, expected);
      const planar = expected.components > 1 && decoder.getInterleaveMode?.() === 0;
      if (!failure) decoder.delete();
      return { values, planar, failure };
    } catch (cause) {
      this.#codec = undefined;
      return { values: undefined, planar: false, failure: { cause } };
    }
  }

  async #load(): Promise<Codec> {
    const module = await WebAssembly.compile(await readDependency(`${this.#packageName}/decodewasm`));
    const create = require(dependencyModule(`${this.#packageName}/decodewasmjs`)) as (
      options: object,
    ) => Promise<Codec>;
    // The codecs print their progress. Failures also arrive as exceptions or as a missing image.
    return create({ print: () => {}, printErr: () => {}, instantiateWasm: instantiateTracked(module) });
  }
}

function attempt(work: () => void): { cause: unknown } | undefined {
  try {
    work();
    return undefined;
  } catch (cause) {
    return { cause };
  }
}

function takeSamples(decoder: CornerstoneDecoder, expected: ExpectedFrame): Uint8Array | Uint16Array | undefined {
  const { width, height, componentCount, bitsPerSample } = decoder.getFrameInfo();
  const samples = expected.width * expected.height * expected.components;
  const decoded = decoder.getDecodedBuffer();
  const fits =
    width === expected.width &&
    height === expected.height &&
    componentCount === expected.components &&
    bitsPerSample === expected.precision &&
    decoded.length === samples * (bitsPerSample > 8 ? 2 : 1);
  if (!fits) return undefined;
  return bitsPerSample > 8 ? new Uint16Array(decoded.buffer, 0, samples) : new Uint8Array(decoded.buffer, 0, samples);
}
