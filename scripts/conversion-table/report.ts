/** Writes the conversions as a page of the documentation. */
import { FORMATS, OUTPUTS } from '../../codecs/formats/registry.ts';
import { versionOf } from '../format-table/run-program.ts';
import type { Conversion, ConvertedSource, Target } from './convert.ts';
import { type Column, type Loss, nameColours } from './losses.ts';
import { type ImageProperties, METADATA_KINDS } from './properties.ts';

export const SILENT = 'LOST WITHOUT A WORD';

/** The columns of the page. A gain map is a part of the colours. */
const SHOWN = ['pages', 'frames', 'depth', 'colours', 'transparency', 'metadata'] as const satisfies Column[];
type ShownColumn = (typeof SHOWN)[number];
const shownIn = (column: Column): ShownColumn => (column === 'gain map' ? 'colours' : column);

const NOTHING = '–';
const KEPT = 'kept';

/** How the programs that read sources and results tell their versions. */
const PROGRAMS = {
  ExifTool: ['exiftool', '-ver'],
  ImageMagick: ['convert', '-version'],
  'libavif (avifdec)': ['avifdec', '--version'],
  'libjxl (djxl, jxlinfo)': ['djxl', '--version'],
  'libwebp (webpmux)': ['webpmux', '-version'],
  'FFmpeg (ffprobe)': ['ffprobe', '-version'],
  'Poppler (pdfinfo)': ['pdfinfo', '-v'],
} as const;

export const PROGRAM_NAMES = ['jxlinfo', 'compare', ...Object.values(PROGRAMS).map(([program]) => program)];

/** @param commit of the working tree @param date YYYY-MM-DD */
export async function writeReport(
  sources: readonly ConvertedSource[],
  { commit, date }: { commit: string; date: string },
): Promise<string> {
  const conversions = sources.flatMap((source) => source.conversions);
  const formats = [...new Set(sources.map(({ source }) => source.format))];
  const versions = Object.entries(PROGRAMS).map(
    async ([name, [program, ...args]]) => `- ${name} ${await versionOf(program, ...args)}`,
  );
  const lines = [
    '# What a conversion keeps',
    '',
    `${sources.length} kinds of images, each converted to every format that the service writes: ${conversions.length} conversions, ` +
      `of which ${conversions.filter(({ losses }) => losses.length === 0).length} keep everything. Of the others, ${silentLosses(conversions).length} lose something without a warning.`,
    '',
    `Made by \`npm run conversions\` on ${date} from commit ${commit}. One real file of each kind is sent to \`POST /api/v1/compress\` with ` +
      '`metadata=keep`; the programs below read the file and the result.',
    '',
    ...meaning(),
    '',
    ...formats.flatMap((format) => [
      `## ${FORMATS[format].name}`,
      '',
      `| Image, and its results | ${SHOWN.map((column) => column[0]!.toUpperCase() + column.slice(1)).join(' | ')} |`,
      `| --- | ${SHOWN.map(() => '---').join(' | ')} |`,
      ...sources.filter(({ source }) => source.format === format).flatMap(rows),
      '',
    ]),
    '## The files',
    '',
    ...formats.map((format) => {
      const files = sources.filter(({ source }) => source.format === format);
      return `- ${FORMATS[format].name}: ${files.map(({ source }) => `${source.kind}: ${source.path}${source.width ? `, ${source.width} pixels wide` : ''}`).join('; ')}.`;
    }),
    '',
    '## The programs',
    '',
    ...(await Promise.all(versions)),
  ];
  return `${lines.join('\n')}\n`;
}

const meaning = (): string[] => [
  '- The first row of each image says what its file has. The rows below say what becomes of it: kept, or what the result has instead, with the code in `X-IC-Warnings` that says so.',
  '- Formats are written with `mode=lossless` where they have it. With an asterisk they are written with the default mode.',
  '- **Pages**: also sizes of an icon and planes of a volume. **Frames**: of an animation; their times and repetitions are compared too. **Depth**: bits per sample. Fewer bits that hold every sample of the file lose nothing.',
  '- **Colours**: model and space. Grey stored as three equal samples is kept. **Metadata**: every EXIF tag that does not describe the file itself, XMP, IPTC, and texts: comments, titles, data of a patient.',
  '- A drawing (SVG, PDF) becomes pixels, and the layers of a Photoshop document are merged. Formats do not differ in this, so the table does not say it.',
];

export const silentLosses = (conversions: readonly Conversion[]): { conversion: Conversion; loss: Loss }[] =>
  conversions.flatMap((conversion) =>
    conversion.losses.filter(({ warning }) => !warning).map((loss) => ({ conversion, loss })),
  );

/** The image, and the results; those that lose the same are in one row. */
function rows({ source, properties, conversions }: ConvertedSource): string[] {
  const groups = new Map<string, Target[]>();
  for (const conversion of conversions) {
    const cells = conversion.refused
      ? SHOWN.map(() => `refused: \`${conversion.refused}\``)
      : resultCells(properties, conversion);
    const row = cells.join(' | ');
    groups.set(row, [...(groups.get(row) ?? []), conversion.target]);
  }
  return [
    `| **${source.kind}** | ${SHOWN.map((column) => describe(properties)[column]).join(' | ')} |`,
    ...[...groups].map(([row, targets]) => `| ${targets.map(nameTarget).join(', ')} | ${row} |`),
  ];
}

/** An asterisk marks the default mode of a format that also has a lossless one. */
export const nameTarget = ({ format, mode }: Target): string =>
  mode === undefined && OUTPUTS[format].lossless ? `${format}\\*` : format;

function resultCells(properties: ImageProperties, { losses }: Conversion): string[] {
  return SHOWN.map((column) => {
    const lost = losses.filter((loss) => shownIn(loss.column) === column);
    if (lost.length > 0) return joinLosses(lost);
    return describe(properties)[column] === NOTHING ? NOTHING : KEPT;
  });
}

/** Losses that the same warning says are named together. */
function joinLosses(losses: readonly Loss[]): string {
  const warnings = [...new Set(losses.map(({ warning }) => warning))];
  return warnings
    .map((warning) => {
      const texts = losses.filter((loss) => loss.warning === warning).map(({ text }) => text);
      return `${texts.join(', ')}: ${warning ? `\`${warning}\`` : SILENT}`;
    })
    .join('; ');
}

function describe(properties: ImageProperties): Record<ShownColumn, string> {
  const { images, animation, bits, transparency, hasGainMap, metadata } = properties;
  const kinds = METADATA_KINDS.filter((kind) => metadata.has(kind));
  return {
    pages: images > 1 ? String(images) : NOTHING,
    frames: animation ? String(animation.frames) : NOTHING,
    depth: String(bits),
    colours: `${nameColours(properties)}${hasGainMap ? ', gain map' : ''}`,
    transparency: transparency === 'none' ? NOTHING : transparency,
    metadata: kinds.join(', ') || NOTHING,
  };
}
