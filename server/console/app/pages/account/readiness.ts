/** How the service is. It says so also when it cannot take work, with a status that is an error elsewhere. */
import type { Readiness } from './records.ts';

export async function readinessOf(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  const answer = (await response.json()) as Partial<Readiness>;
  if (!answer.status) throw new Error(`The service answered with status ${response.status}.`);
  return answer as Readiness;
}
