/**
 * Baseline: a file in the project that lists accepted findings. Only other findings fail a build. A finding is
 * identified by code, image and number of places. So the file does not depend on the scanned host or on line numbers.
 */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { invalidBaseline, issueText } from './errors.ts';
import { type AcceptedFindings, problemsOf } from './problems.ts';
import type { EndedScan } from './run-scan.ts';

const baselineFile = z.strictObject({
  version: z.literal(1),
  findings: z.array(z.strictObject({ code: z.string(), image: z.string(), places: z.int().min(1) })),
});

const keyOf = (code: string, image: string): string => JSON.stringify([code, image]);

export class Baseline implements AcceptedFindings {
  readonly #places: ReadonlyMap<string, number>;

  private constructor(places: ReadonlyMap<string, number>) {
    this.#places = places;
  }

  /** @throws Failure if the file cannot be read or is not a baseline */
  static async read(path: string): Promise<Baseline> {
    const text = await readFile(path, 'utf8').catch((error) => Promise.reject(invalidBaseline(path, error.code)));
    const { data, error } = baselineFile.safeParse(parsed(text));
    if (error) throw invalidBaseline(path, issueText(error));
    return new Baseline(new Map(data.findings.map(({ code, image, places }) => [keyOf(code, image), places])));
  }

  /** Whether the baseline has the finding, with at least as many places. */
  has({ code, imageKey, placeCount }: Parameters<AcceptedFindings['has']>[0]): boolean {
    return (this.#places.get(keyOf(code, imageKey)) ?? 0) >= placeCount;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats the findings of a scan as a baseline. */
export async function* baselineText(ended: EndedScan): AsyncGenerator<string> {
  const findings: { code: string; image: string; places: number }[] = [];
  for await (const { code, imageKey: image, placeCount: places, severity } of problemsOf(ended))
    if (severity !== 'info') findings.push({ code, image, places });
  const byImage = (one: { code: string; image: string }, other: { code: string; image: string }) =>
    order(one.image, other.image) || order(one.code, other.code);
  // One sorted line per finding, so that diffs stay small.
  const lines = findings.toSorted(byImage).map((finding) => `\n    ${JSON.stringify(finding)}`);
  yield `{\n  "version": 1,\n  "findings": [${lines.join(',')}\n  ]\n}\n`;
}

const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
