import type { FormatCodec } from '../../format-codec.ts';
import { commonOptions } from '../../loader.ts';
import { startsWith } from '../../metadata/bytes.ts';
import { isPlainPnm, packPlainPnm } from './plain.ts';

/** Whether a file is a portable float map, grey or RGB. */
const isPfm = (bytes: Uint8Array): boolean => startsWith(bytes, 'Pf') || startsWith(bytes, 'PF');

export const codec: FormatCodec = {
  loader: {
    load: (vips, bytes, options) => {
      if (isPlainPnm(bytes)) return vips.Image.ppmloadBuffer(packPlainPnm(bytes), commonOptions(options));
      if (!isPfm(bytes)) return vips.Image.ppmloadBuffer(bytes, commonOptions(options));
      // Its rows run from bottom to top. libvips leaves flipping them to its callers.
      return vips.Image.ppmloadBuffer(bytes, commonOptions({ ...options, sequential: false })).flip('vertical');
    },
    workingBytesPerPixel: ({ bytesPerPixel }) => bytesPerPixel,
    shrinks: false,
  },
};
