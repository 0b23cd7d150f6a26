/** Components that are loaded when first needed. */
import { lazy } from './lazy.tsx';

export const Compare = lazy(() => import('../../ui/compare/compare.tsx').then((module) => module.Compare));
export const Boxes = lazy(() => import('../../ui/areas/boxes.tsx').then((module) => module.Boxes));
export const AreaPicker = lazy(() => import('../../ui/areas/area-picker.tsx').then((module) => module.AreaPicker));
export const FaviconPreview = lazy(() =>
  import('../../ui/favicon/preview.tsx').then((module) => module.FaviconPreview),
);
export const Timeline = lazy(() => import('../../ui/animation/timeline.tsx').then((module) => module.Timeline));
export const MaskEditor = lazy(() => import('../../ui/mask/mask-editor.tsx').then((module) => module.MaskEditor));
