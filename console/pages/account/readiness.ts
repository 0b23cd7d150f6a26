/**
 * Reads the state of the service. Uses fetch, because `/readyz` sends its JSON with an error status too when not ready.
 */
import type { Readiness } from './records.ts';

export async function loadReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  const answer = (await response.json()) as Partial<Readiness>;
  if (!answer.status) throw new Error(`The service answered with status ${response.status}.`);
  return answer as Readiness;
}
