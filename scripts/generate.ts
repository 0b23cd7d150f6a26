/** Writes the files that follow from the declarations. With `--check` it writes nothing and fails when one differs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { declarationsOf } from '../server/console/declarations.ts';
import { createOpenApi } from '../server/docs/openapi.ts';
import { DOCUMENTED } from '../server/endpoints.ts';
import { clientTypesOf } from './client-types.ts';

const openApi = createOpenApi(DOCUMENTED);
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const GENERATED: Readonly<Record<string, () => string>> = {
  'openapi.json': () => json(openApi),
  'client/types.generated.ts': () => clientTypesOf(openApi),
  'server/console/app/declarations/declarations.json': () => json(declarationsOf(openApi)),
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

function present(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

for (const [path, generate] of Object.entries(GENERATED)) {
  const text = generate();
  if (text === present(path)) continue;
  if (values.check) {
    console.error(`${path} is not what the declarations say. Run npm run generate.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, text);
    console.log(`Wrote ${path}.`);
  }
}
