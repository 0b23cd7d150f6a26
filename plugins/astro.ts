/** `imagecrew/astro`: an integration that makes the images smaller which a build has written. */
import { fileURLToPath } from 'node:url';
import { type Log, optimizeOutput } from './optimize-output.ts';
import type { ImagecrewOptions } from './options.ts';

export type { ImagecrewOptions } from './options.ts';

/** As Astro declares integrations. */
export interface ImagecrewAstroIntegration {
  name: 'imagecrew';
  hooks: {
    'astro:config:done'(options: { config: { root: URL } }): void;
    'astro:build:done'(options: { dir: URL; logger?: Log }): Promise<void>;
  };
}

/** The images of the output become smaller; names, formats and sizes stay, so no reference changes. */
export default function imagecrew(options: ImagecrewOptions = {}): ImagecrewAstroIntegration {
  let root = process.cwd();
  return {
    name: 'imagecrew',
    hooks: {
      'astro:config:done'({ config }) {
        root = fileURLToPath(config.root);
      },
      // Astro gives one from its third version on.
      async 'astro:build:done'({ dir, logger = console }) {
        await optimizeOutput({ folder: fileURLToPath(dir), root, options, log: logger });
      },
    },
  };
}
