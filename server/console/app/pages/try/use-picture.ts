import { useEffect, useState } from 'preact/hooks';
import type { Picture } from '../../ui/picture.ts';
import { pictureOf } from '../../ui/picture-of.ts';

/** Prepares an image for display. Returns null while loading, and undefined if the browser cannot show the file. */
export function usePicture(file: Blob | undefined): Picture | undefined | null {
  const [known, setKnown] = useState<{ file: Blob; picture: Picture | undefined }>();
  useEffect(() => {
    if (!file) return;
    let isWanted = true;
    let url: string | undefined;
    void pictureOf(file).then((picture) => {
      url = picture?.url;
      if (isWanted) setKnown({ file, picture });
      else if (url) URL.revokeObjectURL(url);
    });
    return () => {
      isWanted = false;
      if (url) URL.revokeObjectURL(url);
    };
  }, [file]);
  if (!file) return undefined;
  return known?.file === file ? known.picture : null;
}
