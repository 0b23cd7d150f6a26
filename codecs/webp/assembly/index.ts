/**
 * An encoder of the VP8 data format (RFC 6386) for WebP files. It encodes one image at a time. Addresses are in the
 * memory of the module.
 */
import { release } from '../../assembly/memory';
import { startPlanes } from './planes';

export { reserve } from '../../assembly/memory';
export { encodeFrame, endOfFrame } from './frame';
export { alphaPlane, lumaPitch, storeLines } from './planes';

/**
 * Starts an image.
 * @returns false if there is not enough memory
 */
export function start(width: i32, height: i32, hasAlpha: bool): bool {
  release();
  return startPlanes(width, height, hasAlpha);
}
