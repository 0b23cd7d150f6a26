/** Texts of findings, the same as in the service's report. */
import type { FindingText } from '../../../../server/console/declaration-types.ts';
import { declarations } from '../../../declarations/declarations.ts';
import type { StatusLabel } from '../labels.ts';

export type Severity = FindingText['severity'];

/** Most severe first. */
export const SEVERITIES: Readonly<Record<Severity, StatusLabel & { title: string; meaning: string }>> = {
  error: { label: 'error', title: 'Errors', kind: 'error', meaning: 'Something is broken or should not be public.' },
  warning: { label: 'warning', title: 'Warnings', kind: 'warning', meaning: 'Visitors wait, or miss something.' },
  notice: { label: 'notice', title: 'Notices', kind: 'info', meaning: 'Worth a look when there is time.' },
  info: { label: 'note', title: 'For information', kind: 'info', meaning: 'Nothing to do.' },
};
export const SEVERITY_NAMES = Object.keys(SEVERITIES) as Severity[];

const BY_CODE = new Map(declarations.findings.map((text) => [text.code, text]));

/** Returns the text of a finding. A code that is unknown here is shown as it is, because the service may add codes. */
export const findingText = (code: string): FindingText =>
  BY_CODE.get(code) ?? { code, severity: 'info', title: code, meaning: '', advice: '' };

export interface CountedFinding extends FindingText {
  /** Number of images with this finding. */
  images: number;
}

/** Returns the findings that occur, most severe first, then most frequent first. */
export const countedFindings = (issues: Readonly<Record<string, number>>): CountedFinding[] =>
  Object.entries(issues)
    .filter(([, images]) => images > 0)
    .map(([code, images]) => ({ ...findingText(code), images }))
    .sort((a, b) => rankOf(a) - rankOf(b) || b.images - a.images);

const rankOf = ({ severity }: FindingText): number => SEVERITY_NAMES.indexOf(severity);

export function countsBySeverity(issues: Readonly<Record<string, number>>): Record<Severity, number> {
  const counts = { error: 0, warning: 0, notice: 0, info: 0 };
  for (const { severity, images } of countedFindings(issues)) counts[severity] += images;
  return counts;
}
