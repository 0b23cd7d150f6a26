/** Reports on a plan, for people and for a pull request (docs/spec/shapes.md, section 18.8). */
import { z } from 'zod';
import { editsOf, type Plan } from './plan.ts';

export const summarySchema = z.object({
  files_changed: z.int(),
  edits: z.int(),
  images_added: z.int(),
  images_removed: z.int(),
  skipped: z.int(),
  bytes_saved: z.int(),
});

export function summaryOf(plan: Plan): z.output<typeof summarySchema> {
  const { before, after } = bytesOf(plan);
  return {
    files_changed: plan.files.length,
    edits: editsOf(plan),
    images_added: plan.added.length,
    images_removed: plan.removed.length,
    skipped: plan.skipped.length,
    bytes_saved: before - after,
  };
}

/** Total bytes of the replaced images. */
export function bytesOf({ replaced }: Plan): { before: number; after: number } {
  let [before, after] = [0, 0];
  for (const { fromBytes, toBytes } of replaced.values()) {
    before += fromBytes;
    after += toBytes;
  }
  return { before, after };
}

/** Counts the items per key. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

const MAX_ROWS = 100;

const STATES = {
  previewed: 'A plan: nothing has been changed yet.',
  applied: 'Applied.',
  rolled_back: 'Applied and rolled back.',
} as const;

export function markdownOf(plan: Plan): string {
  const skipped = Object.entries(countBy(plan.skipped, ({ reason }) => reason));
  return [
    ...overviewOf(plan),
    '',
    ...table(
      ['File', 'References'],
      plan.files.map(({ path, edits }) => [code(path), `${edits.length}`]),
    ),
    ...section(
      ['Left as they were'],
      ['Reason', 'References'],
      skipped.map(([reason, count]) => [code(reason), `${count}`]),
    ),
    ...section(
      ['Images that nobody has described'],
      ['Image', 'Places'],
      (plan.markup?.needsWords ?? []).map(({ image, places }) => [code(image), places.map(code).join(', ')]),
    ),
    ...section(
      ['Images without a picture element', 'It could change how they are laid out, so their addresses are replaced.'],
      ['File', 'Reason', 'Because of'],
      plan.fallbacks.map(({ file, line, reason, because }) => [code(`${file}:${line}`), code(reason), code(because)]),
    ),
    ...section(
      [
        'Pages that were not scanned',
        'The scan has not seen how large these show their images, so theirs are as large as the originals.',
      ],
      ['File', 'Page', 'References'],
      plan.unscanned.map(({ file, page, references }) => [code(file), page ? code(page) : '', `${references}`]),
    ),
    ...section(
      ['Images without a new reference'],
      ['Image', 'Reason'],
      plan.notDone.map(({ from, reason }) => [code(from), code(reason)]),
    ),
    ...(plan.backupId === null ? [] : [`To take it back: \`rollback\` with the backup \`${plan.backupId}\`.`, '']),
  ].join('\n');
}

function overviewOf(plan: Plan): string[] {
  const { files_changed: files, edits, images_added: added, images_removed: removed } = summaryOf(plan);
  if (plan.markup)
    return [
      '## Repaired markup',
      '',
      `${STATES[plan.status]} ${edits} img elements in ${files} files, ${added} images added.`,
    ];
  const { before, after } = bytesOf(plan);
  const percent = before === 0 ? 0 : Math.round(((before - after) / before) * 100);
  return [
    '## Lighter images',
    '',
    `${STATES[plan.status]} ${edits} references in ${files} files, ${added} images added, ${removed} removed.`,
    `The images that are replaced weigh ${kilobytes(after)} instead of ${kilobytes(before)} (${percent} % less).`,
  ];
}

/** A table under a title and an optional explanation; nothing if the table has no rows. */
function section(
  [title, text]: readonly [title: string, text?: string],
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length === 0) return [];
  return [`### ${title}`, '', ...(text === undefined ? [] : [text, '']), ...table(head, rows)];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rest = rows.length - MAX_ROWS;
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.slice(0, MAX_ROWS).map(line),
    ...(rest > 0 ? [line([`and ${rest} more`, ...head.slice(1).map(() => '')])] : []),
    '',
  ];
}

/** Formats a name as code. Names may contain Markdown characters. */
const code = (text: string): string =>
  `\`${text
    .replaceAll('`', "'")
    .replaceAll('|', '\\|')
    .replaceAll(/\p{Cc}/gu, ' ')}\``;

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000).toLocaleString('en')} kB`;
