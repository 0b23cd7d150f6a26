/** What every report for other programs is made from. */
import type { Baseline } from '../baseline.ts';
import { type Checks, isAtLeast } from '../checks.ts';
import { type Problem, problemsOf } from '../problems.ts';
import type { EndedScan } from '../run-scan.ts';

export interface ReportInput {
  ended: EndedScan;
  checks: Checks;
  baseline: Baseline | undefined;
}

/** Writes itself part by part: a website may have many thousand findings. */
export type Report = (input: ReportInput) => AsyncGenerator<string>;

/** Findings to act on, without those that are for information alone. */
export async function* reportedProblems({ ended, baseline }: ReportInput): AsyncGenerator<Problem> {
  for await (const problem of problemsOf(ended, baseline)) if (problem.severity !== 'info') yield problem;
}

/** Whether the finding is one for which the command ends with 1. */
export function failsCheck({ findings }: Checks, { severity, isKnown }: Problem): boolean {
  return findings !== undefined && !isKnown && isAtLeast(severity, findings.severity);
}

/** One sentence with the image, for programs that show nothing else. */
export function sentenceOf({ image, message }: Pick<Problem, 'image' | 'message'>): string {
  return `${image}: ${message}`;
}
