/** Prints the progress and the summary of a run. */
import { Failure, withHint } from '../../base/failure.ts';
import { printable } from '../../base/printable.ts';
import { bytesText, savingText } from '../../base/size-text.ts';
import { type Io, printRecord } from '../io.ts';
import { progressBar } from '../progress.ts';

export interface ReportOptions {
  /** Label of the progress bar. */
  name: string;
  files: number;
  json: boolean;
  /** Whether the result goes to standard output. Messages then go to standard error. */
  outputTaken: boolean;
}

export interface Changed {
  before: number;
  after: number;
}

const MAX_NAME_LENGTH = 20;

export class Report {
  readonly #io: Io;
  readonly #options: ReportOptions;
  readonly #bar: ReturnType<typeof progressBar>;
  readonly #startedAt = performance.now();
  #before = 0;
  #after = 0;
  #done = 0;
  #failed = 0;

  constructor(io: Io, options: ReportOptions) {
    this.#io = options.outputTaken ? { ...io, out: io.err } : io;
    this.#options = options;
    this.#bar = progressBar(io, options.name.slice(0, MAX_NAME_LENGTH), (files) => `${files} files`);
  }

  get failed(): number {
    return this.#failed;
  }

  /** @param record printed as one line of JSON @param text printed for people */
  done(record: object, text: string, { before, after }: Changed = { before: 0, after: 0 }): void {
    this.#done += 1;
    this.#before += before;
    this.#after += after;
    this.#print(() => {
      if (this.#options.json) printRecord(this.#io, record);
      else this.#io.out(text);
    });
  }

  /** @param error reported as an internal error unless it is a Failure */
  fail(file: string, error: unknown): void {
    const { code, message, hint } = failureOf(error);
    this.#failed += 1;
    this.#print(() => {
      if (this.#options.json)
        printRecord(this.#io, { file, error: { code, message, ...(hint === undefined ? {} : { hint }) } });
      else this.#io.err(`${printable(file)}: ${printable(withHint({ message, hint }))}\n`);
    });
  }

  #print(say: () => void): void {
    this.#bar.clear();
    say();
    const { files } = this.#options;
    const ended = this.#done + this.#failed;
    if (files > 1 && ended < files) this.#bar.show(ended, files);
  }

  /**
   * Prints the summary line if there were several files and the output is not JSON.
   * @param facts further parts of the line
   */
  end(facts: readonly string[] = []): void {
    this.#bar.clear();
    const { files, json } = this.#options;
    if (json || files < 2) return;
    const [before, after] = [this.#before, this.#after];
    const saved = before === 0 ? [] : [`${bytesText(before)} -> ${bytesText(after)} (${savingText(before, after)})`];
    const seconds = `${((performance.now() - this.#startedAt) / 1000).toFixed(1)} s`;
    const parts = [`${this.#done} of ${files} files`, ...saved, ...facts, `${this.#failed} failed`, seconds];
    this.#io.out(`${parts.join(', ')}\n`);
  }
}

function failureOf(error: unknown): Pick<Failure, 'code' | 'message' | 'hint'> {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: 'internal_error', message, hint: undefined };
}
