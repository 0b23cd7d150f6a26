/** Test helpers for plans of `preview_markup_fixes` and the markup places of a scan. */
import type { MarkupFinding, MarkupPlace } from '../../replacement-package/markup-place.ts';
import { type LocalServerClient, type Structured, sha256 } from './desk.ts';

export const HOST = 'https://example.com';

export interface MarkupPlan extends Structured {
  plan_id: string;
  summary: Record<string, number>;
  images: { path: string; action: string; bytes: number }[];
  files: { path: string; edits: { line: number; before: string; after: string; seq: number | null }[] }[];
  needs_words: { image: string; page: string; places: string[] }[];
  unused_words: string[];
  skipped: { file: string; line: number; raw: string; kind: string; reason: string; because: string | null }[];
  diff: string;
}

export const preview = async (desk: LocalServerClient, args: Structured = {}) =>
  (await desk.call('preview_markup_fixes', args)) as MarkupPlan;
export const apply = (desk: LocalServerClient, { plan_id }: MarkupPlan) =>
  desk.call('apply_replacements', { plan_id, approved: true });

/** Returns the lines that a diff adds, without their line ends. */
export const added = ({ diff }: MarkupPlan): string[] =>
  diff
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++'))
    .map((line) => line.slice(1).replace(/\r$/, ''));

/** Creates a place of an image. `data` is the file that the scan has fetched. */
export function place(
  at: string,
  data: Buffer | undefined,
  findings: MarkupFinding[],
  more: Partial<MarkupPlace> = {},
) {
  return {
    from: new URL(at, HOST).href,
    from_sha256: data ? sha256(data) : null,
    from_bytes: data?.length ?? null,
    raw: at,
    page: `${HOST}/`,
    line: 1,
    column: 1,
    is_first: false,
    findings,
    ...more,
  };
}
