import { useEffect, useState } from 'preact/hooks';
import type { DisplayedImage } from './image.ts';

/** Prepares an image for display. Returns null while loading, and undefined if the browser cannot show the file. */
export function useImage(file: Blob | undefined): DisplayedImage | undefined | null {
  const [known, setKnown] = useState<{ file: Blob; image: DisplayedImage | undefined }>();
  useEffect(() => {
    if (!file) return;
    let isWanted = true;
    let url: string | undefined;
    void loadImage(file).then((image) => {
      url = image?.url;
      if (isWanted) setKnown({ file, image });
      else if (url) URL.revokeObjectURL(url);
    });
    return () => {
      isWanted = false;
      if (url) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (!file) return undefined;
  return known?.file === file ? known.image : null;
}

/** Loads a file as an image. Undefined if the browser cannot show it. The caller must revoke the address. */
async function loadImage(file: Blob): Promise<DisplayedImage | undefined> {
  const url = URL.createObjectURL(file);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return { url, width: image.naturalWidth, height: image.naturalHeight };
  } catch {
    URL.revokeObjectURL(url);
    return undefined;
  }
}
