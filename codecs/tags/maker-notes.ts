/**
 * Reads the maker of maker notes, and where the layout is known the lens, serial number, owner and Apple's gain map. The layouts are
 * those that ExifTool documents.
 */
import { Reader } from '../metadata/bytes.ts';
import { collectUntilDamage, tryParse } from '../metadata/damage.ts';
import { type Field, openTiff, readEntries, streamAt, type TiffStream, TYPE } from '../metadata/directory.ts';
import { numbersIn, plainValue, textIn } from './exif-values.ts';
import type { MetadataBudget, MetadataObject, MetadataValue } from './plain.ts';

type Decode = (stream: TiffStream, field: Field, allowance: MetadataBudget) => MetadataValue | undefined;

interface Tag {
  name: string;
  decode?: Decode;
}

interface Layout {
  maker: string;
  /** The start of the notes. Several makers write none; their notes are recognised by the camera's maker. */
  signature?: string;
  make?: RegExp;
  /** Returns the directory and the stream that its offsets count in; `at` is the start of the notes. */
  open(file: TiffStream, at: number, length: number): { stream: TiffStream; directoryAt: number };
  tags: Readonly<Record<number, Tag>>;
}

/** The directory follows the signature; its offsets count from the start of the EXIF stream. */
const inStream =
  (skip: number): Layout['open'] =>
  (file, at) => ({ stream: file, directoryAt: at + skip });

/** The notes contain a separate TIFF stream. */
const ownStream =
  (skip: number): Layout['open'] =>
  ({ reader }, at, length) => {
    const stream = openTiff(reader.slice(at + skip, length - skip), 'EXIF');
    return { stream, directoryAt: stream.first };
  };

/** Offsets count from the start of the notes; the byte order is stored in the notes or fixed. */
const ownOffsets =
  (skip: number, littleEndian?: boolean): Layout['open'] =>
  (file, at, length) => {
    const notes = file.reader.slice(at, length);
    const order = littleEndian ?? new Reader(notes, 'EXIF').text(skip - 4, 2) === 'II';
    return { stream: streamAt(new Reader(notes, 'EXIF', order), skip), directoryAt: skip };
  };

/** Reads four numbers: shortest and longest focal length, widest apertures at both. */
const asLens: Decode = (stream, field) => {
  const [short, long, wide, narrow] = numbersIn(stream, field, 4);
  if (!short || !long || !wide || !narrow) return undefined;
  const [focal, aperture] = [short === long ? short : `${short}-${long}`, wide === narrow ? wide : `${wide}-${narrow}`];
  return `${focal}mm f/${aperture}`;
};

const asText: Decode = (stream, field, allowance) => allowance.text(textIn(stream, field)) || undefined;

/** Canon stores serial numbers as one integer. */
const asSerial: Decode = (stream, field, allowance) =>
  field.type === TYPE.ascii ? asText(stream, field, allowance) : numbersIn(stream, field, 1)[0]?.toString();

const OLYMPUS: Readonly<Record<number, Tag>> = { 1028: { name: 'SerialNumber', decode: asText } };
const PANASONIC: Readonly<Record<number, Tag>> = {
  37: { name: 'InternalSerialNumber', decode: asText },
  81: { name: 'LensType', decode: asText },
  82: { name: 'LensSerialNumber', decode: asText },
};
const SONY: Readonly<Record<number, Tag>> = { 45099: { name: 'FullImageSize' } };

const LAYOUTS: readonly Layout[] = [
  {
    maker: 'Apple',
    signature: 'Apple iOS\0',
    open: ownOffsets(14, false),
    tags: { 33: { name: 'HDRHeadroom' }, 48: { name: 'HDRGain' } },
  },
  {
    maker: 'Nikon',
    signature: 'Nikon\0\x02',
    open: ownStream(10),
    tags: { 29: { name: 'SerialNumber', decode: asText }, 132: { name: 'Lens', decode: asLens } },
  },
  { maker: 'Nikon', signature: 'Nikon\0\x01', open: inStream(8), tags: {} },
  { maker: 'Panasonic', signature: 'Panasonic\0\0\0', open: inStream(12), tags: PANASONIC },
  { maker: 'Leica', signature: 'LEICA\0\0\0', open: inStream(8), tags: PANASONIC },
  {
    maker: 'FUJIFILM',
    signature: 'FUJIFILM',
    open: ({ reader }, at, length) => {
      const notes = new Reader(reader.slice(at, length), 'EXIF', true);
      return { stream: streamAt(notes, notes.u32(8)), directoryAt: notes.u32(8) };
    },
    tags: { 16: { name: 'InternalSerialNumber', decode: asText } },
  },
  { maker: 'Olympus', signature: 'OLYMPUS\0', open: ownOffsets(12), tags: OLYMPUS },
  { maker: 'Olympus', signature: 'OLYMP\0', open: inStream(8), tags: OLYMPUS },
  { maker: 'OM Digital', signature: 'OM SYSTEM\0', open: ownOffsets(16), tags: OLYMPUS },
  { maker: 'Sony', signature: 'SONY DSC \0\0\0', open: inStream(12), tags: SONY },
  { maker: 'Sony', signature: 'SONY CAM \0\0\0', open: inStream(12), tags: SONY },
  { maker: 'Pentax', signature: 'AOC\0', open: inStream(6), tags: {} },
  {
    maker: 'Pentax',
    signature: 'PENTAX \0',
    open: ownOffsets(10),
    tags: { 553: { name: 'SerialNumber', decode: asText } },
  },
  { maker: 'Ricoh', signature: 'RICOH\0', open: ownOffsets(8), tags: {} },
  { maker: 'Samsung', signature: 'STMN', open: inStream(8), tags: {} },
  { maker: 'Sigma', signature: 'SIGMA\0\0\0', open: inStream(10), tags: { 2: { name: 'SerialNumber' } } },
  { maker: 'Google', signature: 'HDRP', open: inStream(0), tags: {} },
  {
    maker: 'Canon',
    make: /^canon/i,
    open: inStream(0),
    tags: {
      6: { name: 'CanonImageType', decode: asText },
      9: { name: 'OwnerName', decode: asText },
      12: { name: 'SerialNumber', decode: asSerial },
      149: { name: 'LensModel', decode: asText },
      150: { name: 'InternalSerialNumber', decode: asText },
    },
  },
];

const SIGNATURE_BYTES = 16;

/**
 * Returns the maker, the size and the few known values. Never throws.
 * @param make the camera's maker, for notes without a signature
 */
export function describeMakerNote(
  stream: TiffStream,
  { at, length }: Pick<Field, 'at' | 'length'>,
  make: string,
  allowance: MetadataBudget,
): MetadataObject {
  const start = tryParse(() => stream.reader.text(at, Math.min(length, SIGNATURE_BYTES))) ?? '';
  const layout =
    LAYOUTS.find(({ signature }) => signature !== undefined && start.startsWith(signature)) ??
    LAYOUTS.find((candidate) => candidate.make?.test(make));
  const summary: MetadataObject = { maker: layout?.maker ?? (make || null), bytes: length };
  if (!layout) return summary;
  return collectUntilDamage(summary, () => {
    const { stream: notes, directoryAt } = layout.open(stream, at, length);
    for (const field of readEntries(notes, directoryAt).fields) {
      const tag = layout.tags[field.tag];
      if (!tag || !allowance.take()) continue;
      const value = tryParse(() => (tag.decode ?? plainValue)(notes, field, allowance));
      if (value !== undefined && value !== '') summary[tag.name] = value;
    }
  });
}
