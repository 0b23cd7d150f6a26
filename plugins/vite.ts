/** `imagecrew/vite`: a Vite plugin that compresses the images of a build. */
import { resolve } from 'node:path';
import { type Log, optimizeOutput } from './optimize-output.ts';
import type { ImagecrewOptions } from './options.ts';

export type { ImagecrewOptions } from './options.ts';

/** The parts of Vite's resolved configuration that the plugin uses. */
interface Config {
  root: string;
  build: { outDir: string; ssr: boolean | string };
  logger: Log;
}

/** The part of a hook's context that the plugin uses. Vite has environments since version 6. */
interface Context {
  environment?: { config: { consumer: 'client' | 'server' } };
}

/** The type of Vite plugins. */
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

/** Compresses the images of the client's output. Names, formats and sizes stay the same, so no reference changes. */
export default function imagecrew(options: ImagecrewOptions = {}): ImagecrewVitePlugin {
  let config: Config;
  return {
    name: 'imagecrew',
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
    },
    // Runs when every file is written, including those of the public folder. Other plugins read the whole output later,
    // in `closeBundle`, for example to list it for a service worker.
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
