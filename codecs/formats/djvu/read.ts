/**
 * Reads DjVu: documents of scanned pages and single wavelet images (DjVu 3 Specification, Lizardtech, November 2005).
 */
import { checkPixels } from '../../bitmap.ts';
import type { FormatReader } from '../../format-reader.ts';
import { findPage } from './document.ts';
import { renderPage } from './render.ts';

/** Wavelet coefficients and the layers that are composed. */
const WORKING_BYTES_PER_PIXEL = 16;

export const reader: FormatReader = {
  shrinks: true,

  probe(bytes, { page }) {
    const { info, pages } = findPage(bytes, page);
    const sideways = info.rotation % 180 !== 0;
    return {
      width: sideways ? info.height : info.width,
      height: sideways ? info.width : info.height,
      pages,
      depth: 8,
      hasAlpha: false,
      workingBytes: info.width * info.height * WORKING_BYTES_PER_PIXEL,
    };
  },

  decode(bytes, { page, maxPixels, shrink = 1 }, context) {
    const found = findPage(bytes, page);
    checkPixels(found.info, maxPixels);
    const { raster, truncated } = renderPage(found, context, shrink);
    const { resolution } = found.info;
    return {
      bitmap: {
        ...raster,
        truncated,
        density: resolution === undefined ? undefined : { x: resolution / shrink, y: resolution / shrink },
      },
    };
  },
};
