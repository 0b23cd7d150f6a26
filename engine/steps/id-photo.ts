import { idPhotoParams, modelsOf } from '../operations/id-photo/params.ts';
import { resolvePhoto } from '../operations/id-photo/photo.ts';
import { checkCutOutSize } from '../operations/remove-background/size.ts';
import { cropArea } from './crop.ts';
import { areaOf, defineStep } from './step.ts';

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
  models: modelsOf,
  takesOneFrame: true,
  readsRowsInOrder: (params) => modelsOf(params).length === 0,
  visible: (_params, before, after) => ({ scale: areaOf(after) / areaOf(before) }),
});
