/** What is compiled into the WebAssembly of @imagemagick/magick-wasm. */
import { EMSCRIPTEN, fromNoticeOfMagick, type Library, NOTICED_IN_MAGICK } from './library.ts';

export const MAGICK_LIBRARIES: readonly Library[] = [
  { key: 'ImageMagick', notice: 'ImageMagick', name: 'ImageMagick', licence: 'ImageMagick' },
  ...NOTICED_IN_MAGICK.map(fromNoticeOfMagick),
  ...EMSCRIPTEN,
];
