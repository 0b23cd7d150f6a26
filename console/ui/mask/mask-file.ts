/** Reads and writes mask files with the browser's codecs. */
import type { MaskPixels } from './mask-pixels.ts';

export async function readMask(file: Blob): Promise<MaskPixels> {
  const bitmap = await createImageBitmap(file, { colorSpaceConversion: 'none' });
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!;
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  const { data: samples } = context.getImageData(0, 0, width, height);
  // The mask is grey, so one colour channel is enough.
  return { width, height, data: new Uint8ClampedArray(width * height).map((_, at) => samples[at * 4]!) };
}

export function writeMask({ width, height, data }: MaskPixels): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, height);
  const image = new ImageData(width, height);
  // Four bytes per pixel: three equal colour channels, and opaque alpha.
  const pixels = new Uint32Array(image.data.buffer);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = (data[at]! * 0x01_01_01) | 0xff_00_00_00;
  canvas.getContext('2d', { willReadFrequently: true })!.putImageData(image, 0, 0);
  return canvas.convertToBlob({ type: 'image/png' });
}
