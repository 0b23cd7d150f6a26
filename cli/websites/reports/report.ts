/** Types and helpers shared by the reports for other programs. */
import type { Baseline } from '../baseline.ts';
import { type Checks, isAtLeast } from '../checks.ts';
import { type PlacedFinding, problemsOf } from '../problems.ts';
import type { EndedScan } from '../run-scan.ts';

export interface ReportInput {
  ended: EndedScan;
  checks: Checks;
  baseline: Baseline | undefined;
}

/** Generates its text in parts, because a website may have many thousand findings. */
export type Report = (input: ReportInput) => AsyncGenerator<string>;

/** Yields the findings to act on: all except those of severity info. */
export async function* reportedProblems({ ended, baseline }: ReportInput): AsyncGenerator<PlacedFinding> {
  for await (const problem of problemsOf(ended, baseline)) if (problem.severity !== 'info') yield problem;
}

/** Whether the command ends with 1 because of the finding. */
export const failsCheck = ({ findings }: Checks, { severity, isKnown }: PlacedFinding): boolean =>
  findings !== undefined && !isKnown && isAtLeast(severity, findings.severity);

/** One sentence with the image's name, for programs that show only the message. */
export const sentenceOf = ({ image, message }: Pick<PlacedFinding, 'image' | 'message'>): string =>
  `${image}: ${message}`;
