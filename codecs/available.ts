/**
 * Lists the formats that can be read and written here. That depends on the build of libvips and on the installed
 * packages. Worker side.
 */
import { hasDependency } from '../base/package-file.ts';
import { MAGICK_WASM } from './formats/format.ts';
import { type AvailableFormats, FORMATS, INPUT_FORMATS, OUTPUT_FORMATS, OUTPUTS } from './formats/registry.ts';
import type { VipsApi } from './vips.ts';

// libvips' look-up of a class by nickname; returns 0 when there is none. wasm-vips exports it but does not declare it.
interface TypeFinder {
  Utils: { typeFind(base: string, nickname: string): number };
}

export function availableFormats(vips: VipsApi): AvailableFormats {
  const { Utils } = vips as unknown as TypeFinder;
  const has = (operation: string) => Utils.typeFind('VipsForeign', operation) !== 0;
  return {
    read: INPUT_FORMATS.filter((format) => {
      const { loader, magick, needs = magick && !magick.partly ? [MAGICK_WASM] : [] } = FORMATS[format];
      return loader ? has(loader) : needs.every(hasDependency);
    }),
    write: OUTPUT_FORMATS.filter((format) => has(OUTPUTS[format].saver ?? ALWAYS)),
  };
}

/** The operation checked for formats that are written without libvips. They need only pixels in memory. */
const ALWAYS = 'rawload';
