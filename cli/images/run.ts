/** Runs one command on its files: reads ahead, keeps the workers busy and writes while other images are processed. */
import { stat } from 'node:fs/promises';
import { Failure } from '../../base/failure.ts';
import { printable } from '../../base/printable.ts';
import { sha256 } from '../../base/sha256.ts';
import { bytesText, savingText } from '../../base/size-text.ts';
import type { FormatId } from '../../codecs/formats/registry.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Config } from '../../server/config.ts';
import { ExitStatus, FAILED, signalExitStatus } from '../exit-status.ts';
import { exists } from '../files.ts';
import type { Io } from '../io.ts';
import { stoppable } from '../stoppable.ts';
import { runLimited } from './feed.ts';
import { type Inputs, type Source, STDIO, sourceBytes, unreadable } from './inputs.ts';
import { lossOf } from './losses.ts';
import { imagesInProgress, openEngine } from './open-engine.ts';
import type { FileOutput, Output, RecordOutput, Work } from './operations.ts';
import { readImage } from './read.ts';
import { Report } from './report.ts';
import { type Destination, expectedFormat, formatOfName, Targets, targetFilename } from './targets.ts';
import { fileExists, replaceAtomically, type Version, versionOf, writeAtomically } from './write.ts';

export interface Run {
  name: string;
  answers: 'files' | 'records';
  work: Work;
  inputs: Inputs;
  place: Destination;
  /** Formats that the operation can write. */
  offered: readonly string[];
  config: Config;
  overwrite: boolean;
  dryRun: boolean;
  json: boolean;
  /** Maximum number of images being processed. */
  concurrency: number;
}

/** A model's pool has one worker. Its threads share the work on one image. */
const MODEL_WORKERS = 1;

/** @throws ExitStatus if a file failed or the process received a signal */
export async function runOnFiles(io: Io, run: Run): Promise<void> {
  const { inputs, work, config, answers, place, json, name } = run;
  const files = inputs.sources.length + inputs.missing.length;
  const report = new Report(io, { name, files, json, outputTaken: place.kind === 'stdout' && answers === 'files' });
  for (const { file, failure } of inputs.missing) report.fail(file, failure);
  const workers = work.model ? MODEL_WORKERS : Math.min(run.concurrency, Math.max(1, inputs.sources.length));
  const concurrency = imagesInProgress(workers);
  await stoppable(async (signal) => {
    const needsEngine = inputs.sources.length > 0 && (!run.dryRun || work.plan !== undefined);
    const engine = needsEngine ? await openEngine(config, workers) : undefined;
    try {
      // Wait for the start, so that it does not count in the time of the first images.
      await engine?.ready();
      const each = new FileRunner(io, run, report, engine, signal);
      const limits = { concurrency, bytes: config.uploadBytes, signal };
      await runLimited(inputs.sources, sourceBytes, (source, index) => each.do(source, index + 1), limits);
    } finally {
      report.end();
      await engine?.close(0);
    }
    if (signal.aborted) throw new ExitStatus(signalExitStatus(signal.reason as NodeJS.Signals));
  });
  if (report.failed > 0) throw new ExitStatus(FAILED);
}

class FileRunner {
  readonly #io: Io;
  readonly #run: Run;
  readonly #report: Report;
  readonly #engine: Engine | undefined;
  readonly #signal: AbortSignal;
  readonly #targets: Targets;

  constructor(io: Io, run: Run, report: Report, engine: Engine | undefined, signal: AbortSignal) {
    this.#io = io;
    this.#run = run;
    this.#report = report;
    this.#engine = engine;
    this.#signal = signal;
    this.#targets = new Targets(run.place, run.inputs.sources);
  }

  async do(source: Source, index: number): Promise<void> {
    try {
      const expected = await this.#expectedTarget(source);
      if (this.#run.dryRun) await this.#predict(source, index, expected);
      else await this.#work(source, index);
    } catch (error) {
      // After a stop signal, errors are expected and not reported.
      if (this.#signal.aborted) return;
      this.#report.fail(source.file, error);
    }
  }

  /**
   * The path of the result, if it is known in advance. An existing file is refused before any work is done.
   * @returns undefined if the format, and so the name, depends on the image
   */
  async #expectedTarget(source: Source): Promise<string | undefined> {
    const { answers, work, offered } = this.#run;
    if (answers === 'records') return undefined;
    const format = expectedFormat(source, work.format, offered);
    const named = format && { filename: (name: string | undefined) => targetFilename(name, { format }) };
    return this.#checkNotExisting(this.#targets.pathFor(source, named));
  }

  /** @throws Failure `invalid_state` if the file exists and may not be overwritten */
  async #checkNotExisting(path: string | undefined): Promise<string | undefined> {
    const { place, overwrite } = this.#run;
    if (path !== undefined && place.kind !== 'in-place' && !overwrite && (await exists(path))) throw fileExists(path);
    return path;
  }

