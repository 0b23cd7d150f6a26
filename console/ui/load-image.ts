import type { DisplayedImage } from './image.ts';

/** Loads a file as an image. Undefined if the browser cannot show it. The caller must revoke the address. */
export async function loadImage(file: Blob): Promise<DisplayedImage | undefined> {
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
