import { useEffect, useRef, useState } from 'preact/hooks';
import { Notice, Spinner } from '../feedback.tsx';
import type { Picture } from '../picture.ts';
import { MaskCanvas } from './mask-canvas.tsx';
import { readMask, writeMask } from './mask-file.ts';
import type { MaskPixels } from './mask-pixels.ts';
import '../viewport/viewport.css';
import './mask.css';

export interface MaskEditorProps {
  picture: Picture;
  /** A greyscale PNG, white is subject, as remove-background returns it with `mask`. */
  mask: Blob;
  /** After each change, with one of the same size. */
  onMask(mask: Blob): void;
}

/** Corrects a mask by brush. */
export function MaskEditor({ picture, mask, onMask }: MaskEditorProps) {
  const [opened, setOpened] = useState<MaskPixels>();
  const [error, setError] = useState<unknown>();
  /** The last one that was handed out: whoever hands it back has no new one. */
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
  return <MaskCanvas key={opened} picture={picture} first={opened} onChange={onChange} />;
}
