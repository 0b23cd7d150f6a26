/**
 * Converts the value of one tag of a TIFF directory to plain values (TIFF 6.0, section 2; CIPA DC-008, section 4.6).
 */
import type { Reader } from '../metadata/bytes.ts';
import { type Field, type TiffStream, TYPE } from '../metadata/directory.ts';
import { binary, guessText, LIMITS, type MetadataBudget, type MetadataValue, quotient, untilNull } from './plain.ts';

/** Longer arrays of bytes are data, not numbers worth reading. */
const MAX_BYTE_LIST = 16;
/** Longer lists of numbers are tables: curves, offsets, noise profiles. */
const MAX_NUMBER_LIST = 64;

interface NumberType {
  size: number;
  read(reader: Reader, at: number): number | null;
}

const signed = (value: number, bits: number) => (value >= 2 ** (bits - 1) ? value - 2 ** bits : value);
const viewAt = (reader: Reader, at: number, size: number) => {
  const bytes = reader.slice(at, size);
  return new DataView(bytes.buffer, bytes.byteOffset, size);
};
const finite = (value: number) => (Number.isFinite(value) ? value : null);

const NUMBERS: Readonly<Record<number, NumberType>> = {
  [TYPE.byte]: { size: 1, read: (reader, at) => reader.u8(at) },
  [TYPE.signedByte]: { size: 1, read: (reader, at) => signed(reader.u8(at), 8) },
  [TYPE.short]: { size: 2, read: (reader, at) => reader.u16(at) },
  [TYPE.signedShort]: { size: 2, read: (reader, at) => signed(reader.u16(at), 16) },
  [TYPE.long]: { size: 4, read: (reader, at) => reader.u32(at) },
  [TYPE.signedLong]: { size: 4, read: (reader, at) => signed(reader.u32(at), 32) },
  [TYPE.rational]: { size: 8, read: (reader, at) => quotient(reader.u32(at), reader.u32(at + 4)) },
  [TYPE.signedRational]: {
    size: 8,
    read: (reader, at) => quotient(signed(reader.u32(at), 32), signed(reader.u32(at + 4), 32)),
  },
  [TYPE.float]: {
    size: 4,
    read: (reader, at) => {
      const value = finite(viewAt(reader, at, 4).getFloat32(0, reader.littleEndian));
      return value === null ? null : Number(value.toPrecision(8));
    },
  },
  [TYPE.double]: { size: 8, read: (reader, at) => finite(viewAt(reader, at, 8).getFloat64(0, reader.littleEndian)) },
  [TYPE.long8]: { size: 8, read: (reader, at) => reader.u64(at) },
};

const TEXT: ReadonlySet<number> = new Set([TYPE.ascii, TYPE.utf8]);
const BYTES: ReadonlySet<number> = new Set([TYPE.byte, TYPE.signedByte]);

/** Returns up to `most` numbers of a field; none for text and data. @throws Failure `corrupt_image` */
export function numbersIn({ reader }: TiffStream, { type, count, at }: Field, most: number): (number | null)[] {
  const kind = NUMBERS[type];
  if (!kind) return [];
  return Array.from({ length: Math.min(count, most) }, (_, index) => kind.read(reader, at + index * kind.size));
}

/** Reads a field as text up to the first null, whatever its type. @throws Failure */
export const textIn = ({ reader }: TiffStream, { at, length }: Field): string =>
  guessText(untilNull(reader.slice(at, length)));

/**
 * Converts the value; undefined when it is empty or of an unknown type.
 * @throws Failure `corrupt_image` when it lies outside the stream
 */
export function plainValue(stream: TiffStream, field: Field, allowance: MetadataBudget): MetadataValue | undefined {
  const { type, count, length } = field;
  if (length === 0) return undefined;
  if (TEXT.has(type)) return allowance.text(textIn(stream, field)) || undefined;
  if (!(type in NUMBERS)) return binary(stream.reader.slice(field.at, length).length);
  if (count > (BYTES.has(type) ? MAX_BYTE_LIST : MAX_NUMBER_LIST)) return binary(length);
  const [first, ...rest] = numbersIn(stream, field, count);
  if (rest.length === 0) return first ?? undefined;
  return allowance.list([first ?? null, ...rest], (number) => number);
}

type Decode = (stream: TiffStream, field: Field, allowance: MetadataBudget) => MetadataValue | undefined;

