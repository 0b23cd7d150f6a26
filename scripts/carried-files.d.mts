/** What TypeScript uses of `carried-files.mjs`. */
export const CARRIED_PACKAGES: readonly string[];