  async #predict(source: Source, index: number, expected: string | undefined): Promise<void> {
    const { file } = source;
    const facts = file === STDIO ? undefined : await factsOf(file);
    const plan = this.#run.work.plan;
    const planned =
      plan && this.#engine ? await plan(this.#engine, await this.#read(source), index, this.#options) : undefined;
    this.#checkExtension(planned?.format);
    const name = planned?.filename ?? undefined;
    const target =
      expected ??
      (await this.#checkNotExisting(
        this.#targets.pathFor(source, name === undefined ? undefined : { filename: () => name }),
      ));
    if (target !== undefined && this.#run.place.kind !== 'in-place') await this.#targets.take(target, source);
    const record = {
      file,
      dry_run: true,
      output: target ?? null,
      original_bytes: facts?.size ?? null,
      ...planned?.record,
    };
    const size = facts === undefined ? '' : ` (${bytesText(facts.size)})`;
    const to =
      this.#run.answers === 'records' || target === file
        ? ''
        : ` -> ${target ?? 'a name by the format that the image asks for'}`;
    this.#report.done(record, `${printable(file + to)}${size}\n${planned?.text ?? ''}`);
  }

  get #options() {
    return { signal: this.#signal, lane: 'interactive' } as const;
  }

  async #read({ file, name }: Source) {
    const data = await readImage(this.#io, file, this.#signal);
    return { data, ...(name === undefined ? {} : { filename: name }) };
  }

  async #work(source: Source, index: number): Promise<void> {
    const asRead =
      this.#run.place.kind === 'in-place' ? await versionOf(source.file).catch(() => undefined) : undefined;
    const image = await this.#read(source);
    // With sources to work on, there is always an engine.
    const made: Output = await this.#run.work.run(this.#engine!, image, index, this.#options);
    if ('record' in made) this.#printRecord(source, made);
    else await this.#writeResult(source, made, asRead);
  }

  #printRecord({ file }: Source, { record, text }: RecordOutput): void {
    const several = this.#run.inputs.sources.length > 1;
    this.#report.done({ file, ...record }, several ? `${printable(file)}\n${text}` : text);
  }

  async #writeResult(source: Source, made: FileOutput, asRead: Version | undefined): Promise<void> {
    const { file } = source;
    const path = this.#targets.pathFor(source, made);
    const after = made.data.byteLength;
    const filename = path ?? made.filename(source.name, true);
    const described = this.#run.json ? made.describe(filename.split('/').at(-1)!, await sha256(made.data)) : {};
    const written = await this.#write(source, path, made, asRead);
    const to = path === undefined || path === file ? '' : ` -> ${path}`;
    const sizes = `${bytesText(made.sourceBytes)} -> ${bytesText(after)} (${savingText(made.sourceBytes, after)})`;
    const facts = [
      `${printable(file + to)}: ${sizes}`,
      `${Math.round(made.durationMs)} ms`,
      ...(written ? [] : ['kept as it was']),
      ...(made.outcome === 'unreachable' || made.outcome === 'kept_original' ? [made.outcome] : []),
      ...made.warnings,
    ];
    const saved = { before: made.sourceBytes, after: written ? after : made.sourceBytes };
    this.#report.done(
      { file, output: written && path !== undefined ? path : null, ...described },
      `${facts.join(', ')}\n`,
      saved,
    );
  }

  /** @returns false if the source was not changed */
  async #write(
    source: Source,
    path: string | undefined,
    made: FileOutput,
    asRead: Version | undefined,
  ): Promise<boolean> {
    const { place, overwrite } = this.#run;
    this.#checkExtension(made.format);
    // After a stop signal no new write starts. A write that has started is completed.
    this.#signal.throwIfAborted();
    if (path === undefined) {
      this.#io.outBytes?.(new Uint8Array(made.data));
      return true;
    }
    if (place.kind === 'in-place') return this.#replaceBySmaller(source, made, asRead);
    await this.#targets.take(path, source);
    await writeAtomically(path, made.data, { overwrite });
    return true;
  }

  /** @throws Failure `invalid_parameter` if the file name's extension does not match the format of the result */
  #checkExtension(format: FormatId | undefined): void {
    const { place } = this.#run;
    if (place.kind === 'file' && format !== undefined) formatOfName(place.path, [format]);
  }

  /**
   * @returns false if the result is not smaller
   * @throws Failure `conflicting_parameters` if the format would change or content would be lost
   */
  async #replaceBySmaller(source: Source, made: FileOutput, asRead: Version | undefined): Promise<boolean> {
    const { format, sourceFormat } = made;
    if (format !== sourceFormat) {
      const sentence = `Expected a result in the format of its source (${sourceFormat}) for --in-place but received ${format}.`;
      throw new Failure('conflicting_parameters', sentence);
    }
    if (made.data.byteLength >= made.sourceBytes) return false;
    const lost = lossOf({ format, warnings: made.warnings });
    if (lost !== undefined) {
      const sentence = `Expected a source that loses nothing for --in-place but received ${lost}.`;
      throw new Failure('conflicting_parameters', sentence);
    }
    await replaceAtomically(source.file, made.data, asRead);
    return true;
  }
}

const factsOf = async (path: string): Promise<{ size: number }> =>
  stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Failure('not_found', unreadable('a file', path, error), { cause: error });
  });
