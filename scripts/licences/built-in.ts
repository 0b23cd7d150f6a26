import { bundledPackages } from '../bundles.mjs';
import { CARRIED_PACKAGES } from '../carried-files.mjs';

/** Folders of the packages that the product contains in `dist/`: their code, bundled, or some of their files. */
export const builtInPackages = async (): Promise<ReadonlySet<string>> =>
  new Set([...(await bundledPackages()), ...CARRIED_PACKAGES]);
