// A reporter for node:test that prints only failed tests and why they failed. scripts/run-tests.mjs prints it last, so
// that a truncated log still shows it.
import { relative } from 'node:path';

export default async function* failedTests(events) {
  for await (const { type, data } of events) {
    const error = data.details?.error;
    // A suite fails because of its tests, which have the reason.
    if (type !== 'test:fail' || data.todo || error?.failureType === 'subtestsFailed') continue;
    const place = data.file ? ` (${relative('', data.file)}:${data.line})` : '';
    yield `# failed: ${data.name}${place}\n${indented(error?.cause?.stack ?? error?.cause ?? error?.message)}`;
  }
}

function indented(text) {
  return String(text).replace(/^/gm, '#   ').concat('\n');
}
