/** Components that are loaded when first needed. */
import { later } from './later.tsx';

export const Compare = later(() => import('../../ui/compare/compare.tsx').then((module) => module.Compare));
export const Boxes = later(() => import('../../ui/areas/boxes.tsx').then((module) => module.Boxes));
export const AreaPicker = later(() => import('../../ui/areas/area-picker.tsx').then((module) => module.AreaPicker));
export const FaviconPreview = later(() =>
  import('../../ui/favicon/preview.tsx').then((module) => module.FaviconPreview),
);
export const Timeline = later(() => import('../../ui/animation/timeline.tsx').then((module) => module.Timeline));
export const MaskEditor = later(() => import('../../ui/mask/mask-editor.tsx').then((module) => module.MaskEditor));
