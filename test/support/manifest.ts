/** What the list beside the corpus of real files says of each of them, as other programs have found it. */
import { corpus } from './corpus.ts';

export interface ListedPicture {
  /** As `corpus` takes it. */
  path: string;
  /** As displayed; in points for PDF. undefined where no program could tell. */
  size: { width: number; height: number } | undefined;
  pages: number | undefined;
  /** The program that told. */
  saidBy: string;
}

/** Folders and kinds of files that are no pictures to be read. */
const LEFT_OUT = /^hostile-samples\/|\.(?:conf|txt|csv)$/;

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
      return {
        path: row.path!,
        size: width > 0 && height > 0 ? { width, height } : undefined,
        pages: Number(row.pages) || undefined,
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
