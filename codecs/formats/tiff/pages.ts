/** Splits a TIFF into its pages, and joins files of one page to one. Worker side. */
import type { FilePage, PagesCodec } from '../../format-codec.ts';
import { collectUntilDamage, tryParse } from '../../metadata/damage.ts';
import {
  type Directory,
  type Layout,
  longs,
  numberOf,
  openTiff,
  readChain,
  readDirectory,
  shorts,
  type TiffStream,
} from '../../metadata/directory.ts';
import { TAG } from '../../metadata/tags.ts';
import { layOut, readStream, write } from '../../metadata/tiff.ts';
import type { VipsApi } from '../../vips.ts';
import { encodeTiff } from './write.ts';

const BITS_PER_SAMPLE = 258;
const PAGE_NUMBER = 297;
/** Bits of NewSubfileType: a smaller copy of another page, and a mask (TIFF 6.0, section 8). */
const COPY_OR_MASK = 1 | 4;
/** The value of NewSubfileType for one page of several. */
const ONE_OF_SEVERAL = 2;

export const tiffPages: PagesCodec = { split, join };

/** Leaves out smaller copies and masks of other pages. */
function* split(bytes: Uint8Array, pages: number): Generator<FilePage> {
  const stream = openTiff(bytes, 'tiff');
  const directories = collectUntilDamage<Directory[]>([], (found) => {
    found.push(...readChain(stream, stream.first));
  });
  for (let page = 1; page <= pages; page++) {
    const directory = directories[page - 1];
    const type = directory && tryParse(() => numberOf(stream, directory, TAG.newSubfileType));
    // The first page is one in any case.
    if (page > 1 && ((type ?? 0) & COPY_OR_MASK) !== 0) continue;
    yield { page, file: directory && tryParse(() => extract(bytes, stream, directory)) };
  }
}

const extract = (bytes: Uint8Array, stream: TiffStream, directory: Directory): Uint8Array =>
  layOut([{ bytes, stream, pages: [{ directory, kept: [], metadata: readStream(stream, directory) }] }], stream);

function join(vips: VipsApi, files: readonly Uint8Array[]): Uint8Array {
  const opened = files.map(openPage);
  const littleEndian = opened.some(({ stream }) => stream.littleEndian);
  const layout = { littleEndian, big: opened.some(({ stream }) => stream.big) };
  return layOut(
    opened.map((page, index) => {
      const { bytes, stream, directory } = isConvertible(page, layout) ? page : openPage(inNativeOrder(vips, page));
      const values = [
        longs(TAG.newSubfileType, [ONE_OF_SEVERAL], littleEndian),
        shorts(PAGE_NUMBER, [index, files.length], littleEndian),
      ];
      return { bytes, stream, pages: [{ directory, kept: [], metadata: readStream(stream, directory), values }] };
    }),
    layout,
  );
}

interface OpenPage {
  bytes: Uint8Array;
  stream: TiffStream;
  directory: Directory;
}

function openPage(bytes: Uint8Array): OpenPage {
  const stream = openTiff(bytes, 'tiff');
  return { bytes, stream, directory: readDirectory(stream, stream.first) };
}

/** Whether the coded data may be copied: samples of several bytes have the byte order of their file. */
const isConvertible = ({ stream, directory }: OpenPage, { littleEndian }: Layout): boolean =>
  stream.littleEndian === littleEndian || (numberOf(stream, directory, BITS_PER_SAMPLE) ?? 1) <= 8;

/** Encodes the same samples again, little-endian. */
const inNativeOrder = (vips: VipsApi, { bytes, stream, directory }: OpenPage): Uint8Array =>
  write(encodeTiff(vips.Image.tiffloadBuffer(bytes)), readStream(stream, directory));
