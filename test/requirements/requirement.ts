/** Types of the manifest. Each id stands for one sentence under a heading of the interface specification. */

export interface Requirement {
  /** Heading in the interface specification, version 1.0.0. */
  readonly section: string;
  readonly promise: string;
}

/** Creates the requirements of one heading from its promises: id -> sentence. Ids start with their subject. */
export function chapter<const T extends Record<`${string}.${string}`, string>>(
  section: string,
  promises: T,
): { readonly [Id in keyof T]: Requirement } {
  const entries = Object.entries(promises).map(([id, promise]) => [id, { section, promise }]);
  return Object.fromEntries(entries) as { [Id in keyof T]: Requirement };
}
