// A reporter for node:test: what failed and why, without what passed. scripts/run-tests.mjs prints it last, where a cut log still shows it.
import { relative } from 'node:path';

export default async function* failedTests(events) {
  for await (const { type, data } of events) {
    const error = data.details?.error;
    // A suite fails with its tests, which say why.
    if (type !== 'test:fail' || data.todo || error?.failureType === 'subtestsFailed') continue;
    const place = data.file ? ` (${relative('', data.file)}:${data.line})` : '';
    yield `# failed: ${data.name}${place}\n${indented(error?.cause?.stack ?? error?.cause ?? error?.message)}`;
  }
}

function indented(text) {
  return String(text).replace(/^/gm, '#   ').concat('\n');
}
