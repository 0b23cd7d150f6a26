/** Minimal encoders of frames, so that the test files do not come from the decoder's own library. */

/** RLE Lossless (PS3.5, annex G): one segment for each byte of each sample, the high byte first. */
export function encodeRle(planes: readonly Uint8Array[]): Uint8Array {
  const segments = planes.map((plane) => {
    const packed = packBits(plane);
    return packed.length % 2 === 0 ? packed : Buffer.concat([packed, Buffer.of(0)]);
  });
  const header = Buffer.alloc(64);
  header.writeUInt32LE(segments.length, 0);
  let at = header.length;
  for (const [index, segment] of segments.entries()) {
    header.writeUInt32LE(at, 4 + index * 4);
    at += segment.length;
  }
  return Buffer.concat([header, ...segments]);
}

function packBits(bytes: Uint8Array): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    let end = at + 1;
    while (end < bytes.length && end - at < 128 && bytes[end] === bytes[at]) end++;
    if (end - at > 1) {
      packets.push(Buffer.of(257 - (end - at), bytes[at]!));
    } else {
      while (end < bytes.length && end - at < 128 && bytes[end] !== bytes[end - 1]) end++;
      packets.push(Buffer.of(end - at - 1), Buffer.from(bytes.subarray(at, end)));
    }
    at = end;
  }
  return Buffer.concat(packets);
}

/** Writes entropy-coded bits, the highest first, with a zero byte after each byte of ones. */
class BitWriter {
  readonly #bytes: number[] = [];
  #bits = 0;
  #count = 0;

  put(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#bits = (this.#bits << 1) | ((value >> bit) & 1);
      if (++this.#count === 8) this.#flushByte();
    }
  }

  /** Fills the last byte with ones. */
  align(): void {
    while (this.#count > 0) this.put(1, 1);
  }

  marker(code: number): void {
    this.align();
    this.#bytes.push(0xff, code);
  }

  get bytes(): Buffer {
    return Buffer.from(this.#bytes);
  }

  #flushByte(): void {
    this.#bytes.push(this.#bits);
    if (this.#bits === 0xff) this.#bytes.push(0);
    this.#bits = 0;
    this.#count = 0;
  }
}

/** Every value from 0 to 16 has a 5-bit code: no other code is as short, and no code is all ones. */
const FLAT_CODES = Array.from({ length: 17 }, (_, value) => value);
const FLAT_CODE_BITS = 5;

function segment(marker: number, ...bytes: number[]): Buffer {
  const length = bytes.length + 2;
  return Buffer.from([0xff, marker, length >> 8, length & 0xff, ...bytes]);
}

const flatTable = (kind: number): Buffer => {
  const counts = Array<number>(16).fill(0);
  counts[FLAT_CODE_BITS - 1] = FLAT_CODES.length;
  return segment(0xc4, kind, ...counts, ...FLAT_CODES);
};

/** Encodes a difference as its size and its bits (ITU-T T.81, F.1.2.1). */
function putDifference(bits: BitWriter, difference: number): void {
  const size = 32 - Math.clz32(Math.abs(difference));
  bits.put(size, FLAT_CODE_BITS);
  // The largest size has no bits of its own (table H.2).
  if (size < 16) bits.put(difference < 0 ? difference + (1 << size) - 1 : difference, size);
}

export interface JpegOptions {
  width: number;
  height: number;
  components: number;
  precision: number;
  /** Predictor of the lossless process, 1 to 7. */
  predictor?: number;
  /** Number of low bits that are dropped (the point transform). */
  low?: number;
  /** Number of lines (lossless) or blocks (sequential) between restart markers. */
  restart?: number;
  /** Whether each component has its own scan. */
  separate?: boolean;
}

/** Encodes lossless JPEG (ITU-T T.81, annex H). */
export function encodeLossless(samples: ArrayLike<number>, options: JpegOptions): Uint8Array {
  const { width, height, components, precision, predictor = 1, low = 0, restart = 0, separate = false } = options;
  const everyComponent = Array.from({ length: components }, (_, index) => index);
  const at = (x: number, y: number, component: number) => samples[(y * width + x) * components + component]! >> low;

  const predicted = (x: number, y: number, component: number, firstLine: boolean): number => {
    if (x === 0 && firstLine) return 1 << (precision - low - 1);
    if (firstLine) return at(x - 1, y, component);
    if (x === 0) return at(x, y - 1, component);
    const [a, b, c] = [at(x - 1, y, component), at(x, y - 1, component), at(x - 1, y - 1, component)];
    return [a, a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1), (a + b) >> 1][predictor]!;
  };
  const scan = (own: number[]): Buffer => {
    const bits = new BitWriter();
    for (let y = 0; y < height; y++) {
      const restarts = restart > 0 && y > 0 && y % restart === 0;
      if (restarts) bits.marker(0xd0 + ((y / restart - 1) & 7));
      for (let x = 0; x < width; x++) {
        for (const component of own) {
          const difference = at(x, y, component) - predicted(x, y, component, y === 0 || restarts);
          // Wraps modulo 2^16 to -32767..32768.
          const wrapped = ((difference + 32_767) & 0xffff) - 32_767;
          putDifference(bits, wrapped);
        }
      }
    }
    bits.align();
    const header = segment(0xda, own.length, ...own.flatMap((component) => [component + 1, 0]), predictor, 0, low);
    return Buffer.concat([header, bits.bytes]);
  };
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(
      0xc3,
      precision,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      components,
      ...everyComponent.flatMap((component) => [component + 1, 0x11, 0]),
    ),
    flatTable(0x00),
    ...(restart > 0 ? [segment(0xdd, (restart * width) >> 8, (restart * width) & 255)] : []),
    ...(separate ? everyComponent.map((component) => scan([component])) : [scan(everyComponent)]),
    Buffer.of(0xff, 0xd9),
  ]);
}

