/** What would be lost if a result took the place of its source. */
import { FORMATS, type FormatId } from '../../../codecs/formats.ts';
import type { Engine, RunOptions } from '../../../engine/engine.ts';
import type { Warning } from '../../../engine/result.ts';
import type { SourceFile } from '../../../engine/source-file.ts';

/** What a result lacks that says so, and that nobody has asked to leave out. */
const LOSSES: ReadonlyMap<Warning, string> = new Map([
  ['animation_flattened', 'an animation, of which one frame would stay'],
  ['truncated_source', 'a damaged file'],
  ['preview_used', 'a file of which only the preview was read'],
]);

/** Whether files of a format may have pages that a result does not have. The frames of an animation are no pages: where they are lost, a warning says so. */
export function mayLosePages(format: FormatId): boolean {
  const { pages: mayHavePages, animation } = FORMATS[format];
  return mayHavePages === true && !animation;
}

interface LossOptions extends RunOptions {
  /** Gives the source again, where its pages have to be counted. */
  read(): Promise<SourceFile>;
}

/** @returns what the source is that would lose something; undefined where nothing would be lost */
export async function lossOf(
  engine: Engine,
  { format, warnings }: { format: FormatId; warnings: readonly Warning[] },
  { read, ...options }: LossOptions,
): Promise<string | undefined> {
  const loss = warnings.map((warning) => LOSSES.get(warning)).find((text) => text !== undefined);
  if (loss !== undefined) return loss;
  if (format === 'psd') return 'a Photoshop file, whose layers would be joined';
  if (!mayLosePages(format)) return undefined;
  const { record } = await engine.run('inspect', { image: await read(), params: { page: 1 } }, options);
  return record.pages > 1 ? `${record.pages} pages, of which one would stay` : undefined;
}
