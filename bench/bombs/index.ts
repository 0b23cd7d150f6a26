/** All bombs: small files of every family of formats that take much work or memory to read. */
import { BMP_BOMBS } from './bmp.ts';
import type { Bomb } from './bomb.ts';
import { truncated } from './cut.ts';
import { DICOM_BOMBS } from './dicom.ts';
import { DJVU_BOMBS } from './djvu.ts';
import { EXR_BOMBS } from './exr.ts';
import { GIF_BOMBS } from './gif.ts';
import { AVIF_BOMBS, HEIC_BOMBS } from './heif.ts';
import { ICNS_BOMBS, ICO_BOMBS } from './icons.ts';
import { JPEG_BOMBS, JPEG_LS_BOMBS } from './jpeg.ts';
import { JPEG_2000_BOMBS } from './jpeg2000.ts';
import { JXL_BOMBS } from './jxl.ts';
import { MAGICK_BOMBS } from './magick.ts';
import { PDF_BOMBS } from './pdf.ts';
import { PNG_BOMBS } from './png.ts';
import { PSD_BOMBS } from './psd.ts';
import { RASTER_BOMBS } from './rasters.ts';
import { RAW_BOMBS } from './raw.ts';
import { ANALYZE_BOMBS, FITS_BOMBS, MGH_BOMBS, NIFTI_BOMBS } from './science.ts';
import { SVG_BOMBS } from './svg.ts';
import { TIFF_BOMBS } from './tiff.ts';
import { WEBP_BOMBS } from './webp.ts';

const WHOLE: readonly Bomb[] = [
  ...JPEG_BOMBS,
  ...JPEG_LS_BOMBS,
  ...BMP_BOMBS,
  ...GIF_BOMBS,
  ...WEBP_BOMBS,
  ...PNG_BOMBS,
  ...TIFF_BOMBS,
  ...PSD_BOMBS,
  ...JPEG_2000_BOMBS,
  ...EXR_BOMBS,
  ...DICOM_BOMBS,
  ...AVIF_BOMBS,
  ...HEIC_BOMBS,
  ...JXL_BOMBS,
  ...ICO_BOMBS,
  ...ICNS_BOMBS,
  ...SVG_BOMBS,
  ...PDF_BOMBS,
  ...DJVU_BOMBS,
  ...FITS_BOMBS,
  ...NIFTI_BOMBS,
  ...MGH_BOMBS,
  ...ANALYZE_BOMBS,
  ...RASTER_BOMBS,
  ...RAW_BOMBS,
  ...MAGICK_BOMBS,
];

const valid = WHOLE.filter(({ name }) => name.includes(': valid'));

export const BOMBS: readonly Bomb[] = [...WHOLE, ...truncated(valid)];
