/** What TypeScript uses of `bundles.mjs`. */
export function bundledPackages(): Promise<string[]>;
