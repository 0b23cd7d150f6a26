/** A mask in memory: one byte per pixel, 255 is the subject. */
export interface MaskPixels {
  width: number;
  height: number;
  data: Uint8ClampedArray<ArrayBuffer>;
}

/** An area of a mask, in whole pixels. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export const wholeOf = ({ width, height }: MaskPixels): Area => ({ left: 0, top: 0, right: width, bottom: height });

/** Returns the smallest area that contains both. */
export function joined(one: Area | undefined, other: Area): Area {
  if (!one) return other;
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  };
}

/** Copies the pixels of an area, row by row. */
export function copied({ width, data }: Pick<MaskPixels, 'width' | 'data'>, area: Area): MaskPixels['data'] {
  const across = area.right - area.left;
  const pixels = new Uint8ClampedArray(across * (area.bottom - area.top));
  for (let row = area.top; row < area.bottom; row += 1) {
    const start = row * width + area.left;
    pixels.set(data.subarray(start, start + across), (row - area.top) * across);
  }
  return pixels;
}

export function put({ width, data }: MaskPixels, area: Area, pixels: MaskPixels['data']): void {
  const across = area.right - area.left;
  for (let row = area.top; row < area.bottom; row += 1) {
    const from = (row - area.top) * across;
    data.set(pixels.subarray(from, from + across), row * width + area.left);
  }
}

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
