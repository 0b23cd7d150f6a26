import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice, Spinner } from '../feedback.tsx';
import type { DisplayedImage } from '../image.ts';
import { MaskCanvas } from './mask-canvas.tsx';
import { type MaskPixels, readMask, writeMask } from './mask-pixels.ts';
import '../viewport/viewport.css';
import './mask.css';

export interface MaskEditorProps {
  image: DisplayedImage;
  /** A greyscale PNG in which white is the subject, as remove-background returns it with `mask`. */
  mask: Blob;
  /** Called after each change with a mask of the same size. */
  onMask(mask: Blob): void;
}

/** Edits a mask with a brush. */
export function MaskEditor({ image, mask, onMask }: MaskEditorProps) {
  const [opened, setOpened] = useState<MaskPixels>();
  const [error, setError] = useState<unknown>();
  /** The last mask passed to `onMask`. If it comes back as a prop, it is not a new mask. */
  const written = useRef<Blob | undefined>(undefined);
  const changes = useRef(0);
  const tell = useRef(onMask);
  tell.current = onMask;

  useEffect(() => {
    if (mask === written.current) return;
    const change = ++changes.current;
    const isLatest = () => change === changes.current;
    setOpened(undefined);
    setError(undefined);
    readMask(mask).then(
      (pixels) => isLatest() && setOpened(pixels),
      () => isLatest() && setError(new Error('The mask cannot be read. Make it again.')),
    );
  }, [mask]);
  useEffect(
    () => () => {
      changes.current += 1;
    },
    [],
  );

  const onChange = async (pixels: MaskPixels) => {
    const change = ++changes.current;
    const blob = await writeMask(pixels);
    if (change !== changes.current) return;
    written.current = blob;
    tell.current(blob);
  };

  if (error !== undefined) return <Notice error={error} />;
  if (!opened) return <Spinner label="Opening the mask" />;
  return <MaskCanvas key={opened} image={image} first={opened} onChange={onChange} />;
}
