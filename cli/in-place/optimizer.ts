/** Makes a smaller version of an image, or takes it from the cache of earlier runs. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sha256 } from '../../base/sha256.ts';
import { OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import { compressParams } from '../../engine/operations/compress/params.ts';
import { sourceParams } from '../../engine/operations/parameters.ts';
import { isWorthwhile } from '../../server/sites/findings/savings.ts';
import { packageVersion } from '../../server/version.ts';
import { lossOf } from '../images/losses.ts';
import type { CacheEntry, ResultCache } from './cache.ts';
import { formatOfFile, isVector, replacedFormats } from './formats.ts';
import type { InPlaceSettings } from './settings.ts';

export type Optimized = CacheEntry & {
  /** compressed: in this run. cached: from an earlier run or an identical file. skipped: not processed. */
  by: 'compressed' | 'cached' | 'skipped';
};

/** SVG files are minified; all other images are encoded. */
type Kind = 'svg' | 'pixels';

const TOO_LITTLE: CacheEntry = { reason: 'saves too little' };
const OPTIMIZED: CacheEntry = { reason: 'is optimized already' };

const params = compressParams.extend(sourceParams.shape);

export interface OptimizerOptions {
  /** Opens the engine. Called only for images that are not in the cache. */
  openEngine: () => Promise<Engine>;
  cache: ResultCache;
  settings: InPlaceSettings;
  signal: AbortSignal;
}

export class ImageOptimizer {
  readonly #options: OptimizerOptions;
  readonly #formats: readonly string[];
  readonly #version = encoderVersion();
  /** Lookups and compressions in progress, by key. Of several identical files only one is compressed. */
  readonly #running = new Map<string, Promise<Optimized>>();

  constructor(options: OptimizerOptions) {
    this.#options = options;
    this.#formats = replacedFormats(options.settings);
  }

  /**
   * @param data content of the file; transferred
   * @param name name of the file
   * @throws Failure of the image or of the cache
   */
  async optimize(data: ArrayBuffer, name: string): Promise<Optimized> {
    const format = formatOfFile(data, name);
    const reason = this.#reasonToSkip(format);
    if (reason !== undefined) return { reason, by: 'skipped' };
    const kind = isVector(format) ? 'svg' : 'pixels';
    const key = this.#keyOf(kind, await sha256(data));
    const running = this.#running.get(key);
    if (running) return { ...(await running), by: 'cached' };
    const optimizing = this.#getOrCreate(kind, key, data);
    this.#running.set(key, optimizing);
    try {
      return await optimizing;
    } finally {
      this.#running.delete(key);
    }
  }

  #reasonToSkip(format: string | undefined): string | undefined {
    if (format === undefined || isVector(format)) return undefined;
    if (!this.#formats.includes(format)) return `is a ${format} file, which is left as it is`;
    const { mode } = this.#options.settings;
    if (mode === 'lossless' && !OUTPUTS[format as OutputFormat].lossless)
      return `is a ${format} file, which cannot be written without loss`;
    return undefined;
  }

  /** Includes only the settings that affect the result, not those that select files. */
  #keyOf(kind: Kind, contentHash: string): string {
    const { mode, quality, metadata, min_savings_bytes, min_savings_percent } = this.#options.settings;
    const encoding = kind === 'svg' ? [] : [mode, mode === 'quality' ? quality : null, metadata];
    const parts = [this.#version, kind, ...encoding, min_savings_bytes, min_savings_percent, contentHash];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  async #getOrCreate(kind: Kind, key: string, data: ArrayBuffer): Promise<Optimized> {
    const { cache, signal, openEngine } = this.#options;
    const found = await cache.get(key);
    if (found) return { ...found, by: 'cached' };
    const engine = await openEngine();
    const options = { signal, lane: 'interactive' } as const;
    const made = await (kind === 'svg' ? this.#minify(engine, data, options) : this.#compress(engine, data, options));
    // Mark the result itself as optimized, so that a later run does not compress it again and lose more quality. This
    // is stored before the result: a run killed in between would otherwise leave a result without its mark.
    if ('data' in made) await cache.put(this.#keyOf(kind, await sha256(made.data)), OPTIMIZED);
    // Stored before the file is replaced: if the run is killed in between, the next run finds the result.
    await cache.put(key, made);
    return { ...made, by: 'compressed' };
  }

  async #minify(engine: Engine, data: ArrayBuffer, options: RunOptions): Promise<CacheEntry> {
    const bytes = data.byteLength;
    const result = await engine.run('minify-svg', { image: { data } }, options);
    return this.#isGain(result.data, bytes) ? { data: result.data } : TOO_LITTLE;
  }

  /** @param data may be in none of the formats; the engine then reports what is wrong with it */
  async #compress(engine: Engine, data: ArrayBuffer, options: RunOptions): Promise<CacheEntry> {
    const bytes = data.byteLength;
    const { mode, quality, metadata } = this.#options.settings;
    const input = { image: { data }, params: params.parse({ mode, quality, metadata }) };
    const result = await engine.run('compress', input, options);
    if (!this.#isGain(result.data, bytes)) return TOO_LITTLE;
    const loss = lossOf(result);
    return loss === undefined ? { data: result.data } : { reason: `is ${loss}` };
  }

  #isGain(result: ArrayBuffer, bytes: number): boolean {
    return isWorthwhile(bytes - result.byteLength, bytes, this.#options.settings);
  }
}

/** A file of each package beside this one that encodes images. The package's version is part of the cache key. */
const ENCODERS = ['wasm-vips/vips.wasm', '@jsquash/avif/codec/enc/avif_enc.wasm'];

const require = createRequire(import.meta.url);

/** Versions of this program and of the installed encoders. Other versions may write other bytes. */
const encoderVersion = (): string =>
  [packageVersion(), ...ENCODERS.map((file) => versionAbove(require.resolve(file)))].join(' ');

/** Finds the version of the package that contains a file. Not every package exports its package.json. */
function versionAbove(path: string): string {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    const { version } = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }) : {};
    if (version !== undefined) return version;
  }
  return 'unknown';
}
