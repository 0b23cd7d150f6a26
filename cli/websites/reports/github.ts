/** Prints workflow commands of GitHub Actions, which GitHub shows as annotations next to the changed lines. */
import type { Severity } from '../../../server/sites/findings/finding.ts';
import { FINDING_TEXTS } from '../../../server/sites/package/finding-texts.ts';
import { type Report, reportedProblems, sentenceOf } from './report.ts';

const COMMANDS: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  notice: 'notice',
  info: 'notice',
};

/** GitHub shows at most ten annotations of each level per step. More would only lengthen the log. */
const MAX_ANNOTATIONS_PER_LEVEL = 10;

/** Prints findings that are not in the baseline. */
export const github: Report = async function* (input) {
  const counts = new Map<string, number>();
  for await (const problem of reportedProblems(input)) {
    if (problem.isKnown) continue;
    const command = COMMANDS[problem.severity];
    const count = (counts.get(command) ?? 0) + 1;
    counts.set(command, count);
    if (count > MAX_ANNOTATIONS_PER_LEVEL) continue;
    const [place] = problem.places;
    const properties = {
      // A URL is not a file of the repository.
      ...(place && !URL.canParse(place.source) && { file: place.source, line: place.line, col: place.column }),
      title: FINDING_TEXTS[problem.code].title,
    };
    yield `::${command} ${propertiesText(properties)}::${escapedMessage(sentenceOf(problem))}\n`;
  }
  const hidden = [...counts].filter(([, count]) => count > MAX_ANNOTATIONS_PER_LEVEL);
  for (const [command, count] of hidden)
    yield `::notice::${count - MAX_ANNOTATIONS_PER_LEVEL} more findings of the kind ${command} are not shown here.\n`;
};

const propertiesText = (properties: Readonly<Record<string, string | number | undefined>>): string =>
  Object.entries(properties)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${escapedProperty(String(value))}`)
    .join(',');

/** Escapes as the GitHub Actions toolkit does (`@actions/core`, command.ts). */
const escapedMessage = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const escapedProperty = (text: string): string => escapedMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
