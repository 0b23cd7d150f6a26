/** Facts of TIFF files and of TIFF-based camera raws (TIFF 6.0 and supplements, DNG 1.7). */
import { tryParse } from '../metadata/damage.ts';
import { numbersOf, openTiff, type TiffStream } from '../metadata/directory.ts';
import { TAG } from '../metadata/tags.ts';
import { read } from '../metadata/tiff.ts';
import { chainOf, exifSections, numberIn, type Section, sectionAt } from '../tags/exif-tags.ts';
import type { CodingFacts, ColourFacts, FileFacts, PreviewFacts, Stored } from './facts.ts';
import { frameOfJpeg, subsamplingOf } from './jpeg-frame.ts';

const BITS_PER_SAMPLE = 258;
const PHOTOMETRIC = 262;
const SAMPLES_PER_PIXEL = 277;
const SAMPLE_FORMAT = 339;
const SUBSAMPLING = 530;
/** Tag of the C2PA manifest store (C2PA 2.1, A.3.4). */
const CONTENT_CREDENTIALS = 0xcd41;

const FLOATING = 3;
const PALETTE = 3;
const YCBCR = 6;
const MODELS: Readonly<Record<number, NonNullable<ColourFacts['model']>>> = {
  0: 'gray',
  1: 'gray',
  2: 'rgb',
  3: 'rgb',
  4: 'gray',
  5: 'cmyk',
  6: 'rgb',
  8: 'lab',
  9: 'lab',
  10: 'lab',
  // Colour filter array and linear raw: the developed image is RGB.
  32803: 'rgb',
  34892: 'rgb',
};

const JPEG = 7;
/** Values of the tag Compression, and whether they are lossless; undefined where it depends on the file. */
const COMPRESSIONS: Readonly<Record<number, { name: string; lossless?: boolean }>> = {
  1: { name: 'none', lossless: true },
  2: { name: 'ccitt_rle', lossless: true },
  3: { name: 'ccitt_fax3', lossless: true },
  4: { name: 'ccitt_fax4', lossless: true },
  5: { name: 'lzw', lossless: true },
  6: { name: 'jpeg_old', lossless: false },
  [JPEG]: { name: 'jpeg', lossless: false },
  8: { name: 'deflate', lossless: true },
  32766: { name: 'next', lossless: true },
  32767: { name: 'sony_raw' },
  32771: { name: 'ccitt_rlew', lossless: true },
  32773: { name: 'packbits', lossless: true },
  32809: { name: 'thunderscan', lossless: true },
  32946: { name: 'deflate', lossless: true },
  33003: { name: 'jpeg2000' },
  33005: { name: 'jpeg2000' },
  34661: { name: 'jbig', lossless: true },
  34676: { name: 'sgi_log' },
  34677: { name: 'sgi_log24' },
  34712: { name: 'jpeg2000' },
  34713: { name: 'nikon_nef' },
  34887: { name: 'lerc' },
  34892: { name: 'jpeg', lossless: false },
  34925: { name: 'lzma', lossless: true },
  50000: { name: 'zstd', lossless: true },
  50001: { name: 'webp' },
  50002: { name: 'jxl' },
  52546: { name: 'jxl' },
  65000: { name: 'kodak_dcr' },
  65535: { name: 'pentax_pef' },
};

export function tiffFacts(bytes: Uint8Array, page: number): FileFacts {
  const stream = tryParse(() => openTiff(bytes, 'tiff'));
  if (!stream) return { blocks: read(bytes) };
  const sections = chainOf(stream, page);
  const section = sections[page - 1];
  const { thumbnail: _nextPage, ...exif } = exifSections(stream);
  return {
    blocks: read(bytes),
    exif,
    ...(section ? { colour: colourOf(section), coding: codingOf(section) } : {}),
    c2pa: sections[0]?.fields.some(({ tag }) => tag === CONTENT_CREDENTIALS) ?? false,
  };
}

const firstOf = (section: Section, tag: number): number | undefined => tryParse(() => numberIn(section, tag));

function colourOf(section: Section): ColourFacts {
  const photometric = firstOf(section, PHOTOMETRIC);
  const bits = firstOf(section, BITS_PER_SAMPLE) ?? 1;
  const model = MODELS[photometric ?? -1];
  const floating = firstOf(section, SAMPLE_FORMAT) === FLOATING;
  const channels = firstOf(section, SAMPLES_PER_PIXEL) ?? 1;
  return {
    ...(model ? { model } : {}),
    channels,
    bitDepth: bits,
    ...(photometric === PALETTE && bits <= 16 ? { paletteColors: 2 ** bits } : {}),
    // Floating-point samples can exceed white. Grey ones are usually measurements, not light.
    hdr: floating && model === 'rgb',
  };
}

