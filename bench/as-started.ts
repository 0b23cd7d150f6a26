/** The settings of the allocator and Node with which `npm start` starts the program. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './machine.ts';

const { start } = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } })
  .scripts;

export const START_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...start.matchAll(/(MALLOC_\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
);

/** Node options, placed before the program. */
export const START_OPTIONS: readonly string[] = start.match(/--max-\S+/g) ?? [];
