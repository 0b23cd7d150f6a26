/** Decodes JPEG 2000 and High-Throughput JPEG 2000 with OpenJPEG. Worker side; the codec is loaded on first use. */
import type { Size } from '../../../base/geometry.ts';
import { CornerstoneCodec } from '../../cornerstone-codec.ts';
import { corruptImage } from '../../errors.ts';
import { concat, Reader, uint16 } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';

const openJpeg = new CornerstoneCodec('@cornerstonejs/codec-openjpeg', 'J2KDecoder');

/** Markers of ITU-T T.800, annex A. */
const SOC = 0xff4f;
const SIZ = 0xff51;
const COD = 0xff52;
const SOT = 0xff90;
const EOC = 0xffd9;
const CODE_STREAM_BOX = 0x6a703263; // jp2c
const SIGNATURE_BOX_BYTES = 12;
const MAIN_HEADER_AT = 2;
const COMPONENT_AT = 38;
const SIGN_BIT = 0x80;

export interface CodeStream extends Size {
  bytes: Uint8Array;
  components: number;
  precision: number;
  signed: boolean;
  /** The colours were transformed before coding, which the decoder undoes. */
  colourTransform: boolean;
  /** Offset of the first tile part. */
  tilesAt: number;
}

export interface Jpeg2000Samples {
  /** Interleaved bits of the samples, right-aligned; negative ones as two's complement of `precision` bits. */
  values: Uint8Array | Uint16Array;
  truncated: boolean;
}

/** Whether the bytes start like a codestream, or like a JP2 file, whose boxes some writers keep. */
export function isJpeg2000(bytes: Uint8Array): boolean {
  if (bytes.length < SIGNATURE_BOX_BYTES) return false;
  const reader = new Reader(bytes, FORMATS.dicom.name);
  return reader.u16(0) === SOC || (reader.u32(0) === SIGNATURE_BOX_BYTES && reader.text(4, 4) === 'jP  ');
}

/**
 * Reads the main header of a frame.
 * @throws Failure `corrupt_image`, also for what OpenJPEG's interface returns wrongly: subsampled components,
 *   components of different depth, an image that does not start at the origin
 */
export function readCodeStream(frame: Uint8Array): CodeStream {
  const bytes = unbox(frame);
  const reader = new Reader(bytes, FORMATS.dicom.name);
  if (reader.u16(0) !== SOC || reader.u16(MAIN_HEADER_AT) !== SIZ) throw corruptImage(FORMATS.dicom.name, 'no SIZ');
  // Offsets in the SIZ segment, counted from its length field.
  const siz = MAIN_HEADER_AT + 2;
  const [width, height] = [reader.u32(siz + 4), reader.u32(siz + 8)];
  const origin = reader.u32(siz + 12) + reader.u32(siz + 16);
  const components = reader.u16(siz + COMPONENT_AT - 2);
  const depth = reader.u8(siz + COMPONENT_AT);
  for (let component = 0; component < components; component++) {
    const at = siz + COMPONENT_AT + component * 3;
    if (reader.u8(at) !== depth || reader.u8(at + 1) !== 1 || reader.u8(at + 2) !== 1) {
      throw corruptImage(FORMATS.dicom.name, 'components that differ');
    }
  }
  if (origin !== 0 || width === 0 || height === 0) throw corruptImage(FORMATS.dicom.name, 'an image off the origin');

  let colourTransform = false;
  let at = MAIN_HEADER_AT;
  for (; reader.u16(at) !== SOT; at += 2 + Math.max(2, reader.u16(at + 2))) {
    if (reader.u16(at) === COD) colourTransform = reader.u8(at + 8) === 1;
  }
  const precision = (depth & ~SIGN_BIT) + 1;
  return { bytes, width, height, components, precision, signed: depth >= SIGN_BIT, colourTransform, tilesAt: at };
}

function unbox(frame: Uint8Array): Uint8Array {
  const reader = new Reader(frame, FORMATS.dicom.name);
  if (reader.u16(0) === SOC) return frame;
  for (let at = 0; at + 8 <= frame.length; ) {
    const length = reader.u32(at);
    const header = length === 1 ? 16 : 8;
    if (reader.u32(at + 4) === CODE_STREAM_BOX) return frame.subarray(at + header);
    if (length === 0) break;
    at += Math.max(header, length === 1 ? reader.u64(at + 8) : length);
  }
  throw corruptImage(FORMATS.dicom.name, 'no code stream');
}

/**
 * Decodes a codestream.
 * @param stream codestream whose size has been checked, with 1 component, or 3 of at most 8 bits
 * @throws Failure `corrupt_image`
 */
export async function decodeJpeg2000(stream: CodeStream): Promise<Jpeg2000Samples> {
  const { bytes, truncated } = complete(stream);
  if (stream.signed) {
    // OpenJPEG's interface clips negative 8-bit samples. When declared unsigned, all samples are shifted by half the
    // range.
    for (let component = 0; component < stream.components; component++) {
      bytes[MAIN_HEADER_AT + 2 + COMPONENT_AT + component * 3]! &= ~SIGN_BIT;
    }
  }
  const { values, failure } = await openJpeg.decode(bytes, stream);
  if (!values) throw corruptImage(FORMATS.dicom.name, failure?.cause ?? 'OpenJPEG decoded nothing');
  if (stream.signed) {
    const half = 1 << (stream.precision - 1);
    for (let index = 0; index < values.length; index++) values[index]! ^= half;
  }
  return { values, truncated };
}

/**
 * Copies the codestream. A truncated one is padded with zeros, which are empty packets, because OpenJPEG refuses a tile
 * part that is shorter than declared.
 */
function complete({ bytes, width, height, components, precision, tilesAt }: CodeStream) {
  const reader = new Reader(bytes, FORMATS.dicom.name);
  let at = tilesAt;
  while (at + 12 <= bytes.length && reader.u16(at) === SOT) {
    const length = reader.u32(at + 6);
    // 0 means up to the end.
    if (length === 0) return { bytes: new Uint8Array(bytes), truncated: false };
    at += Math.max(12, length);
  }
  const missing = at - bytes.length;
  if (missing <= 0) return { bytes: new Uint8Array(bytes), truncated: false };
  const raw = width * height * components * Math.ceil(precision / 8);
  if (missing > raw) throw corruptImage(FORMATS.dicom.name, `a tile part of ${missing} more bytes`);
  return { bytes: concat([bytes, new Uint8Array(missing), uint16(EOC)]), truncated: true };
}
