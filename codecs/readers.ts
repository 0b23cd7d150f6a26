/** Our own readers, each imported when a worker meets its format for the first time. */
import type { FormatReader } from './format-reader.ts';
import type { InputFormat } from './formats.ts';
import { isDeepJpeg } from './jpeg-frame.ts';
import type { MagickInput } from './magick/coders.ts';
import { isUnusualTiff } from './unusual-tiff.ts';

interface LazyReader {
  load(): Promise<FormatReader>;
  /** Files of other packages that it requires. */
  needs: readonly string[];
}

const lazyReader = (load: LazyReader['load'], ...needs: string[]): LazyReader => ({ load, needs });

const MAGICK_FILE = '@imagemagick/magick-wasm/magick.wasm';
const magick = (format: MagickInput): LazyReader =>
  lazyReader(async () => (await import('./magick/read.ts')).magickReader(format), MAGICK_FILE);

export const READERS: Partial<Record<InputFormat, LazyReader>> = {
  bmp: lazyReader(async () => (await import('./windows-readers.ts')).bmpReader),
  ico: lazyReader(async () => (await import('./windows-readers.ts')).icoReader),
  sun: lazyReader(async () => (await import('./legacy/sun.ts')).sunReader),
  pcx: lazyReader(async () => (await import('./legacy/pcx.ts')).pcxReader),
  dcx: lazyReader(async () => (await import('./legacy/dcx.ts')).dcxReader),
  msp: lazyReader(async () => (await import('./legacy/msp.ts')).mspReader),
  wal: lazyReader(async () => (await import('./legacy/wal.ts')).walReader),
  xv: lazyReader(async () => (await import('./legacy/xv.ts')).xvReader),
  pam: lazyReader(async () => (await import('./legacy/pam.ts')).pamReader),
  qoi: lazyReader(async () => (await import('./legacy/qoi.ts')).qoiReader),
  farbfeld: lazyReader(async () => (await import('./legacy/farbfeld.ts')).farbfeldReader),
  wbmp: lazyReader(async () => (await import('./legacy/wbmp.ts')).wbmpReader),
  xbm: lazyReader(async () => (await import('./legacy/xbm.ts')).xbmReader),
  xpm: lazyReader(async () => (await import('./legacy/xpm.ts')).xpmReader),
  sgi: lazyReader(async () => (await import('./legacy/sgi.ts')).sgiReader),
  macpaint: lazyReader(async () => (await import('./legacy/macpaint.ts')).macpaintReader),
  pdf: lazyReader(async () => (await import('./pdf/read.ts')).pdfReader, '@hyzyla/pdfium'),
  nifti: lazyReader(async () => (await import('./volumes/read.ts')).niftiReader),
  analyze: lazyReader(async () => (await import('./volumes/read.ts')).analyzeReader),
  mgh: lazyReader(async () => (await import('./volumes/read.ts')).mghReader),
  djvu: lazyReader(async () => (await import('./djvu/read.ts')).djvuReader),
  dicom: lazyReader(async () => (await import('./dicom/read.ts')).dicomReader),
  jls: lazyReader(async () => (await import('./jls/read.ts')).jlsReader, '@cornerstonejs/codec-charls'),
  raw: lazyReader(async () => (await import('./raw/read.ts')).rawReader, MAGICK_FILE),
  pict: lazyReader(async () => (await import('./legacy/pict.ts')).pictReader),
  artstudio: lazyReader(async () => (await import('./screens/artstudio.ts')).artstudioReader),
  atari8: lazyReader(async () => (await import('./screens/atari8.ts')).atari8Reader),
  zxscreen: lazyReader(async () => (await import('./screens/zxscreen.ts')).zxscreenReader),
  koala: lazyReader(async () => (await import('./screens/koala.ts')).koalaReader),
  neochrome: lazyReader(async () => (await import('./screens/neochrome.ts')).neochromeReader),
  doodle: lazyReader(async () => (await import('./screens/doodle.ts')).doodleReader),
  apple2: lazyReader(async () => (await import('./screens/apple2.ts')).apple2Reader),
  msx: lazyReader(async () => (await import('./screens/msx.ts')).msxReader),
  spectrum512: lazyReader(async () => (await import('./screens/spectrum512.ts')).spectrum512Reader),
  degas: lazyReader(async () => (await import('./screens/degas.ts')).degasReader),
  tiny: lazyReader(async () => (await import('./screens/tiny.ts')).tinyReader),
  heic: lazyReader(async () => (await import('./heif/read.ts')).heicReader, MAGICK_FILE),
  svg: lazyReader(async () => (await import('./svg/read.ts')).svgReader, '@resvg/resvg-wasm/index_bg.wasm'),
  icns: lazyReader(async () => (await import('./icns/read.ts')).icnsReader),
  ilbm: lazyReader(async () => (await import('./iff/read.ts')).ilbmReader),
  jp2: magick('jp2'),
  exr: lazyReader(async () => (await import('./exr/read.ts')).exrReader),
  fits: lazyReader(async () => (await import('./fits/read.ts')).fitsReader),
  vicar: magick('vicar'),
  psd: magick('psd'),
  xcf: lazyReader(async () => (await import('./xcf/read.ts')).xcfReader),
  miff: magick('miff'),
  tga: lazyReader(async () => (await import('./tga-read.ts')).tgaReader),
  dpx: magick('dpx'),
  cin: magick('cin'),
  dds: magick('dds'),
  tim: magick('tim'),
  otb: magick('otb'),
  jng: magick('jng'),
  mng: magick('mng'),
  sixel: lazyReader(async () => (await import('./small/sixel.ts')).sixelReader),
  viff: magick('viff'),
  mtv: magick('mtv'),
  rla: magick('rla'),
  avs: magick('avs'),
  hrz: magick('hrz'),
  cut: magick('cut'),
  wpg: magick('wpg'),
  cals: lazyReader(async () => (await import('./small/cals.ts')).calsReader),
  sct: magick('sct'),
  pcd: magick('pcd'),
  sfw: lazyReader(async () => (await import('./small/sfw.ts')).sfwReader),
  palm: lazyReader(async () => (await import('./small/palm.ts')).palmReader),
  pdb: magick('pdb'),
  rgf: lazyReader(async () => (await import('./small/rgf.ts')).rgfReader),
  aai: magick('aai'),
  art: lazyReader(async () => (await import('./small/art.ts')).artReader),
};

interface FallbackReader {
  applies(bytes: Uint8Array, page: number): boolean;
  reader: LazyReader;
}

/** Files of libvips' formats that libvips refuses, and the readers for them. */
export const FALLBACK_READERS: Partial<Record<InputFormat, FallbackReader>> = {
  tiff: { applies: isUnusualTiff, reader: magick('tiff') },
  jpeg: {
    applies: isDeepJpeg,
    reader: lazyReader(async () => (await import('./deep-jpeg.ts')).deepJpegReader, MAGICK_FILE),
  },
};
