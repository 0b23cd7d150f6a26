/** The HTML element that shows the results of a pipeline on a page. */
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import { writeSrcset } from '../../web-documents/srcset.ts';
import { element } from '../operations/html.ts';

export interface ShownFile {
  filename: string;
  format: FormatId;
  width: number;
  height: number;
}

/** What browsers assume without the attribute. It is required beside widths (HTML standard, "sizes attributes"). */
const DEFAULT_SIZES = '100vw';

const NOTE =
  '<!-- Set sizes to the width at which the page shows the image, and alt to a text in its place. Addresses are relative to the page. -->\n';

/**
 * One source for each format, modern formats first: a browser takes the first that it can show. The last is the `img`
 * that all others show.
 * @param files names are used as relative addresses
 */
export function srcsetMarkup(files: readonly ShownFile[]): string {
  const formats = [...new Set(files.map(({ format }) => format))];
  const isClassic = (format: FormatId) => FORMATS[format].web?.age === 'classic';
  const inOrder = [...formats.filter((format) => !isClassic(format)), ...formats.filter(isClassic)];
  const fallback = inOrder.at(-1)!;
  const sources = inOrder.slice(0, -1).map((format) => {
    const [type] = FORMATS[format].contentTypes;
    return `  ${element('source', { type, srcset: srcsetOf(files, format), sizes: DEFAULT_SIZES })}`;
  });
  const widest = files.findLast(({ format }) => format === fallback)!;
  const img = element('img', {
    src: encodeURIComponent(widest.filename),
    srcset: srcsetOf(files, fallback),
    sizes: DEFAULT_SIZES,
    width: String(widest.width),
    height: String(widest.height),
    alt: '',
  });
  return sources.length === 0 ? `${NOTE}${img}` : `${NOTE}<picture>\n${sources.join('')}  ${img}</picture>\n`;
}

const srcsetOf = (files: readonly ShownFile[], wanted: FormatId): string =>
  writeSrcset(
    files
      .filter(({ format }) => format === wanted)
      .map(({ filename, width }) => ({ address: encodeURIComponent(filename), width })),
  );
