/** Writes small DICOM files element by element, by PS3.5, section 7 and PS3.10, section 7. */
import { deflateRawSync } from 'node:zlib';

/** One element: group and element number in one integer, VR, value. Items of a sequence are lists of elements. */
export type TestElement = [
  tag: number,
  vr: string,
  value: number | readonly number[] | string | Uint8Array | TestElement[][],
];

export interface Encoding {
  uid: string;
  littleEndian: boolean;
  explicit: boolean;
  /** Whether sequences and items end with a delimiter instead of declaring their length. */
  undefinedLengths?: boolean;
}

export const IMPLICIT: Encoding = { uid: '1.2.840.10008.1.2', littleEndian: true, explicit: false };
export const EXPLICIT: Encoding = { uid: '1.2.840.10008.1.2.1', littleEndian: true, explicit: true };
export const BIG_ENDIAN: Encoding = { uid: '1.2.840.10008.1.2.2', littleEndian: false, explicit: true };
export const DEFLATED: Encoding = { ...EXPLICIT, uid: '1.2.840.10008.1.2.1.99' };
/** Explicit VR, little-endian, with compressed frames. */
export const coded = (suffix: string): Encoding => ({ ...EXPLICIT, uid: `1.2.840.10008.1.2.${suffix}` });

const LONG = new Set(['OB', 'OD', 'OF', 'OV', 'OW', 'SQ', 'UN']);
const UNDEFINED = 0xffffffff;
export const SOP_CLASS = '1.2.840.10008.5.1.4.1.1.7';

class Writer {
  readonly #encoding: Encoding;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
  }

  u16(value: number): Buffer {
    const bytes = Buffer.alloc(2);
    if (this.#encoding.littleEndian) bytes.writeUInt16LE(value & 0xffff);
    else bytes.writeUInt16BE(value & 0xffff);
    return bytes;
  }

  u32(value: number): Buffer {
    const bytes = Buffer.alloc(4);
    if (this.#encoding.littleEndian) bytes.writeUInt32LE(value >>> 0);
    else bytes.writeUInt32BE(value >>> 0);
    return bytes;
  }

  header(tag: number, vr: string, length: number): Buffer {
    const name = [this.u16(tag >>> 16), this.u16(tag)];
    if (!this.#encoding.explicit || vr === '') return Buffer.concat([...name, this.u32(length)]);
    const size = LONG.has(vr) ? [this.u16(0), this.u32(length)] : [this.u16(length)];
    return Buffer.concat([...name, Buffer.from(vr, 'latin1'), ...size]);
  }

  element([tag, vr, value]: TestElement): Buffer {
    if (vr === 'SQ') return this.sequence(tag, value as TestElement[][]);
    const bytes = this.value(vr, value as Exclude<TestElement[2], TestElement[][]>);
    return Buffer.concat([this.header(tag, vr, bytes.length), bytes]);
  }

  elements(elements: readonly TestElement[]): Buffer {
    return Buffer.concat(elements.map((element) => this.element(element)));
  }

  sequence(tag: number, items: TestElement[][]): Buffer {
    const open = this.#encoding.undefinedLengths;
    const content = items.map((elements) => {
      const bytes = this.elements(elements);
      if (!open) return Buffer.concat([this.header(0xfffee000, '', bytes.length), bytes]);
      return Buffer.concat([this.header(0xfffee000, '', UNDEFINED), bytes, this.header(0xfffee00d, '', 0)]);
    });
    const bytes = Buffer.concat(content);
    if (!open) return Buffer.concat([this.header(tag, 'SQ', bytes.length), bytes]);
    return Buffer.concat([this.header(tag, 'SQ', UNDEFINED), bytes, this.header(0xfffee0dd, '', 0)]);
  }

  private value(vr: string, value: number | readonly number[] | string | Uint8Array): Buffer {
    if (typeof value === 'string') return even(Buffer.from(value, 'latin1'), vr === 'UI' ? 0 : 0x20);
    if (value instanceof Uint8Array) return even(Buffer.from(value), 0);
    const numbers = typeof value === 'number' ? [value] : value;
    return Buffer.concat(numbers.map((number) => (vr === 'UL' || vr === 'SL' ? this.u32(number) : this.u16(number))));
  }
}

function even(bytes: Buffer, padding: number): Buffer {
  return bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.of(padding)]);
}

