/** Runs an operation on every page of a source, for results that keep them all. */
import { Failure, failureAt } from '../../base/failure.ts';
import type { Header } from '../../codecs/decoded-image.ts';
import { loadCodec } from '../../codecs/formats/codecs.ts';
import type { OutputFormat } from '../../codecs/formats/registry.ts';
import { formatOf, openSource } from '../../codecs/read.ts';
import { withFreedHandles } from '../../codecs/vips.ts';
import type { WorkerContext } from '../context.ts';
import type { ImageResult, Outcome, Phases } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import type { EncodingParams } from '../steps/compress.ts';
import { keepsAllMetadata } from './compress/metadata.ts';
import { hasPages, keepsPages } from './kept-pages.ts';
import { transferable } from './transferable.ts';

/** The header of a source whose pages the result keeps; undefined for other sources. @throws as `openSource` */
export async function headerOfKeptPages(
  context: WorkerContext,
  { data, filename }: SourceFile,
  { page, format: output }: { page?: number | undefined; format: OutputFormat | 'auto' },
): Promise<Header | undefined> {
  const bytes = new Uint8Array(data);
  const format = await formatOf(bytes, filename);
  if (page !== undefined || !hasPages(format)) return undefined;
  const { header } = await openSource(context, { bytes, format, filename });
  return keepsPages(header, page, output) ? header : undefined;
}

/** One page of a source, as the input of an operation. */
export interface PageInput {
  image: SourceFile;
  /** Set if the page could not be taken out of the whole file. */
  page: number | undefined;
  /** The mode and the size of its result. */
  encoding: { mode: EncodingParams['mode']; target_bytes: number | undefined };
}

interface Pages<R extends ImageResult> {
  image: SourceFile;
  header: Pick<Header, 'format' | 'pages'>;
  /** How the result is encoded; undefined if the operation has no choice. */
  encoding?: Pick<EncodingParams, 'mode' | 'target_bytes' | 'metadata' | 'dpi'>;
  /** The operation on one page. */
  run(input: PageInput): Promise<R>;
}

/**
 * @returns the results of the pages, and their files joined to one. What only one page can have, such as the size in
 *   pixels, is that of the first.
 * @throws Failure of the operation; it names the page
 */
export async function onEveryPage<R extends ImageResult>(
  context: WorkerContext,
  { image, header, encoding, run }: Pages<R>,
): Promise<{ joined: ImageResult; results: R[] }> {
  const whole = new Uint8Array(image.data);
  const codec = (await loadCodec(header.format)).pages!;
  const pages = [...codec.split(whole, header.pages)];
  const { mode = 'quality', target_bytes: target } = encoding ?? {};
  const runAll = async (targetOf?: (index: number, written: number) => number) => {
    const results: R[] = [];
    for (const [index, { page, file }] of pages.entries()) {
      const source = file ? { ...image, data: transferable(file) } : image;
      const targetBytes = targetOf?.(index, lengthOf(results));
      const pageMode = mode === 'target' && targetBytes === undefined ? 'quality' : mode;
      const input: PageInput = {
        image: source,
        page: file ? undefined : page,
        encoding: { mode: pageMode, target_bytes: targetBytes },
      };
      results.push(await withFreedHandles(context.vips, () => onPage(page, () => run(input))));
    }
    return results;
  };
  const join = async (results: readonly R[]) => await codec.join(context.vips, filesOf(results));

  let results = await runAll();
  let joined = await join(results);
  // In mode smart, the target is only a maximum; in mode lossless, it changes nothing.
  const isMet = mode === 'lossless' || (mode === 'smart' && joined.length <= (target ?? 0));
  if (target !== undefined && !isMet) {
    // Pages of a source that fits keep their sizes. Otherwise all get about the same quality.
    const fits = whole.length <= target;
    const sizes = fits ? pages.map(({ file = whole }) => file.length) : filesOf(results).map(({ length }) => length);
    const available = target - Math.max(0, joined.length - lengthOf(results));
    // What a page leaves is for those after it.
    results = await runAll((index, written) =>
      Math.max(1, Math.floor(((available - written) * sizes[index]!) / sum(sizes.slice(index)))),
    );
    joined = await join(results);
  }
  const isKept = results.every(({ outcome }) => outcome === 'kept_original');
  const file = isKept && encoding && keepsAllMetadata(encoding) ? whole : joined;
  return { results, joined: joinedResult(results, file, whole.length, target) };
}

const filesOf = (results: readonly ImageResult[]): Uint8Array[] => results.map(({ data }) => new Uint8Array(data));
const lengthOf = (results: readonly ImageResult[]): number => sum(results.map(({ data }) => data.byteLength));

async function onPage<R>(page: number, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? failureAt(`on page ${page}`, error) : error;
  }
}

function joinedResult(
  results: readonly ImageResult[],
  file: Uint8Array,
  sourceBytes: number,
  targetBytes: number | undefined,
): ImageResult {
  const [first] = results as [ImageResult];
  const similarities = results.flatMap(({ similarity }) => similarity ?? []);
  return {
    ...first,
    data: transferable(file),
    outcome: joinedOutcome(results, file.length, sourceBytes, targetBytes),
    warnings: [...new Set(results.flatMap(({ warnings }) => warnings))],
    source: { ...first.source, bytes: sourceBytes },
    ...(similarities.length > 0 ? { similarity: Math.min(...similarities) } : {}),
    phases: {
      decode: total(results, 'decode'),
      process: total(results, 'process'),
      encode: total(results, 'encode'),
    },
  };
}

function joinedOutcome(
  results: readonly ImageResult[],
  bytes: number,
  sourceBytes: number,
  targetBytes: number | undefined,
): Outcome {
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  if (outcomes.has('done')) return 'done';
  if (targetBytes !== undefined) return bytes > targetBytes ? 'unreachable' : 'target_met';
  if (outcomes.size === 1 && outcomes.has('kept_original')) return 'kept_original';
  return bytes < sourceBytes ? 'reduced' : 'grown';
}

const total = (results: readonly ImageResult[], phase: keyof Phases): number =>
  sum(results.map(({ phases }) => phases[phase]));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
