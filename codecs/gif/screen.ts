/** Predicts the screen size that libnsgif, which libvips uses to read GIF files, assumes. */

/** Sizes that cameras and programs once wrote whatever the size of the image. */
const SUSPECT_SCREEN_SIZES = new Set(['640x480', '640x512', '800x600', '1024x768', '1280x1024', '1600x1200']);
const MAX_TRUSTED_SIDE = 2048;

/** Whether libnsgif takes the size for a mistake and uses the extent of the first image instead (libnsgif, gif.c). */
export function isSuspectScreenSize(width: number, height: number): boolean {
  return (
    Math.min(width, height) === 0 ||
    Math.max(width, height) > MAX_TRUSTED_SIDE ||
    SUSPECT_SCREEN_SIZES.has(`${width}x${height}`)
  );
}
