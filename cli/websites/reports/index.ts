/** Writes the reports that options ask for. */
import type { Io } from '../../io.ts';
import { writeText } from '../write-package.ts';
import { github } from './github.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import type { ReportOptions } from './options.ts';
import type { Report, ReportInput } from './report.ts';
import { sarif } from './sarif.ts';

/** Reports by option name. The option's value is the path. */
const FILES = { junit, sarif, markdown } as const satisfies Partial<Record<keyof ReportOptions, Report>>;

export async function writeReports(io: Io, input: ReportInput, options: ReportOptions): Promise<void> {
  for (const [name, report] of Object.entries(FILES)) {
    const path = options[name as keyof typeof FILES];
    if (path !== undefined) await writeText(path, report(input), input.ended.signal);
  }
  if (options.github) for await (const part of github(input)) io.out(part);
}