/**
 * Encodes JPEG with a sequential DCT (ITU-T T.81, annex F). All quantization steps are 1; all components have one size.
 */
export function encodeSequential(samples: ArrayLike<number>, options: JpegOptions): Uint8Array {
  const { width, height, components, precision, restart = 0 } = options;
  const bits = new BitWriter();
  const last = Array<number>(components).fill(0);
  const across = Math.ceil(width / 8);
  const blocks = across * Math.ceil(height / 8);
  for (let block = 0; block < blocks; block++) {
    if (restart > 0 && block > 0 && block % restart === 0) {
      bits.marker(0xd0 + ((block / restart - 1) & 7));
      last.fill(0);
    }
    for (let component = 0; component < components; component++) {
      const coefficients = transform((x, y) => {
        const column = Math.min(width - 1, (block % across) * 8 + x);
        const row = Math.min(height - 1, Math.floor(block / across) * 8 + y);
        return samples[(row * width + column) * components + component]! - (1 << (precision - 1));
      });
      putDifference(bits, coefficients[0]! - last[component]!);
      last[component] = coefficients[0]!;
      putCoefficients(bits, coefficients.slice(1));
    }
  }
  bits.align();
  const everyComponent = Array.from({ length: components }, (_, index) => index);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    segment(0xdb, 0, ...Array<number>(64).fill(1)),
    segment(
      0xc1,
      precision,
      height >> 8,
      height & 255,
      width >> 8,
      width & 255,
      components,
      ...everyComponent.flatMap((component) => [component + 1, 0x11, 0]),
    ),
    flatTable(0x00),
    runTable(),
    ...(restart > 0 ? [segment(0xdd, restart >> 8, restart & 255)] : []),
    segment(0xda, components, ...everyComponent.flatMap((component) => [component + 1, 0]), 0, 63, 0),
    bits.bytes,
    Buffer.of(0xff, 0xd9),
  ]);
}

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;
/** 8-bit codes for every run of up to 15 zeros before a coefficient of 1 to 15 bits. */
const RUNS = [
  END_OF_BLOCK,
  SIXTEEN_ZEROS,
  ...Array.from({ length: 16 * 15 }, (_, index) => (Math.floor(index / 15) << 4) | ((index % 15) + 1)),
];

function runTable(): Buffer {
  const counts = Array<number>(16).fill(0);
  counts[7] = RUNS.length;
  return segment(0xc4, 0x10, ...counts, ...RUNS);
}

function putCoefficients(bits: BitWriter, coefficients: readonly number[]): void {
  let zeros = 0;
  for (const coefficient of coefficients) {
    if (coefficient === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16) bits.put(RUNS.indexOf(SIXTEEN_ZEROS), 8);
    const size = 32 - Math.clz32(Math.abs(coefficient));
    bits.put(RUNS.indexOf((zeros << 4) | size), 8);
    bits.put(coefficient < 0 ? coefficient + (1 << size) - 1 : coefficient, size);
    zeros = 0;
  }
  if (zeros > 0) bits.put(RUNS.indexOf(END_OF_BLOCK), 8);
}

/** Computes the forward transform of A.3.3, in the zigzag order of figure A.6. */
function transform(sample: (x: number, y: number) => number): number[] {
  const block = Array.from({ length: 64 }, (_, index) => sample(index % 8, index >> 3));
  const cosine = (position: number, frequency: number) => Math.cos(((2 * position + 1) * frequency * Math.PI) / 16);
  const coefficient = (u: number, v: number): number => {
    let sum = 0;
    for (const [index, value] of block.entries()) sum += value * cosine(index % 8, u) * cosine(index >> 3, v);
    return Math.round(((u === 0 ? Math.SQRT1_2 : 1) * (v === 0 ? Math.SQRT1_2 : 1) * sum) / 4);
  };
  const order = Array.from({ length: 64 }, (_, index) => ({ u: index % 8, v: index >> 3 })).sort(
    (a, b) => a.u + a.v - (b.u + b.v) || ((a.u + a.v) % 2 === 0 ? a.u - b.u : a.v - b.v),
  );
  return order.map(({ u, v }) => coefficient(u, v));
}
