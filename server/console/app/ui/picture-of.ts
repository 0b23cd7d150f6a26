import type { Picture } from './picture.ts';

/** A file as a picture, where the browser can show it. Its address is to be revoked when it is no longer shown. */
export async function pictureOf(file: Blob): Promise<Picture | undefined> {
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
