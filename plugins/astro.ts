/** `imagecrew/astro`: an Astro integration that compresses the images of a build. */
import { fileURLToPath } from 'node:url';
import { type Log, optimizeOutput } from './optimize-output.ts';
import type { ImagecrewOptions } from './options.ts';

export type { ImagecrewOptions } from './options.ts';

/** The type of Astro integrations. */
export interface ImagecrewAstroIntegration {
  name: 'imagecrew';
  hooks: {
    'astro:config:done'(options: { config: { root: URL } }): void;
    'astro:build:done'(options: { dir: URL; logger?: Log }): Promise<void>;
  };
}

/** Compresses the images of the output. Names, formats and sizes stay the same, so no reference changes. */
export default function imagecrew(options: ImagecrewOptions = {}): ImagecrewAstroIntegration {
  let root = process.cwd();
  return {
    name: 'imagecrew',
    hooks: {
      'astro:config:done'({ config }) {
        root = fileURLToPath(config.root);
      },
      // Astro passes a logger since version 3.
      async 'astro:build:done'({ dir, logger = console }) {
        await optimizeOutput({ folder: fileURLToPath(dir), root, options, log: logger });
      },
    },
  };
}
