/** Reads `imagecrew.config.json`: a project's budgets and baseline. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { jsonErrorPlace } from '../../base/json-error.ts';
import { PROJECT_CONFIG } from './check-options.ts';
import { invalidProjectConfig, issueText } from './errors.ts';
import { parseSize, SIZE_FORM } from './sizes.ts';

const size = z.unknown().transform((value, context) => {
  const bytes = parseSize(String(value));
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: 'custom', message: `Expected ${SIZE_FORM}` });
  return z.NEVER;
});

const budget = z.strictObject({
  /** Patterns as in `--include`: globs, or `re:` and a regular expression. */
  pages: z.array(z.string().min(1)).min(1),
  /** Maximum bytes of the images of one page, each counted once. */
  image_bytes: size.optional(),
  /** Maximum number of image requests of one page. */
  images: z.int().min(0).optional(),
});

const projectConfig = z.strictObject({
  $schema: z.string().optional(),
  baseline: z.string().min(1).optional(),
  budgets: z.array(budget).default([]),
});

/** A page's budget is the first whose patterns match the page. */
export type Budget = z.output<typeof budget>;

export interface ProjectConfig {
  budgets: readonly Budget[];
  /** Path of the baseline. In the file it is relative to the folder of the file. */
  baseline?: string;
}

const EMPTY_CONFIG: ProjectConfig = { budgets: [] };

/**
 * @param path as given by the user; default: {@link PROJECT_CONFIG}, which need not exist
 * @throws Failure if the file cannot be read or is invalid
 */
export async function readProjectConfig(path?: string): Promise<ProjectConfig> {
  const named = path ?? PROJECT_CONFIG;
  let text: string;
  try {
    text = await readFile(named, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return EMPTY_CONFIG;
    throw invalidProjectConfig(named, code);
  }
  const { data, error } = projectConfig.safeParse(parsed(named, text));
  if (error) throw invalidProjectConfig(named, issueText(error));
  const { baseline, budgets } = data;
  return { budgets, ...(baseline !== undefined && { baseline: join(dirname(named), baseline) }) };
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidProjectConfig(path, `invalid JSON in ${jsonErrorPlace(text)}`);
  }
}
