/** Starts a codec of the @cornerstonejs packages: one instance per worker, on first use. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { instantiateTracked } from './memory.ts';

const require = createRequire(import.meta.url);

/** The members of their decoder classes that are used here. */
export interface CornerstoneDecoder {
  /** Memory of the codec to put the encoded bytes into. */
  getEncodedBuffer(bytes: number): Uint8Array;
  /** Throws, or answers nothing below, where the bytes cannot be decoded. */
  decode(): void;
  getFrameInfo(): { width: number; height: number; bitsPerSample: number; componentCount: number };
  /** A copy: bytes, or little-endian words where samples have more than 8 bits. */
  getDecodedBuffer(): Uint8ClampedArray;
  /** JPEG-LS only. 0: one component after the other; else pixel by pixel. */
  getInterleaveMode?(): number;
  delete(): void;
}

export interface ExpectedPicture {
  width: number;
  height: number;
  components: number;
  precision: number;
}

type Codec = Record<string, new () => CornerstoneDecoder>;

export interface DecodedByCornerstone {
  /** Right-aligned; undefined unless it is exactly the picture that the header has promised. */
  values: Uint8Array | Uint16Array | undefined;
  /** Of several components, one comes after the other. */
  planar: boolean;
  /** Why decoding did not come to its end. */
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

  async decode(bytes: Uint8Array, expected: ExpectedPicture): Promise<DecodedByCornerstone> {
    this.#codec ??= this.#load();
    const Decoder = (await this.#codec)[this.#decoderName]!;
    try {
      const decoder = new Decoder();
      decoder.getEncodedBuffer(bytes.length).set(bytes);
      const failure = attempt(() => decoder.decode());
      // An exception leaves the codec's stack where it was thrown, and a few hundred of them leave none; a trap leaves
      // anything.
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
    const module = await WebAssembly.compile(await readFile(require.resolve(`${this.#packageName}/decodewasm`)));
    const create = require(`${this.#packageName}/decodewasmjs`) as (options: object) => Promise<Codec>;
    // They print what they do; failures also arrive as exceptions or as a missing picture.
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

function takeSamples(decoder: CornerstoneDecoder, expected: ExpectedPicture): Uint8Array | Uint16Array | undefined {
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
