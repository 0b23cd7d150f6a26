/** Our own readers, each imported when a worker meets its format for the first time. */
import type { FormatReader } from './format-reader.ts';
import { FORMATS, type InputFormat } from './formats/registry.ts';
import { isDeepJpeg } from './jpeg-frame.ts';
import type { StillFormat, StillHeader } from './legacy/still.ts';
import type { MagickInput } from './magick/coders.ts';
import { isUnusualTiff } from './unusual-tiff.ts';

type LoadReader = () => Promise<FormatReader>;

const magick =
  (format: MagickInput): LoadReader =>
  async () =>
    (await import('./magick/read.ts')).magickReader(format);

function still<Header extends StillHeader>(format: InputFormat, load: () => Promise<StillFormat<Header>>): LoadReader {
  return async () => (await import('./legacy/still.ts')).stillReader(FORMATS[format].name, await load());
}

export const READERS: Partial<Record<InputFormat, LoadReader>> = {
  bmp: async () => (await import('./windows-readers.ts')).bmpReader,
  ico: async () => (await import('./windows-readers.ts')).icoReader,
  sun: still('sun', async () => (await import('./legacy/sun.ts')).sunStill),
  pcx: still('pcx', async () => (await import('./legacy/pcx.ts')).pcxStill),
  dcx: async () => (await import('./legacy/dcx.ts')).dcxReader,
  msp: still('msp', async () => (await import('./legacy/msp.ts')).mspStill),
  wal: still('wal', async () => (await import('./legacy/wal.ts')).walStill),
  xv: still('xv', async () => (await import('./legacy/xv.ts')).xvStill),
  pam: still('pam', async () => (await import('./legacy/pam.ts')).pamStill),
  qoi: still('qoi', async () => (await import('./legacy/qoi.ts')).qoiStill),
  farbfeld: still('farbfeld', async () => (await import('./legacy/farbfeld.ts')).farbfeldStill),
  wbmp: still('wbmp', async () => (await import('./legacy/wbmp.ts')).wbmpStill),
  xbm: still('xbm', async () => (await import('./legacy/xbm.ts')).xbmStill),
  xpm: still('xpm', async () => (await import('./legacy/xpm.ts')).xpmStill),
  sgi: still('sgi', async () => (await import('./legacy/sgi.ts')).sgiStill),
  macpaint: still('macpaint', async () => (await import('./legacy/macpaint.ts')).macpaintStill),
  pdf: async () => (await import('./pdf/read.ts')).pdfReader,
  nifti: async () => (await import('./volumes/read.ts')).niftiReader,
  analyze: async () => (await import('./volumes/read.ts')).analyzeReader,
  mgh: async () => (await import('./volumes/read.ts')).mghReader,
  djvu: async () => (await import('./djvu/read.ts')).djvuReader,
  dicom: async () => (await import('./dicom/read.ts')).dicomReader,
  jls: async () => (await import('./jls/read.ts')).jlsReader,
  raw: async () => (await import('./raw/read.ts')).rawReader,
  pict: async () => (await import('./legacy/pict.ts')).pictReader,
  artstudio: still('artstudio', async () => (await import('./screens/artstudio.ts')).artstudioStill),
  atari8: still('atari8', async () => (await import('./screens/atari8.ts')).atari8Still),
  zxscreen: still('zxscreen', async () => (await import('./screens/zxscreen.ts')).zxscreenStill),
  koala: still('koala', async () => (await import('./screens/koala.ts')).koalaStill),
  neochrome: still('neochrome', async () => (await import('./screens/neochrome.ts')).neochromeStill),
  doodle: still('doodle', async () => (await import('./screens/doodle.ts')).doodleStill),
  apple2: still('apple2', async () => (await import('./screens/apple2.ts')).apple2Still),
  msx: still('msx', async () => (await import('./screens/msx.ts')).msxStill),
  spectrum512: still('spectrum512', async () => (await import('./screens/spectrum512.ts')).spectrum512Still),
  degas: still('degas', async () => (await import('./screens/degas.ts')).degasStill),
  tiny: still('tiny', async () => (await import('./screens/tiny.ts')).tinyStill),
  heic: async () => (await import('./heif/read.ts')).heicReader,
  svg: async () => (await import('./svg/read.ts')).svgReader,
  icns: async () => (await import('./icns/read.ts')).icnsReader,
  ilbm: async () => (await import('./iff/read.ts')).ilbmReader,
  jp2: magick('jp2'),
  exr: async () => (await import('./exr/read.ts')).exrReader,
  fits: async () => (await import('./fits/read.ts')).fitsReader,
  vicar: magick('vicar'),
  psd: magick('psd'),
  xcf: async () => (await import('./xcf/read.ts')).xcfReader,
  miff: magick('miff'),
  tga: async () => (await import('./tga-read.ts')).tgaReader,
  dpx: magick('dpx'),
  cin: magick('cin'),
  dds: magick('dds'),
  tim: magick('tim'),
  otb: magick('otb'),
  jng: magick('jng'),
  mng: magick('mng'),
  sixel: still('sixel', async () => (await import('./small/sixel.ts')).sixelStill),
  viff: magick('viff'),
  mtv: magick('mtv'),
  rla: magick('rla'),
  avs: magick('avs'),
  hrz: magick('hrz'),
  cut: magick('cut'),
  wpg: magick('wpg'),
  cals: async () => (await import('./small/cals.ts')).calsReader,
  sct: magick('sct'),
  pcd: magick('pcd'),
  sfw: async () => (await import('./small/sfw.ts')).sfwReader,
  palm: still('palm', async () => (await import('./small/palm.ts')).palmStill),
  pdb: magick('pdb'),
  rgf: still('rgf', async () => (await import('./small/rgf.ts')).rgfStill),
  aai: magick('aai'),
  art: still('art', async () => (await import('./small/art.ts')).artStill),
};

interface FallbackReader {
  applies(bytes: Uint8Array, page: number): boolean;
  reader: LoadReader;
}

/** Files of libvips' formats that libvips refuses, and the readers for them. */
export const FALLBACK_READERS: Partial<Record<InputFormat, FallbackReader>> = {
  tiff: { applies: isUnusualTiff, reader: magick('tiff') },
  jpeg: {
    applies: isDeepJpeg,
    reader: async () => (await import('./deep-jpeg.ts')).deepJpegReader,
  },
};
