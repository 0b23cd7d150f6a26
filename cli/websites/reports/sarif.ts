/** Writes SARIF 2.1.0 (OASIS, 2020) for code scanning services. */
import { createHash } from 'node:crypto';
import { FINDING_CODES, SEVERITIES, type Severity } from '../../../server/sites/findings/finding.ts';
import { FINDING_TEXTS } from '../../../server/sites/package/finding-texts.ts';
import { packageVersion } from '../../../server/version.ts';
import type { PlacedFinding, ProblemPlace } from '../problems.ts';
import { type Report, reportedProblems, sentenceOf } from './report.ts';

const LEVELS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', notice: 'note', info: 'none' };

export const sarif: Report = async function* (input) {
  const driver = { name: 'imagecrew', semanticVersion: packageVersion(), rules: FINDING_CODES.map(ruleOf) };
  yield `{"version":"2.1.0","runs":[{"tool":${JSON.stringify({ driver })},"columnKind":"utf16CodeUnits","results":[`;
  const hasBaseline = input.baseline !== undefined;
  let isFirst = true;
  for await (const problem of reportedProblems(input)) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify(resultOf(problem, hasBaseline))}`;
    isFirst = false;
  }
  yield '\n]}]}\n';
};

function ruleOf(code: (typeof FINDING_CODES)[number]) {
  const { title, meaning, advice } = FINDING_TEXTS[code];
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: meaning },
    help: { text: advice },
    defaultConfiguration: { level: LEVELS[SEVERITIES[code]] },
  };
}

function resultOf(problem: PlacedFinding, hasBaseline: boolean) {
  const { code, severity, imageKey, places, isKnown } = problem;
  return {
    ruleId: code,
    level: LEVELS[severity],
    message: { text: sentenceOf(problem) },
    locations: places.map(locationOf),
    // Identifies the same finding in later scans, even if its line changes.
    partialFingerprints: { 'image/v1': createHash('sha256').update(`${code}\n${imageKey}`).digest('hex') },
    ...(hasBaseline && { baselineState: isKnown ? 'unchanged' : 'new' }),
  };
}

function locationOf({ source, line, column }: ProblemPlace) {
  const uri = URL.canParse(source) ? source : encodeURI(source);
  const region = line === undefined ? {} : { region: { startLine: line, startColumn: column } };
  return { physicalLocation: { artifactLocation: { uri }, ...region } };
}
