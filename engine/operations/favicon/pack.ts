/** Makes the ZIP file of a pack. */
import { type Zippable, zipSync } from 'fflate';
import { toRgb, withAlpha } from '../../../codecs/colour.ts';
import { encodeIco } from '../../../codecs/ico.ts';
import { encodePng } from '../../../codecs/png.ts';
import type { Samples } from '../../../codecs/samples.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { ZipResult } from '../definition.ts';
import { encoderFailed } from '../retry-truncated.ts';
import { transferable } from '../transferable.ts';
import type { DrawnIcon } from './icons.ts';
import { HTML_FILE, htmlText, ICO_FILE, MANIFEST_FILE, manifestText, type Site } from './texts.ts';

/** The earliest time that a ZIP can store, in every time zone, so that the same pack gives the same bytes. */
const NO_TIME = new Date(1980, 0, 1);

/** PNG is already compressed. */
const stored = { level: 0, mtime: NO_TIME } as const;
const deflated = { level: 9, mtime: NO_TIME } as const;

export function packIcons(
  context: WorkerContext,
  icons: readonly DrawnIcon[],
  site: Site,
): Pick<ZipResult, 'data' | 'files'> {
  const utf8 = new TextEncoder();
  const files: Zippable = {
    [ICO_FILE]: [encodeIco(icons.filter(({ use }) => use === 'tab').map(({ image }) => samples(image))), deflated],
    ...Object.fromEntries(icons.map(({ file, image }) => [file, [pngOf(context, image), stored]])),
    [MANIFEST_FILE]: [utf8.encode(manifestText(site)), deflated],
    [HTML_FILE]: [utf8.encode(htmlText(site)), deflated],
  };
  return { data: transferable(zipSync(files)), files: Object.keys(files) };
}

function pngOf(context: WorkerContext, image: Image): Uint8Array {
  try {
    return encodePng(context, image);
  } catch (error) {
    throw encoderFailed(error);
  }
}

function samples(image: Image): Samples<4> {
  const { width, height } = image;
  return { data: withAlpha(toRgb(image)).writeToMemory() as Uint8Array, width, height, channels: 4 };
}
