import { bundledPackages } from '../bundles.mjs';
import { CARRIED_PACKAGES } from '../carried-files.mjs';

/** Our own WebAssembly contains parts of its standard library. */
const COMPILED_IN = ['node_modules/assemblyscript'];

/** Folders of the packages that the product contains: their code, bundled or compiled in, or some of their files. */
export const builtInPackages = async (): Promise<ReadonlySet<string>> =>
  new Set([...(await bundledPackages()), ...CARRIED_PACKAGES, ...COMPILED_IN]);
