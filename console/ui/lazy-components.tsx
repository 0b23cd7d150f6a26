/** Components that are loaded when first needed. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice, Spinner } from './feedback.tsx';

export const Compare = lazy(() => import('./compare/compare.tsx').then((module) => module.Compare));
export const Boxes = lazy(() => import('./areas/boxes.tsx').then((module) => module.Boxes));
export const AreaPicker = lazy(() => import('./areas/area-picker.tsx').then((module) => module.AreaPicker));
export const FaviconPreview = lazy(() => import('./favicon/preview.tsx').then((module) => module.FaviconPreview));
export const Timeline = lazy(() => import('./animation/timeline.tsx').then((module) => module.Timeline));
export const MaskEditor = lazy(() => import('./mask/mask-editor.tsx').then((module) => module.MaskEditor));

/** Wraps a component so that it is loaded when it is first shown. */
function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  return function Later(props: P) {
    const [Part, setPart] = useState<ComponentType<P>>();
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      load().then((part) => setPart(() => part), setError);
    }, []);
    if (error !== undefined) return <Notice error={error}>This part of the page could not be loaded.</Notice>;
    return Part ? <Part {...props} /> : <Spinner label="Loading" />;
  };
}
