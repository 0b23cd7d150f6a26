/** Tells what replacing a source by its result would lose. */
import { FORMATS, type FormatId } from '../../codecs/formats/registry.ts';
import type { Warning } from '../../engine/result.ts';

/** Warnings that mean a loss which the user did not ask for. */
const LOSSES: ReadonlyMap<Warning, string> = new Map([
  ['animation_flattened', 'an animation, of which one frame would stay'],
  ['pages_dropped', 'a file of several images, of which one would stay'],
  ['gain_map_dropped', 'a photo with a gain map, which only metadata=keep and metadata=no_gps keep'],
  ['truncated_source', 'a damaged file'],
  ['preview_used', 'a file of which only the preview was read'],
]);

/** @returns a description of the source if replacing it would lose something; otherwise undefined */
export function lossOf(result: { format: FormatId; warnings: readonly Warning[] }): string | undefined {
  const loss = result.warnings.map((warning) => LOSSES.get(warning)).find((text) => text !== undefined);
  return loss ?? FORMATS[result.format].replacementLoss;
}
