/** `imagecrew optimize --in-place`: replaces images by smaller ones of the same format and name. */
import { join } from 'node:path';
import { printable } from '../../base/printable.ts';
import { bytesText, savingText } from '../../base/size-text.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Config } from '../../server/config.ts';
import { excludedBy, type MatchPaths } from '../../server/sites/patterns.ts';
import { ExitStatus, FAILED, signalExitStatus } from '../exit-status.ts';
import { runLimited } from '../images/feed.ts';
import { type Inputs, type Source, sourceBytes } from '../images/inputs.ts';
import { imagesInProgress, openEngine } from '../images/open-engine.ts';
import { readImageFile } from '../images/read.ts';
import { Report } from '../images/report.ts';
import { replaceAtomically, versionOf } from '../images/write.ts';
import type { Io } from '../io.ts';
import { stoppable } from '../stoppable.ts';
import { addressOfPage } from '../websites/folder-pages.ts';
import { ResultCache } from './cache.ts';
import { ImageOptimizer, type Optimized } from './optimizer.ts';
import type { InPlaceSettings } from './settings.ts';

export interface InPlaceRun {
  inputs: Inputs;
  settings: InPlaceSettings;
  /** Folder of the cache. */
  cache: string;
  config: Config;
  json: boolean;
}

/** @throws ExitStatus if a file failed or the process received a signal */
export async function optimizeInPlace(io: Io, { inputs, settings, cache: folder, config, json }: InPlaceRun) {
  const workers = Math.min(config.workers, Math.max(1, inputs.sources.length));
  await stoppable(async (signal) => {
    const cache = await ResultCache.open(folder);
    let opening: Promise<Engine> | undefined;
    const lateEngine = () => {
      opening ??= openEngine(config, workers);
      return opening;
    };
    try {
      const sources = await chosenSources(inputs.sources, settings, async (input) =>
        (await lateEngine()).run('match-paths', input, { signal }),
      );
      const files = sources.length + inputs.missing.length;
      const report = new Report(io, { name: 'optimize', files, json, outputTaken: false });
      for (const { file, failure } of inputs.missing) report.fail(file, failure);
      const optimizer = new ImageOptimizer({ openEngine: lateEngine, cache, settings, signal });
      const each = new ImageReplacer(report, optimizer, signal);
      const limits = { concurrency: imagesInProgress(workers), bytes: config.uploadBytes, signal };
      await runLimited(sources, sourceBytes, (source) => each.do(source), limits);
      report.end(each.facts());
      if (signal.aborted) throw new ExitStatus(signalExitStatus(signal.reason as NodeJS.Signals));
      await cache.removeUnused();
      if (report.failed > 0) throw new ExitStatus(FAILED);
    } finally {
      await (await opening)?.close(0);
    }
  });
}

/** Filters sources by the include and exclude patterns, matched against their paths relative to the named folder. */
async function chosenSources(
  sources: readonly Source[],
  { include, exclude }: InPlaceSettings,
  match: MatchPaths,
): Promise<readonly Source[]> {
  const addresses = sources.map(({ folder, name }) => addressOfPage(join(folder, name!), 'http://localhost/'));
  const leftOut = await excludedBy({ include, exclude }, addresses, match);
  return sources.filter((_, index) => !leftOut.has(addresses[index]!));
}

class ImageReplacer {
  readonly #report: Report;
  readonly #optimizer: ImageOptimizer;
  readonly #signal: AbortSignal;
  readonly #counts = { optimized: 0, from_cache: 0, unchanged: 0 };
  #compressed = 0;

  constructor(report: Report, optimizer: ImageOptimizer, signal: AbortSignal) {
    this.#report = report;
    this.#optimizer = optimizer;
    this.#signal = signal;
  }

  /** Counts of the files so far, for the summary. */
  facts(): string[] {
    const { optimized, from_cache: fromCache, unchanged } = this.#counts;
    return [
      `${optimized} optimized`,
      `${fromCache} from the cache`,
      `${unchanged} unchanged`,
      `${this.#compressed} compressed now`,
    ];
  }

  async do(source: Source): Promise<void> {
    try {
      await this.#replace(source);
    } catch (error) {
      // After a stop signal, errors are expected and not reported.
      if (this.#signal.aborted) return;
      this.#report.fail(source.file, error);
    }
  }

  async #replace({ file, name }: Source): Promise<void> {
    const asRead = await versionOf(file).catch(() => undefined);
    const data = await readImageFile(file);
    const before = data.byteLength;
    const optimized = await this.#optimizer.optimize(data, name!);
    // After a stop signal no new write starts. A write that has started is completed.
    this.#signal.throwIfAborted();
    if ('data' in optimized) await replaceAtomically(file, optimized.data, asRead);
    this.#printRecord(file, before, optimized);
  }

  #printRecord(file: string, before: number, optimized: Optimized): void {
    const isCompressed = optimized.by === 'compressed';
    const after = 'data' in optimized ? optimized.data.byteLength : before;
    const reason = 'data' in optimized ? null : optimized.reason;
    const status = reason !== null ? 'unchanged' : isCompressed ? 'optimized' : 'from_cache';
    this.#counts[status] += 1;
    if (isCompressed) this.#compressed += 1;
    const record = { file, status, compressed: isCompressed, original_bytes: before, bytes: after, reason };
    const text = reason === null ? sizesText(before, after) : `unchanged, ${reason}`;
    this.#report.done(record, `${printable(file)}: ${text}${optimized.by === 'cached' ? ', from the cache' : ''}\n`, {
      before,
      after,
    });
  }
}

const sizesText = (before: number, after: number): string =>
  `${bytesText(before)} -> ${bytesText(after)} (${savingText(before, after)})`;
