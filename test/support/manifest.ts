/** What the list beside the corpus of real files says of each of them, as other programs have found it. */
import { corpus } from './corpus.ts';

export interface ListedPicture {
  /** As `corpus` takes it. */
  path: string;
  /** As displayed. undefined where no program could tell. */
  size: { width: number; height: number } | undefined;
  /** undefined where no program could tell, or counts something else. */
  pages: number | undefined;
  /** The program that told. */
  saidBy: string;
}

/** Folders and kinds of files that are no pictures to be read. */
const LEFT_OUT = /^hostile-samples\/|\.(?:conf|txt|csv)$/;

/** Files of which the list has another size than the one that they are shown with. */
const SIZED_OTHERWISE: readonly RegExp[] = [
  // In points, which are no pixels.
  /\.pdf$/,
  // In millimetres, at 72 dots per inch instead of 96.
  /blankpage\.svg$/,
  // As stored, though they are turned.
  /orientation6\.psd$/,
  /rotate(?:90|270)\.djvu$/,
  /IMG_1361\.dng$/,
  // Of pixels that are not square.
  /P003911\.KDC$/,
  // Of pictures of which only the header and a thumbnail are there.
  /Leica-M10\.dng$/,
  /fixture\.cr3$/,
];

/** Files of which the list counts something else than the pages that are read. */
const COUNTED_OTHERWISE: readonly RegExp[] = [
  // The frames of an animation, of which the default picture is read.
  /\.a?png$/,
  // Every icon as one, though it has several sizes.
  /\.(?:ico|cur)$/,
  // The first of two in a list.
  /cat_ilbm\.iff$/,
  // A gain map as a picture.
  /ultra-?hdr\.jpg$/,
];

const isOneOf = (path: string, patterns: readonly RegExp[]): boolean => patterns.some((pattern) => pattern.test(path));

/** The pictures of the corpus, sorted by path; none where the corpus is not there. */
export function listedPictures(): ListedPicture[] {
  const text = corpus('MANIFEST.csv');
  if (!text) return [];
  const [head = [], ...rows] = parseCsv(Buffer.from(text).toString('utf8'));
  return rows
    .map((row) => Object.fromEntries(head.map((name, column) => [name, row[column] ?? ''])))
    .filter(({ path = '' }) => path !== '' && !LEFT_OUT.test(path))
    .map((row) => {
      const width = Number(row.upright_width || row.width);
      const height = Number(row.upright_height || row.height);
      const path = row.path!;
      const sized = width > 0 && height > 0 && !isOneOf(path, SIZED_OTHERWISE);
      return {
        path,
        size: sized ? { width, height } : undefined,
        pages: isOneOf(path, COUNTED_OTHERWISE) ? undefined : Number(row.pages) || undefined,
        saidBy: row.dims_from ?? '',
      };
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** RFC 4180, without line breaks inside fields. */
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
