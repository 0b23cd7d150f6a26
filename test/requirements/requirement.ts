/** The form of the manifest: an id, the sentence of the interface it stands for, and where that sentence is. */

export interface Requirement {
  /** Heading of the interface specification, version 1.0.0. */
  readonly section: string;
  readonly promise: string;
}

/** One heading of the interface with its promises: id -> sentence. Ids begin with what they are about. */
export function chapter<const T extends Record<`${string}.${string}`, string>>(
  section: string,
  promises: T,
): { readonly [Id in keyof T]: Requirement } {
  const entries = Object.entries(promises).map(([id, promise]) => [id, { section, promise }]);
  return Object.fromEntries(entries) as { [Id in keyof T]: Requirement };
}
