import type { Size } from '../../base/geometry.ts';
import { OUTPUTS } from '../../codecs/formats/registry.ts';
import { magnification, photoArea } from '../operations/id-photo/area.ts';
import { type IdPhotoParams, idPhotoParams, modelsOf } from '../operations/id-photo/params.ts';
import { resolvePhoto } from '../operations/id-photo/photo.ts';
import { checkCutOutSize } from '../operations/remove-background/size.ts';
import type { Warning } from '../result.ts';
import { cropArea } from './crop.ts';
import { areaOf, defineStep } from './step.ts';

/** Its execution is in worker/id-photo.ts. */
export const idPhoto = defineStep({
  label: { name: 'ID photo', hint: 'A passport photo and its file. The last step.', group: 'File', place: 4 },
  params: () => idPhotoParams.shape,
  check: (params) => {
    resolvePhoto(params);
  },
  effect(params, before, { context }) {
    const { size, sheet } = resolvePhoto(params);
    if (params.crop !== undefined) cropArea(before, params.crop);
    if (params.remove_background) checkCutOutSize(context, before);
    return { size: sheet?.size ?? size, changes: true };
  },
  isEncoding: true,
  file: {
    format: (params) => resolvePhoto(params).format,
    isLossless: (params) => OUTPUTS[resolvePhoto(params).format].lossless,
    isOpaque: true,
    bytes(params) {
      const { minBytes: min, maxBytes: max } = resolvePhoto(params);
      return { min, max };
    },
    warnings: photoWarnings,
  },
  isLast: true,
  models: modelsOf,
  takesOneFrame: true,
  readsRowsInOrder: (params) => modelsOf(params).length === 0,
  visible: (_params, before, after) => ({ scale: areaOf(after) / areaOf(before) }),
});

function photoWarnings(params: IdPhotoParams, before: Size): Warning[] {
  const { size, preset } = resolvePhoto(params);
  const crop = params.crop === undefined ? undefined : cropArea(before, params.crop);
  const enlarged = magnification(photoArea(before, size, crop), size);
  return [
    ...(preset?.source_kind === 'quoted' ? (['preset_unverified'] as const) : []),
    ...(enlarged > 1 ? (['print_resolution_low'] as const) : []),
  ];
}
