/** Writes JUnit XML for CI servers: one test per check and one per finding. */
import { bytesText } from '../../../base/size-text.ts';
import type { Checks } from '../checks.ts';
import type { PlacedFinding } from '../problems.ts';
import { countText } from '../sizes.ts';
import { failsCheck, type Report, type ReportInput, reportedProblems } from './report.ts';

/** Passed checks pass. A finding fails if the command ends with 1 because of it; otherwise it is skipped. */
export const junit: Report = async function* (input) {
  const checks = checkCases(input);
  const counts = {
    tests: checks.length,
    failures: checks.filter(({ failure }) => failure !== undefined).length,
    skipped: 0,
  };
  for await (const problem of reportedProblems(input)) {
    counts.tests += 1;
    counts[failsCheck(input.checks, problem) ? 'failures' : 'skipped'] += 1;
  }
  const sums = Object.entries(counts).map(([name, count]) => `${name}="${count}"`);
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${sums.join(' ')}>\n`;
  yield `<testsuite name="imagecrew scan" ${sums.join(' ')}>\n`;
  for (const { name, failure } of checks) yield caseText('imagecrew.checks', name, failure && failureText(failure));
  for await (const problem of reportedProblems(input)) yield problemText(input.checks, problem);
  yield '</testsuite>\n</testsuites>\n';
};

interface CheckCase {
  name: string;
  failure: string | undefined;
}

function checkCases({ checks, ended }: ReportInput): CheckCase[] {
  const shown = (url: string) => ended.target.shown(url);
  const { fail_over, budgets, bytes } = checks;
  return [
    ...(fail_over
      ? [
          {
            name: `No page has more than ${bytesText(fail_over.limit_bytes)} of images`,
            failure: pagesFailure(fail_over, ({ url, image_bytes }) => `${shown(url)}: ${bytesText(image_bytes)}`),
          },
        ]
      : []),
    ...(budgets
      ? [
          {
            name: 'Every page keeps to its budget',
            failure: pagesFailure(budgets, ({ url, image_bytes, images }) => {
              return `${shown(url)}: ${bytesText(image_bytes)} in ${countText(images, 'image')}`;
            }),
          },
        ]
      : []),
    ...(bytes
      ? [
          {
            name: `At most ${bytesText(bytes.limit_bytes)} can be saved`,
            failure:
              bytes.bytes_saved > bytes.limit_bytes ? `${bytesText(bytes.bytes_saved)} can be saved.` : undefined,
          },
        ]
      : []),
  ];
}

function pagesFailure<P>(
  { pages_over, pages_failed, pages }: { pages_over: number; pages_failed: number; pages: readonly P[] },
  line: (page: P) => string,
): string | undefined {
  if (pages_over + pages_failed === 0) return undefined;
  const failed = pages_failed > 0 ? [`${countText(pages_failed, 'page')} could not be read.`] : [];
  const unnamed = pages_over - pages.length;
  return [...pages.map(line), ...(unnamed > 0 ? [`and ${countText(unnamed, 'more page')}`] : []), ...failed].join('\n');
}

function problemText(checks: Checks, problem: PlacedFinding): string {
  const { code, image, message, places, isKnown } = problem;
  const lines = [
    message,
    ...places.map(({ source, line, column }) => (line === undefined ? source : `${source}:${line}:${column}`)),
  ];
  const text = lines.join('\n');
  const isFailure = failsCheck(checks, problem);
  const skipped = `<skipped message="${escaped(isKnown ? `In the baseline. ${message}` : message)}"/>`;
  return caseText(`imagecrew.${code}`, image, isFailure ? failureText(text, message) : skipped);
}

const caseText = (className: string, name: string, content = ''): string =>
  `<testcase classname="${escaped(className)}" name="${escaped(name)}">${content}</testcase>\n`;

const failureText = (text: string, message = text.split('\n', 1)[0]!): string =>
  `<failure message="${escaped(message)}">${escaped(text)}</failure>`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text and replaces characters that XML 1.0 does not allow (section 2.2). */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character]!);
