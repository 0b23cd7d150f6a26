/** What libnsgif, with which libvips reads GIF files, takes for the size of the screen. */

/** What cameras and programs once wrote whatever the size of the picture. */
const DOUBTED_SCREENS = new Set(['640x480', '640x512', '800x600', '1024x768', '1280x1024', '1600x1200']);
const LARGEST_TRUSTED_SIDE = 2048;

/** Whether it takes a size for a mistake, and then for as large as the first image reaches (libnsgif, gif.c). */
export function isDoubtedScreen(width: number, height: number): boolean {
  return (
    Math.min(width, height) === 0 ||
    Math.max(width, height) > LARGEST_TRUSTED_SIDE ||
    DOUBTED_SCREENS.has(`${width}x${height}`)
  );
}
