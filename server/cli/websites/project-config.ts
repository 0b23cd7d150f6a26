/** `imagecrew.config.json`: what a project asks of every scan of its website. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { PROJECT_CONFIG } from './check-options.ts';
import { issueText, projectConfigFault } from './errors.ts';
import { parseSize, SIZE_FORM } from './sizes.ts';

const size = z.unknown().transform((value, context) => {
  const bytes = parseSize(String(value));
  if (bytes !== undefined) return bytes;
  context.addIssue({ code: 'custom', message: `Expected ${SIZE_FORM}` });
  return z.NEVER;
});

const budget = z.strictObject({
  /** As `--include`: globs, or `re:` and a regular expression. */
  pages: z.array(z.string().min(1)).min(1),
  /** Of the images of one page, each once. */
  image_bytes: size.optional(),
  /** Image requests of one page. */
  images: z.int().min(0).optional(),
});

const projectConfig = z.strictObject({
  $schema: z.string().optional(),
  baseline: z.string().min(1).optional(),
  budgets: z.array(budget).default([]),
});

/** The first whose patterns match a page is that of the page. */
export type Budget = z.output<typeof budget>;

export interface ProjectConfig {
  budgets: readonly Budget[];
  /** A path. In the file it is relative to the folder of the file. */
  baseline?: string;
}

const NONE: ProjectConfig = { budgets: [] };

/**
 * @param path named by the caller; default: {@link PROJECT_CONFIG}, which need not exist
 * @throws Failure for a file that cannot be read, or says what it may not
 */
export async function readProjectConfig(path?: string): Promise<ProjectConfig> {
  const named = path ?? PROJECT_CONFIG;
  let text: string;
  try {
    text = await readFile(named, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return NONE;
    throw projectConfigFault(named, code);
  }
  const { data, error } = projectConfig.safeParse(parsed(named, text));
  if (error) throw projectConfigFault(named, issueText(error));
  const { baseline, budgets } = data;
  return { budgets, ...(baseline !== undefined && { baseline: join(dirname(named), baseline) }) };
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw projectConfigFault(path, (error as Error).message);
  }
}