export interface FileParts {
  preamble?: boolean;
  meta?: boolean;
}

/** Writes a file of these elements, which must be in the order of their tags. */
export function dicomFile(encoding: Encoding, elements: readonly TestElement[], parts: FileParts = {}): Uint8Array {
  const body = new Writer(encoding).elements([[0x00080016, 'UI', SOP_CLASS], ...elements]);
  const meta = new Writer(EXPLICIT);
  const information = meta.elements([
    [0x00020002, 'UI', SOP_CLASS],
    [0x00020010, 'UI', encoding.uid],
  ]);
  return Buffer.concat([
    ...(parts.preamble === false ? [] : [Buffer.alloc(128), Buffer.from('DICM')]),
    ...(parts.meta === false ? [] : [meta.element([0x00020000, 'UL', information.length]), information]),
    encoding === DEFLATED ? deflateRawSync(body) : body,
  ]);
}

export interface TestImage {
  width: number;
  height: number;
  photometric?: string;
  samples?: number;
  planar?: boolean;
  allocated?: number;
  stored?: number;
  highBit?: number;
  signed?: boolean;
  frames?: number;
  /** Further elements, with any tag below that of the pixels. */
  more?: readonly TestElement[];
  /** The value of the pixel data, or its fragments. */
  pixels: Uint8Array | { table: readonly number[]; fragments: readonly Uint8Array[] };
  vr?: string;
  pixelsTag?: number;
}

/** Writes a file with an image. Native pixels must already be in the encoding's byte order. */
export function dicomImage(encoding: Encoding, image: TestImage, parts: FileParts = {}): Uint8Array {
  const { width, height, samples = 1, allocated = 8 } = image;
  const stored = image.stored ?? allocated;
  const elements: TestElement[] = [
    [0x00080060, 'CS', 'OT'],
    [0x00280002, 'US', samples],
    [0x00280004, 'CS', image.photometric ?? (samples === 3 ? 'RGB' : 'MONOCHROME2')],
    ...(samples === 1 ? [] : ([[0x00280006, 'US', image.planar ? 1 : 0]] as TestElement[])),
    ...(image.frames === undefined ? [] : ([[0x00280008, 'IS', String(image.frames)]] as TestElement[])),
    [0x00280010, 'US', height],
    [0x00280011, 'US', width],
    [0x00280100, 'US', allocated],
    [0x00280101, 'US', stored],
    [0x00280102, 'US', image.highBit ?? stored - 1],
    [0x00280103, 'US', image.signed ? 1 : 0],
    ...(image.more ?? []),
  ];
  elements.sort(([a], [b]) => a - b);
  const tag = image.pixelsTag ?? 0x7fe00010;
  if (image.pixels instanceof Uint8Array) {
    return dicomFile(encoding, [...elements, [tag, image.vr ?? (allocated > 8 ? 'OW' : 'OB'), image.pixels]], parts);
  }
  return Buffer.concat([dicomFile(encoding, elements, parts), encapsulate(image.pixels)]);
}

/** Encapsulates pixel data in fragments (PS3.5, annex A.4). */
function encapsulate({ table, fragments }: Exclude<TestImage['pixels'], Uint8Array>): Buffer {
  const writer = new Writer(EXPLICIT);
  const items = [
    Buffer.concat(table.map((offset) => writer.u32(offset))),
    ...fragments.map((one) => even(Buffer.from(one), 0)),
  ];
  return Buffer.concat([
    writer.header(0x7fe00010, 'OB', UNDEFINED),
    ...items.flatMap((item) => [writer.header(0xfffee000, '', item.length), item]),
    writer.header(0xfffee0dd, '', 0),
  ]);
}

/** Writes 16-bit samples in the given byte order. */
export function words(values: ArrayLike<number>, littleEndian = true): Uint8Array {
  const writer = new Writer(littleEndian ? EXPLICIT : BIG_ENDIAN);
  return Buffer.concat(Array.from(values, (value) => writer.u16(value)));
}