function codingOf(section: Section): CodingFacts {
  const number = firstOf(section, TAG.compression) ?? 1;
  const compression = COMPRESSIONS[number];
  // Raws store lossless JPEG under the number of lossy JPEG.
  const deep = (firstOf(section, BITS_PER_SAMPLE) ?? 1) > 8;
  const lossless = number === JPEG && deep ? true : compression?.lossless;
  const field = section.fields.find(({ tag }) => tag === SUBSAMPLING);
  const [horizontal = 2, vertical = 2] = (field && tryParse(() => numbersOf(section.stream, field))) ?? [];
  const chroma = firstOf(section, PHOTOMETRIC) === YCBCR ? subsamplingOf(horizontal, vertical) : undefined;
  return {
    ...(lossless === undefined ? {} : { lossless }),
    compression: compression?.name ?? String(number),
    ...(chroma ? { chromaSubsampling: chroma } : {}),
  };
}

const REDUCED = 1;
const MAX_SECTIONS = 64;

/** Returns every directory of a raw: those of the chain and those that they point at. */
function allSections(stream: TiffStream): Section[] {
  const waiting = [stream.first];
  const seen = new Set<number>([0]);
  const found: Section[] = [];
  for (let at = waiting.shift(); at !== undefined && found.length < MAX_SECTIONS; at = waiting.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const section = sectionAt(stream, at);
    if (!section) continue;
    found.push(section);
    const below = section.fields.find(({ tag }) => tag === TAG.subIfds);
    if (below) waiting.push(...(tryParse(() => numbersOf(stream, below)) ?? []).slice(0, MAX_SECTIONS));
    if (section.next) waiting.push(section.next);
  }
  return found;
}

/** Returns the facts of a TIFF-based raw: those of its main image, and the largest of its previews. */
export function rawTiffFacts(stream: TiffStream): Omit<FileFacts, 'blocks'> {
  const sections = allSections(stream);
  const areaOf = (section: Section) =>
    (firstOf(section, TAG.imageWidth) ?? 0) * (firstOf(section, TAG.imageLength) ?? 0);
  const isMain = (section: Section) => ((firstOf(section, TAG.newSubfileType) ?? 0) & REDUCED) === 0;
  const main = sections.filter(isMain).toSorted((one, other) => areaOf(other) - areaOf(one))[0];
  const previews = sections.flatMap((section) => (section === main ? [] : (previewOf(section) ?? [])));
  const preview = previews.toSorted((one, other) => other.bytes - one.bytes)[0];
  const { thumbnail: _listed, ...exif } = exifSections(stream);
  return {
    exif,
    ...(main ? { colour: { ...colourOf(main), channels: 3, hdr: false }, coding: codingOf(main) } : {}),
    ...(sections[0] ? { stored: storedAs(main, sections[0]) } : {}),
    ...(preview ? { preview } : {}),
    c2pa: sections.some(({ fields }) => fields.some(({ tag }) => tag === CONTENT_CREDENTIALS)),
  };
}

/** Returns the size of a raw's main image, with the orientation that the first directory records. */
export function storedAs(main: Section | undefined, first: Section): Stored {
  const [width, height] = main ? [firstOf(main, TAG.imageWidth), firstOf(main, TAG.imageLength)] : [];
  const turn = firstOf(first, TAG.orientation) ?? (main && firstOf(main, TAG.orientation)) ?? 1;
  const orientation = turn >= 1 && turn <= LAST_ORIENTATION ? turn : 1;
  return { ...(width && height ? { size: { width, height } } : {}), orientation };
}

const LAST_ORIENTATION = 8;
const UNCOMPRESSED = 1;
const RGB = 2;

/** Describes a directory's image when it is a JPEG or uncompressed RGB in one piece. */
export function previewOf(section: Section): PreviewFacts | undefined {
  return tryParse(() => {
    const compression = numberIn(section, TAG.compression);
    const jpegAt = numberIn(section, TAG.jpegInterchangeFormat);
    const stripAt = numberIn(section, TAG.stripOffsets);
    const at = jpegAt ?? stripAt;
    const bytes = numberIn(section, jpegAt === undefined ? TAG.stripByteCounts : TAG.jpegInterchangeFormatLength);
    if (at === undefined || !bytes) return undefined;
    const size = {
      width: numberIn(section, TAG.imageWidth) ?? null,
      height: numberIn(section, TAG.imageLength) ?? null,
    };
    const isPlain = jpegAt === undefined && compression === UNCOMPRESSED;
    if (isPlain) return numberIn(section, PHOTOMETRIC) === RGB ? { ...size, bytes, format: 'rgb' } : undefined;
    const jpeg = frameOfJpeg(section.stream.reader.slice(at, bytes));
    return jpeg && { width: jpeg.width, height: jpeg.height, bytes, format: 'jpeg' };
  });
}
