/** Reads the list beside the corpus of real files: what other programs report about each file. */
import { corpus } from './corpus.ts';

export interface CorpusImage {
  /** As `corpus` takes it. */
  path: string;
  /** The size as displayed; undefined if no program could determine it. */
  size: { width: number; height: number } | undefined;
  /** undefined if no program could determine it, or if the list counts something else. */
  pages: number | undefined;
  /** The program that determined the size. */
  saidBy: string;
}

/** Folders and types of files that are not images to read. */
const NOT_IMAGES = /^hostile-samples\/|\.(?:conf|txt|csv)$/;

/** Files whose size in the list differs from the displayed size. */
const UNRELIABLE_SIZE: readonly RegExp[] = [
  // In points, not pixels.
  /\.pdf$/,
  // In millimetres, at 72 dots per inch instead of 96.
  /blankpage\.svg$/,
  // As stored, although the image is rotated for display.
  /orientation6\.psd$/,
  /rotate(?:90|270)\.djvu$/,
  /IMG_1361\.dng$/,
  // Of pixels that are not square.
  /P003911\.KDC$/,
  // Of an image of which the file has only the header and a thumbnail.
  /Leica-M10\.dng$/,
  /fixture\.cr3$/,
];

/** Files for which the list counts something other than the pages that are read. */
const UNRELIABLE_PAGE_COUNT: readonly RegExp[] = [
  // Frames of an animation, of which the default image is read.
  /\.a?png$/,
  // Each icon counts as one, although it has several sizes.
  /\.(?:ico|cur)$/,
  // The first of two images in a list.
  /cat_ilbm\.iff$/,
  // The gain map counts as an image.
  /ultra-?hdr\.jpg$/,
];

const isOneOf = (path: string, patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(path));

/** Returns the images of the corpus, sorted by path; none if the corpus is missing. */
export function listCorpusImages(): CorpusImage[] {
  const text = corpus('MANIFEST.csv');
  if (!text) return [];
  const [head = [], ...rows] = parseCsv(Buffer.from(text).toString('utf8'));
  return rows
    .map((row) => Object.fromEntries(head.map((name, column) => [name, row[column] ?? ''])))
    .filter(({ path = '' }) => path !== '' && !NOT_IMAGES.test(path))
    .map((row) => {
      const width = Number(row.upright_width || row.width);
      const height = Number(row.upright_height || row.height);
      const path = row.path!;
      const sized = width > 0 && height > 0 && !isOneOf(path, UNRELIABLE_SIZE);
      return {
        path,
        size: sized ? { width, height } : undefined,
        pages: isOneOf(path, UNRELIABLE_PAGE_COUNT) ? undefined : Number(row.pages) || undefined,
        saidBy: row.dims_from ?? '',
      };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Parses CSV (RFC 4180), without line breaks inside fields. */
function parseCsv(text: string): string[][] {
  return text.split(/\r?\n/).map((line) => {
    const fields = line.match(/(?:^|,)(?:"(?:[^"]|"")*"|[^,]*)/g) ?? [];
    return fields.map((field) =>
      field
        .replace(/^,/, '')
        .replace(/^"([\s\S]*)"$/, '$1')
        .replaceAll('""', '"'),
    );
  });
}
