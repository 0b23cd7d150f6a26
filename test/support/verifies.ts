import { isRequirementId, type RequirementId } from '../requirements/index.ts';

/**
 * Declares, inside a test or a suite, which requirements it proves. `npm run check:requirements` reads the calls
 * without running them, so the ids must be string literals.
 */
export function verifies(...ids: readonly [RequirementId, ...RequirementId[]]): void {
  const unknown = ids.find((id) => !isRequirementId(id));
  if (unknown !== undefined) throw new TypeError(`Expected the id of a requirement but received "${unknown}".`);
}
