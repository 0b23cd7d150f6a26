/** An encoder of the VP8 data format (RFC 6386), as WebP files hold it. One image at a time; addresses are of the memory of the module. */
import { release } from '../../assembly/memory';
import { startPlanes } from './planes';

export { reserve } from '../../assembly/memory';
export { encodeFrame, endOfFrame } from './frame';
export { alphaPlane, lumaPitch, storeLines } from './planes';

/** Begins an image. @returns whether there is memory for it */
export function start(width: i32, height: i32, hasAlpha: bool): bool {
  release();
  return startPlanes(width, height, hasAlpha);
}