const readText: Decode = (stream, field, allowance) => allowance.text(textIn(stream, field)) || undefined;

/** Decodes Windows' own tags: UTF-16 as bytes, little-endian in every stream. */
const readUtf16: Decode = ({ reader }, { at, length }, allowance) =>
  allowance.text(utf16(reader.slice(at, length), true)) || undefined;

const CODE_BYTES = 8;

/** Decodes text behind eight bytes that name its encoding (CIPA DC-008, section 4.6.6.3.2, UserComment). */
const asCodedText: Decode = ({ reader, littleEndian }, { at, length }, allowance) => {
  if (length <= CODE_BYTES) return undefined;
  const code = reader.text(at, CODE_BYTES);
  const bytes = reader.slice(at + CODE_BYTES, length - CODE_BYTES);
  if (!code.startsWith('UNICODE')) return allowance.text(guessText(untilNull(bytes))) || undefined;
  return allowance.text(utf16(bytes, littleEndian)) || undefined;
};

/** Twice the length of the longest text that is returned. The start of a longer one is enough. */
const MAX_UTF16_BYTES = 4 * LIMITS.text;

function utf16(bytes: Uint8Array, littleEndian: boolean): string {
  const even = Buffer.from(bytes.subarray(0, Math.min(bytes.length & ~1, MAX_UTF16_BYTES)));
  return (littleEndian ? even : even.swap16()).toString('utf16le').split('\0', 1)[0]!;
}

const asByteList: Decode = ({ reader }, { at, length }, allowance) => {
  if (length > MAX_BYTE_LIST) return binary(length);
  const bytes = [...reader.slice(at, length)];
  return bytes.length === 1 ? bytes[0] : allowance.list(bytes, (byte) => byte);
};

/** Converts degrees, minutes and seconds to degrees, without the direction, which is in another tag. */
const asDegrees: Decode = (stream, field) => {
  const [degrees = null, minutes = 0, seconds = 0] = sexagesimal(stream, field);
  if (degrees === null) return undefined;
  return Number((degrees + (minutes ?? 0) / 60 + (seconds ?? 0) / 3600).toFixed(10));
};

/** Returns unrounded numbers, because three roundings would add up. */
function sexagesimal({ reader }: TiffStream, { type, count, at }: Field): (number | null)[] {
  if (type !== TYPE.rational) return [];
  return Array.from({ length: Math.min(count, 3) }, (_, index) =>
    finite(reader.u32(at + index * 8) / reader.u32(at + index * 8 + 4)),
  );
}

const asTime: Decode = (stream, field) => {
  const [hours, minutes, seconds] = sexagesimal(stream, field);
  if (hours == null || minutes == null || seconds == null) return undefined;
  const whole = Math.floor(seconds);
  const fraction = Number((seconds - whole).toFixed(6));
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(hours)}:${two(minutes)}:${two(whole)}${fraction > 0 ? String(fraction).slice(1) : ''}`;
};

/** Converts APEX units: a time of 2^-value seconds, an f-number of 2^(value / 2) (CIPA DC-008, annex C). */
const apex =
  (toPlain: (value: number) => number): Decode =>
  (stream, field) => {
    const [value] = numbersIn(stream, field, 1);
    return value == null ? undefined : (quotient(toPlain(value), 1) ?? undefined);
  };

/** Decoders of tags whose type does not describe their content. */
export const DECODERS: Readonly<Record<string, Decode>> = {
  ApertureValue: apex((value) => 2 ** (value / 2)),
  MaxApertureValue: apex((value) => 2 ** (value / 2)),
  ShutterSpeedValue: apex((value) => 2 ** -value),
  ComponentsConfiguration: asByteList,
  ExifVersion: readText,
  FileSource: asByteList,
  FlashpixVersion: readText,
  GPSAreaInformation: asCodedText,
  GPSDestLatitude: asDegrees,
  GPSDestLongitude: asDegrees,
  GPSLatitude: asDegrees,
  GPSLongitude: asDegrees,
  GPSProcessingMethod: asCodedText,
  GPSTimeStamp: asTime,
  InteropVersion: readText,
  OriginalRawFileName: readText,
  SceneType: asByteList,
  UserComment: asCodedText,
  XPAuthor: readUtf16,
  XPComment: readUtf16,
  XPKeywords: readUtf16,
  XPSubject: readUtf16,
  XPTitle: readUtf16,
};
