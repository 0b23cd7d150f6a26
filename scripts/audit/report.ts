/** Reads what `npm audit --json` prints. */
import { z } from 'zod';

const SEVERITIES = ['high', 'critical'];

/** Version 2 of the report, as far as it is read. */
const report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.string(),
      /** A text names another package that has the fault. */
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string() })])),
      /** Folders: `node_modules/koa`. */
      nodes: z.array(z.string()),
    }),
  ),
});

/** What npm prints when the registry does not answer, or has no audit. */
const failure = z.object({ message: z.string() });

export type Audit = { unavailable: string } | { findings: string[] };

/**
 * @param output what npm printed on its standard output
 * @param shipped folders of the packages that reach users; faults of others are left out
 */
export function readAudit(output: string, shipped: ReadonlySet<string>): Audit {
  const json = parseJson(output);
  const { success, data } = report.safeParse(json);
  if (!success) return { unavailable: failure.safeParse(json).data?.message ?? (output.trim() || 'no output') };
  const findings = Object.entries(data.vulnerabilities)
    .filter(([, { severity, nodes }]) => SEVERITIES.includes(severity) && nodes.some((node) => shipped.has(node)))
    .map(([name, { severity, via }]) => {
      const reasons = via.map((reason) =>
        typeof reason === 'string' ? `by ${reason}` : `${reason.title} ${reason.url}`,
      );
      return `${name} (${severity}): ${reasons.join('; ')}`;
    });
  return { findings };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
