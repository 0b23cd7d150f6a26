/**
 * Writes the generated files: those derived from the declarations, and WebAssembly modules. With `--check` it writes
 * nothing and fails if a file differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildDeclarations } from '../server/console/declarations.ts';
import { DOCUMENTED } from '../server/endpoints.ts';
import { createOpenApi } from '../server/http/openapi.ts';
import { withSharedComponents } from '../server/http/shared-components.ts';
import { clientOperationsOf } from './client-operations.ts';
import { clientTypesOf } from './client-types.ts';
import { compileInlined } from './compile-assembly.ts';
import { thirdPartyNotices } from './licences/notices.ts';

const openApi = createOpenApi(DOCUMENTED);
const text = (content: string): Uint8Array => Buffer.from(content);
const json = (value: unknown): Uint8Array => text(`${JSON.stringify(value, null, 2)}\n`);

const MAX_LINE_LENGTH = 120;

/** JSON with line breaks down to this depth only, and not in what fits into a line: indented down to the leaves, openapi.json would be twice as large. */
function jsonLines(value: unknown, depth: number): string {
  const line = JSON.stringify(value);
  if (depth === 0 || line.length <= MAX_LINE_LENGTH || typeof value !== 'object' || value === null) return line;
  if (Array.isArray(value)) return `[\n${value.map((item) => jsonLines(item, depth - 1)).join(',\n')}\n]`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{\n${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonLines(field, depth - 1)}`).join(',\n')}\n}`;
}

/** The level of an operation's fields, of a schema's keywords and of a parameter. */
const OPENAPI_LINE_DEPTH = 5;

/** Undefined for what this machine cannot make, which says why. */
type Content = Uint8Array | undefined;

const GENERATED: Readonly<Record<string, () => Content | Promise<Content>>> = {
  'THIRD-PARTY-NOTICES': async () => {
    const notices = await thirdPartyNotices();
    return notices === undefined ? undefined : text(notices);
  },
  'openapi.json': () => text(`${jsonLines(withSharedComponents(openApi), OPENAPI_LINE_DEPTH)}\n`),
  'client/operations.generated.ts': () => text(clientOperationsOf()),
  'client/types.generated.ts': () => text(clientTypesOf(openApi)),
  'console/declarations/declarations.json': () => json(buildDeclarations(openApi)),
  'codecs/jpeg/jpeg.wasm': () => compileInlined('codecs/jpeg/assembly'),
  'codecs/kernels/kernels.wasm': () => compileInlined('codecs/kernels/assembly'),
  'codecs/webp/webp.wasm': () => compileInlined('codecs/webp/assembly'),
};

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });

function readExisting(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

for (const [path, generate] of Object.entries(GENERATED)) {
  const content = await generate();
  if (content === undefined || readExisting(path)?.equals(content)) continue;
  if (values.check) {
    console.error(`${path} is not what it is made from. Run npm run generate.`);
    process.exitCode = 1;
  } else {
    writeFileSync(path, content);
    console.log(`Wrote ${path}.`);
  }
}
