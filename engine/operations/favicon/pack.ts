/** Makes the ZIP file of a pack. */
import { toRgb, withAlpha } from '../../../codecs/colour.ts';
import { encodeIco } from '../../../codecs/ico.ts';
import { encodePng } from '../../../codecs/png.ts';
import type { Samples } from '../../../codecs/samples.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { ZipResult } from '../definition.ts';
import { encoderFailed } from '../retry-truncated.ts';
import { packFiles } from '../zip.ts';
import type { DrawnIcon } from './icons.ts';
import { HTML_FILE, htmlText, ICO_FILE, MANIFEST_FILE, manifestText, type Site } from './texts.ts';

export function packIcons(
  context: WorkerContext,
  icons: readonly DrawnIcon[],
  site: Site,
): Pick<ZipResult, 'data' | 'files'> {
  const utf8 = new TextEncoder();
  const text = (name: string, content: string) => ({ name, bytes: utf8.encode(content), isCompressible: true });
  const tabIcons = icons.filter(({ use }) => use === 'tab').map(({ image }) => samples(image));
  return packFiles([
    { name: ICO_FILE, bytes: encodeIco(tabIcons), isCompressible: true },
    ...icons.map(({ file, image }) => ({ name: file, bytes: pngOf(context, image), isCompressible: false })),
    text(MANIFEST_FILE, manifestText(site)),
    text(HTML_FILE, htmlText(site)),
  ]);
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
