/** Writes a Markdown summary, for a pull request comment or a build summary. */

import { bytesText } from '../../../base/size-text.ts';
import { totalsOf } from '../../../server/sites/records/scan.ts';
import type { PlacedFinding } from '../problems.ts';
import { countText } from '../sizes.ts';
import { checksText } from '../summary.ts';
import { type Report, type ReportInput, reportedProblems } from './report.ts';

/** Maximum number of findings listed. */
const MAX_LISTED = 50;

export const markdown: Report = async function* (input) {
  const { ended, checks } = input;
  const { scan, target } = ended;
  const totals = totalsOf(scan);
  yield `## Images of ${escaped(target.name)}\n\n`;
  yield `${countText(totals.pages_scanned, 'page')}, ${countText(totals.assets, 'image')}, ${bytesText(totals.bytes_original)}. `;
  yield totals.bytes_saved > 0
    ? `${bytesText(totals.bytes_saved)} could be saved (${totals.saved_percent}%).\n`
    : 'Nothing could be saved.\n';
  const lines = [...checksText(ended, checks)].join('').split('\n').filter(Boolean);
  if (lines.length > 0)
    yield `\n${lines.map((line) => (line.startsWith(' ') ? `  - ${escaped(line.trim())}` : `- ${escaped(line)}`)).join('\n')}\n`;
  yield* findingsTable(input);
};

async function* findingsTable(input: ReportInput): AsyncGenerator<string> {
  const listed: PlacedFinding[] = [];
  let [found, known] = [0, 0];
  for await (const problem of reportedProblems(input)) {
    if (problem.isKnown) known += 1;
    else {
      found += 1;
      if (listed.length < MAX_LISTED) listed.push(problem);
    }
  }
  if (listed.length > 0) {
    yield '\n| Severity | Finding | Image | Place | Saving |\n| --- | --- | --- | --- | ---: |\n';
    for (const { severity, code, image, places, savingsBytes } of listed) {
      const [place] = places;
      const where = place ? `${place.source}${place.line === undefined ? '' : `:${place.line}`}` : '';
      const cells = [severity, code, image, where, savingsBytes > 0 ? bytesText(savingsBytes) : ''];
      yield `| ${cells.map(escaped).join(' | ')} |\n`;
    }
    if (found > listed.length) yield `\nand ${countText(found - listed.length, 'more finding')}\n`;
  }
  if (input.baseline) yield `\n${countText(known, 'finding')} of the baseline not listed.\n`;
}

/** Escapes text for Markdown and HTML: URLs may contain markup. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
    .replaceAll(/[\\`*_[\]|#!~]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
