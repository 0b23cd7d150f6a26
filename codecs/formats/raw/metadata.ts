/** Metadata of camera raws: TIFF variants, Canon's CR3, and Fujifilm's container around a JPEG. */
import { Reader, startsWith } from '../../metadata/bytes.ts';
import { tryParse } from '../../metadata/damage.ts';
import { openTiff, readDirectory, streamAt, type TiffStream } from '../../metadata/directory.ts';
import { type DirectoryInStream, exifOfParts } from '../../metadata/exif-tree.ts';
import { boxesOf, contentOf, presentBoxes } from '../../metadata/isobmff.ts';
import * as jpeg from '../../metadata/jpeg.ts';
import type { Metadata } from '../../metadata/metadata.ts';
import * as tiff from '../../metadata/tiff.ts';

/** The TIFF streams of a Canon file, which stores each directory in a stream of its own, one per box. */
export interface CanonParts {
  main: TiffStream;
  exif?: TiffStream;
  makerNote?: TiffStream;
  gps?: TiffStream;
  /** A complete JPEG file. */
  thumbnail?: Uint8Array;
}

export type RawContent = { tiff: TiffStream } | { jpeg: Uint8Array } | { canon: CanonParts };

/** The magic numbers that Panasonic, Olympus and others write in place of TIFF's 42. */
const MAGIC_NUMBERS: ReadonlySet<number> = new Set([0x55, 0x4f52, 0x5352]);
const FUJIFILM = 'FUJIFILMCCD-RAW';
/** Position in the fixed header of the offset and the length of the JPEG. */
const FUJIFILM_JPEG = 84;
const MINOLTA = '\0MRM';
const MINOLTA_TIFF = '\0TTW';
const MAX_BLOCKS = 32;

/** Detects the structure of the file, or returns undefined when it is unknown. Never throws. */
export function openRaw(bytes: Uint8Array): RawContent | undefined {
  return tryParse(() => {
    if (startsWith(bytes, FUJIFILM)) {
      const reader = new Reader(bytes, 'raw');
      return { jpeg: reader.slice(reader.u32(FUJIFILM_JPEG), reader.u32(FUJIFILM_JPEG + 4)) };
    }
    if (startsWith(bytes, MINOLTA)) return openMinolta(new Reader(bytes, 'raw'));
    if (startsWith(bytes.subarray(4), 'ftyp')) return openCanon(new Reader(bytes, 'raw'));
    const littleEndian = bytes[0] === 0x49;
    const reader = new Reader(bytes, 'raw', littleEndian);
    if (MAGIC_NUMBERS.has(reader.u16(2))) return { tiff: streamAt(reader, reader.u32(4)) };
    return { tiff: openTiff(bytes, 'raw') };
  });
}

/** Reads blocks with a name and a length, one of which is a TIFF stream. */
function openMinolta(reader: Reader): RawContent | undefined {
  const end = 8 + reader.u32(4);
  for (let at = 8, block = 0; at < end && block < MAX_BLOCKS; block += 1) {
    const length = reader.u32(at + 4);
    if (reader.text(at, 4) === MINOLTA_TIFF) return { tiff: openTiff(reader.slice(at + 8, length), 'raw') };
    at += 8 + length;
  }
  return undefined;
}

/** Identifier of the box in the movie header that holds Canon's own boxes. */
const CANON_BOX = Uint8Array.of(
  0x85,
  0xc0,
  0xb6,
  0x87,
  0x82,
  0x0f,
  0x11,
  0xe0,
  0x81,
  0x11,
  0xf4,
  0xce,
  0x46,
  0x2b,
  0x6a,
  0x48,
);
/** Version, width, height and length of the thumbnail, each in 16 or 32 bits. */
const THUMBNAIL_HEADER = 16;

function openCanon(reader: Reader): RawContent | undefined {
  const movie = presentBoxes(reader).find(({ type }) => type === 'moov');
  if (!movie) return undefined;
  const own = boxesOf(reader, movie.contentStart, movie.end).find(
    ({ type, contentStart }) =>
      type === 'uuid' && CANON_BOX.every((byte, index) => reader.u8(contentStart + index) === byte),
  );
  if (!own) return undefined;
  const boxes = boxesOf(reader, own.contentStart + CANON_BOX.length, own.end);
  const content = (name: string) => {
    const found = boxes.find(({ type }) => type === name);
    return found && contentOf(reader, found);
  };
  const stream = (name: string) => {
    const data = content(name);
    return data && tryParse(() => openTiff(data, 'raw'));
  };
  const [main, exif, makerNote, gps] = ['CMT1', 'CMT2', 'CMT3', 'CMT4'].map(stream);
  const thumbnail = content('THMB')?.subarray(THUMBNAIL_HEADER);
  if (!main) return undefined;
  return {
    canon: {
      main,
      ...(exif ? { exif } : {}),
      ...(makerNote ? { makerNote } : {}),
      ...(gps ? { gps } : {}),
      ...(thumbnail ? { thumbnail } : {}),
    },
  };
}

/** Never throws. */
export function read(bytes: Uint8Array): Metadata {
  const content = openRaw(bytes);
  if (!content) return {};
  if ('jpeg' in content) return jpeg.read(content.jpeg);
  if ('tiff' in content) return tiff.readStream(content.tiff);
  const placed = (stream: TiffStream): DirectoryInStream => ({
    stream,
    directory: readDirectory(stream, stream.first),
  });
  const exif = tryParse(() => {
    const { main, exif, gps } = content.canon;
    return exifOfParts({
      main: placed(main),
      ...(exif ? { exif: placed(exif) } : {}),
      ...(gps ? { gps: placed(gps) } : {}),
    });
  });
  return exif ? { exif } : {};
}
