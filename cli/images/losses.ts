/** Finds out what replacing a source by its result would lose. */
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import type { Engine, RunOptions } from '../../engine/engine.ts';
import type { Warning } from '../../engine/result.ts';
import type { SourceFile } from '../../engine/source-file.ts';

/** Warnings that mean a loss which the user did not ask for. */
const LOSSES: ReadonlyMap<Warning, string> = new Map([
  ['animation_flattened', 'an animation, of which one frame would stay'],
  ['truncated_source', 'a damaged file'],
  ['preview_used', 'a file of which only the preview was read'],
]);

/**
 * Whether files of a format may have pages that a result lacks. Animation frames are not counted as pages: a warning
 * reports their loss.
 */
export function mayLosePages(format: FormatId): boolean {
  const { pages: mayHavePages, animation } = FORMATS[format];
  return mayHavePages === true && !animation;
}

interface LossOptions extends RunOptions {
  /** Reads the source again, so that its pages can be counted. */
  read(): Promise<SourceFile>;
}

/** @returns a description of the source if replacing it would lose something; otherwise undefined */
export async function lossOf(
  engine: Engine,
  { format, warnings }: { format: FormatId; warnings: readonly Warning[] },
  { read, ...options }: LossOptions,
): Promise<string | undefined> {
  const loss = warnings.map((warning) => LOSSES.get(warning)).find((text) => text !== undefined);
  if (loss !== undefined) return loss;
  const { replacementLoss } = FORMATS[format];
  if (replacementLoss !== undefined) return replacementLoss;
  if (!mayLosePages(format)) return undefined;
  const { record } = await engine.run('inspect', { image: await read(), params: {} }, options);
  return record.pages > 1 ? `${record.pages} pages, of which one would stay` : undefined;
}
