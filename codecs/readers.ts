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

const ours = (load: LazyReader['load'], ...needs: string[]): LazyReader => ({ load, needs });

const MAGICK_FILE = '@imagemagick/magick-wasm/magick.wasm';
const magick = (format: MagickInput): LazyReader =>
  ours(async () => (await import('./magick/read.ts')).magickReader(format), MAGICK_FILE);

export const READERS: Partial<Record<InputFormat, LazyReader>> = {
  bmp: ours(async () => (await import('./windows-readers.ts')).bmpReader),
  ico: ours(async () => (await import('./windows-readers.ts')).icoReader),
  sun: ours(async () => (await import('./legacy/sun.ts')).sunReader),
  pcx: ours(async () => (await import('./legacy/pcx.ts')).pcxReader),
  dcx: ours(async () => (await import('./legacy/dcx.ts')).dcxReader),
  msp: ours(async () => (await import('./legacy/msp.ts')).mspReader),
  wal: ours(async () => (await import('./legacy/wal.ts')).walReader),
  xv: ours(async () => (await import('./legacy/xv.ts')).xvReader),
  pam: ours(async () => (await import('./legacy/pam.ts')).pamReader),
  qoi: ours(async () => (await import('./legacy/qoi.ts')).qoiReader),
  farbfeld: ours(async () => (await import('./legacy/farbfeld.ts')).farbfeldReader),
  wbmp: ours(async () => (await import('./legacy/wbmp.ts')).wbmpReader),
  xbm: ours(async () => (await import('./legacy/xbm.ts')).xbmReader),
  xpm: ours(async () => (await import('./legacy/xpm.ts')).xpmReader),
  sgi: ours(async () => (await import('./legacy/sgi.ts')).sgiReader),
  macpaint: ours(async () => (await import('./legacy/macpaint.ts')).macpaintReader),
  pdf: ours(async () => (await import('./pdf/read.ts')).pdfReader, '@hyzyla/pdfium'),
  nifti: ours(async () => (await import('./volumes/read.ts')).niftiReader),
  analyze: ours(async () => (await import('./volumes/read.ts')).analyzeReader),
  mgh: ours(async () => (await import('./volumes/read.ts')).mghReader),
  djvu: ours(async () => (await import('./djvu/read.ts')).djvuReader),
  dicom: ours(async () => (await import('./dicom/read.ts')).dicomReader),
  jls: ours(async () => (await import('./jls/read.ts')).jlsReader, '@cornerstonejs/codec-charls'),
  raw: ours(async () => (await import('./raw/read.ts')).rawReader, MAGICK_FILE),
  pict: ours(async () => (await import('./legacy/pict.ts')).pictReader),
  artstudio: ours(async () => (await import('./screens/artstudio.ts')).artstudioReader),
  atari8: ours(async () => (await import('./screens/atari8.ts')).atari8Reader),
  zxscreen: ours(async () => (await import('./screens/zxscreen.ts')).zxscreenReader),
  koala: ours(async () => (await import('./screens/koala.ts')).koalaReader),
  neochrome: ours(async () => (await import('./screens/neochrome.ts')).neochromeReader),
  doodle: ours(async () => (await import('./screens/doodle.ts')).doodleReader),
  apple2: ours(async () => (await import('./screens/apple2.ts')).apple2Reader),
  msx: ours(async () => (await import('./screens/msx.ts')).msxReader),
  spectrum512: ours(async () => (await import('./screens/spectrum512.ts')).spectrum512Reader),
  degas: ours(async () => (await import('./screens/degas.ts')).degasReader),
  tiny: ours(async () => (await import('./screens/tiny.ts')).tinyReader),
  heic: ours(async () => (await import('./heif/read.ts')).heicReader, MAGICK_FILE),
  svg: ours(async () => (await import('./svg/read.ts')).svgReader, '@resvg/resvg-wasm/index_bg.wasm'),
  icns: ours(async () => (await import('./icns/read.ts')).icnsReader),
  ilbm: ours(async () => (await import('./iff/read.ts')).ilbmReader),
  jp2: magick('jp2'),
  exr: ours(async () => (await import('./exr/read.ts')).exrReader),
  fits: ours(async () => (await import('./fits/read.ts')).fitsReader),
  vicar: magick('vicar'),
  psd: magick('psd'),
  xcf: ours(async () => (await import('./xcf/read.ts')).xcfReader),
  miff: magick('miff'),
  tga: ours(async () => (await import('./tga-read.ts')).tgaReader),
  dpx: magick('dpx'),
  cin: magick('cin'),
  dds: magick('dds'),
  tim: magick('tim'),
  otb: magick('otb'),
  jng: magick('jng'),
  mng: magick('mng'),
  sixel: ours(async () => (await import('./small/sixel.ts')).sixelReader),
  viff: magick('viff'),
  mtv: magick('mtv'),
  rla: magick('rla'),
  avs: magick('avs'),
  hrz: magick('hrz'),
  cut: magick('cut'),
  wpg: magick('wpg'),
  cals: ours(async () => (await import('./small/cals.ts')).calsReader),
  sct: magick('sct'),
  pcd: magick('pcd'),
  sfw: ours(async () => (await import('./small/sfw.ts')).sfwReader),
  palm: ours(async () => (await import('./small/palm.ts')).palmReader),
  pdb: magick('pdb'),
  rgf: ours(async () => (await import('./small/rgf.ts')).rgfReader),
  aai: magick('aai'),
  art: ours(async () => (await import('./small/art.ts')).artReader),
};

interface Exception {
  applies(bytes: Uint8Array, page: number): boolean;
  reader: LazyReader;
}

/** Files of libvips' formats that libvips refuses, and the readers for them. */
export const EXCEPTIONS: Partial<Record<InputFormat, Exception>> = {
  tiff: { applies: isUnusualTiff, reader: magick('tiff') },
  jpeg: { applies: isDeepJpeg, reader: ours(async () => (await import('./deep-jpeg.ts')).deepJpegReader, MAGICK_FILE) },
};
