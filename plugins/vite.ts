/** `imagecrew/vite`: a plugin that makes the images smaller which a build has written. */
import { resolve } from 'node:path';
import { type Log, optimizeOutput } from './optimize-output.ts';
import type { ImagecrewOptions } from './options.ts';

export type { ImagecrewOptions } from './options.ts';

/** What the plugin uses of Vite's resolved configuration. */
interface Config {
  root: string;
  build: { outDir: string; ssr: boolean | string };
  logger: Log;
}

/** What it uses of the context of a hook. Vite has environments since version 6. */
interface Context {
  environment?: { config: { consumer: 'client' | 'server' } };
}

/** As Vite declares plugins. */
export interface ImagecrewVitePlugin {
  name: 'imagecrew';
  apply: 'build';
  configResolved(config: Config): void;
  writeBundle: {
    order: 'post';
    sequential: true;
    handler(this: Context, output: { dir?: string | undefined }): Promise<void>;
  };
}

/** The images of the client's output become smaller; names, formats and sizes stay, so no reference changes. */
export default function imagecrew(options: ImagecrewOptions = {}): ImagecrewVitePlugin {
  let config: Config;
  return {
    name: 'imagecrew',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    // When every file is written, those of the public folder too, and before other plugins look at the output as a whole, as
    // those that list it for a service worker do in `closeBundle`.
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir }) {
        const { root, build, logger } = config;
        const isServer = this.environment ? this.environment.config.consumer === 'server' : Boolean(build.ssr);
        if (isServer) return;
        const log = {
          info: (message: string) => logger.info(`imagecrew: ${message}`),
          warn: (message: string) => logger.warn(`imagecrew: ${message}`),
        };
        await optimizeOutput({ folder: resolve(root, dir ?? build.outDir), root, options, log });
      },
    },
  };
}
