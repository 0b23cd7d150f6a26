/**
 * The formats: their names and what they can hold. Data only, safe on the main thread. Recognition is in sniff.ts and
 * recognise.ts, reading in readers.ts and loaders.ts, writing in write.ts.
 */

/** What an output format can hold. */
export interface OutputTraits {
  /** Supports mode lossless. */
  lossless: boolean;
  /** Keeps transparency. */
  alpha: boolean;
  animation: boolean;
  /** Largest sample depth that mode lossless keeps, in bits. */
  depth: 8 | 16;
  /** Metadata blocks that we can write into the container. */
  holds: { icc: boolean; exif: boolean; xmp: boolean; iptc: boolean; density: boolean };
}

const ALL = { icc: true, exif: true, xmp: true, iptc: true, density: true };
const NONE = { icc: false, exif: false, xmp: false, iptc: false, density: false };

/** The formats that can be written. */
export const OUTPUTS = {
  jpeg: { lossless: false, alpha: false, animation: false, depth: 8, holds: ALL },
  png: { lossless: true, alpha: true, animation: false, depth: 16, holds: { ...ALL, iptc: false } },
  webp: { lossless: true, alpha: true, animation: true, depth: 8, holds: { ...ALL, iptc: false } },
  avif: { lossless: true, alpha: true, animation: false, depth: 8, holds: { ...ALL, iptc: false } },
  gif: { lossless: false, alpha: true, animation: true, depth: 8, holds: NONE },
  tiff: { lossless: true, alpha: true, animation: false, depth: 16, holds: ALL },
  bmp: { lossless: true, alpha: false, animation: false, depth: 8, holds: { ...NONE, density: true } },
  ico: { lossless: true, alpha: true, animation: false, depth: 8, holds: NONE },
  jxl: { lossless: true, alpha: true, animation: false, depth: 16, holds: { ...ALL, iptc: false } },
  pdf: { lossless: false, alpha: false, animation: false, depth: 8, holds: { ...NONE, density: true } },
  tga: { lossless: true, alpha: true, animation: false, depth: 8, holds: NONE },
  psd: { lossless: true, alpha: true, animation: false, depth: 8, holds: ALL },
} as const satisfies Record<string, OutputTraits>;

export type OutputFormat = keyof typeof OUTPUTS;
export const OUTPUT_FORMATS = Object.keys(OUTPUTS) as [OutputFormat, ...OutputFormat[]];

export interface Format {
  name: string;
  /** Without the dot. The first is used for the names of files that we write. */
  extensions: readonly [string, ...string[]];
  /** The first is used for output. */
  contentTypes: readonly [string, ...string[]];
  /** Files may contain transparency. */
  alpha?: true;
  /** All frames of an animation are read. */
  animation?: true;
  /** Files may hold several pages, frames or planes. `page` chooses one. */
  pages?: true;
  /** Has no signature; recognised by the extension of its name and by its length. */
  named?: true;
  /** A screen of a home computer. To be recognised by its name, its length and bytes must fit too. */
  screen?: true;
  /** What a user should know about reading the format. */
  note?: string;
}

/** All formats. Every one of them can be read, including every output format. */
const TABLE = {
  // Web.
  jpeg: {
    name: 'JPEG',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif', 'mpo'],
    contentTypes: ['image/jpeg'],
    pages: true,
    note: 'the pictures of a multi-picture file are its pages',
  },
  png: {
    name: 'PNG',
    extensions: ['png', 'apng'],
    contentTypes: ['image/png', 'image/apng'],
    alpha: true,
    note: 'of an APNG the default picture',
  },
  webp: { name: 'WebP', extensions: ['webp'], contentTypes: ['image/webp'], alpha: true, animation: true, pages: true },
  avif: {
    name: 'AVIF',
    extensions: ['avif', 'avifs'],
    contentTypes: ['image/avif'],
    alpha: true,
    note: 'of a sequence the first picture',
  },
  gif: { name: 'GIF', extensions: ['gif'], contentTypes: ['image/gif'], alpha: true, animation: true, pages: true },
  svg: {
    name: 'SVG',
    extensions: ['svg', 'svgz'],
    contentTypes: ['image/svg+xml'],
    alpha: true,
    note: 'drawn without scripts and outside references; compress alone answers a smaller SVG',
  },
  ico: {
    name: 'Windows icon',
    extensions: ['ico', 'cur'],
    contentTypes: ['image/vnd.microsoft.icon', 'image/x-icon'],
    alpha: true,
    pages: true,
    note: 'page 1 is the largest icon',
  },
  bmp: { name: 'BMP', extensions: ['bmp', 'dib'], contentTypes: ['image/bmp'], alpha: true },
  // Photographs.
  tiff: { name: 'TIFF', extensions: ['tif', 'tiff'], contentTypes: ['image/tiff'], alpha: true, pages: true },
  jxl: { name: 'JPEG XL', extensions: ['jxl'], contentTypes: ['image/jxl'], alpha: true },
  heic: {
    name: 'HEIF',
    extensions: ['heic', 'heif', 'hif'],
    contentTypes: ['image/heic', 'image/heif'],
    alpha: true,
    pages: true,
  },
  jp2: {
    name: 'JPEG 2000',
    extensions: ['jp2', 'j2k', 'j2c', 'jpc', 'jpf', 'jpx', 'jpm'],
    contentTypes: ['image/jp2', 'image/j2c'],
    alpha: true,
  },
  jls: { name: 'JPEG-LS', extensions: ['jls'], contentTypes: ['image/jls'] },
  hdr: { name: 'Radiance HDR', extensions: ['hdr', 'rgbe', 'pic'], contentTypes: ['image/vnd.radiance'] },
  exr: { name: 'OpenEXR', extensions: ['exr'], contentTypes: ['image/x-exr'], alpha: true },
  raw: {
    name: 'Camera RAW',
    extensions: [
      'dng',
      'cr2',
      'cr3',
      'crw',
      'nef',
      'nrw',
      'arw',
      'srf',
      'sr2',
      'raf',
      'orf',
      'rw2',
      'rwl',
      'pef',
      'srw',
      'x3f',
      'erf',
      'kdc',
      'dcr',
      'mrw',
      'mef',
      'mos',
      'iiq',
      '3fr',
      'fff',
    ],
    contentTypes: ['image/x-adobe-dng', 'image/x-dcraw'],
    note: 'developed, or the embedded preview with the warning preview_used',
  },
  // Documents and science.
  pdf: {
    name: 'PDF',
    extensions: ['pdf'],
    contentTypes: ['application/pdf'],
    pages: true,
    note: '150 dpi, or the size asked for',
  },
  djvu: { name: 'DjVu', extensions: ['djvu', 'djv'], contentTypes: ['image/vnd.djvu'], pages: true },
  dicom: { name: 'DICOM', extensions: ['dcm', 'dicom'], contentTypes: ['application/dicom'], pages: true },
  nifti: {
    name: 'NIfTI volume',
    extensions: ['nii', 'nii.gz'],
    contentTypes: ['application/x-nifti'],
    pages: true,
    note: 'planes are pages; of a series the first volume',
  },
  analyze: {
    name: 'Analyze 7.5 volume',
    extensions: ['img', 'hdr'],
    contentTypes: ['application/x-analyze'],
    pages: true,
    note: 'header and voxels in one file',
  },
  mgh: { name: 'FreeSurfer volume', extensions: ['mgh', 'mgz'], contentTypes: ['application/x-mgh'], pages: true },
  fits: { name: 'FITS', extensions: ['fits', 'fit', 'fts'], contentTypes: ['image/fits'], pages: true },
  vicar: { name: 'VICAR', extensions: ['vicar', 'vic'], contentTypes: ['image/x-vicar'] },
  // Editors.
  psd: {
    name: 'Photoshop document',
    extensions: ['psd', 'psb'],
    contentTypes: ['image/vnd.adobe.photoshop'],
    alpha: true,
    note: 'the merged picture',
  },
  xcf: {
    name: 'GIMP image',
    extensions: ['xcf'],
    contentTypes: ['image/x-xcf'],
    alpha: true,
    note: 'the merged layers',
  },
  miff: {
    name: 'ImageMagick image',
    extensions: ['miff', 'mif'],
    contentTypes: ['image/x-miff'],
    alpha: true,
    pages: true,
  },
  tga: {
    name: 'Truevision TGA',
    extensions: ['tga', 'icb', 'vda', 'vst'],
    contentTypes: ['image/x-tga'],
    alpha: true,
    named: true,
  },
  // Film and games.
  dpx: { name: 'DPX', extensions: ['dpx'], contentTypes: ['image/x-dpx'], alpha: true },
  cin: { name: 'Kodak Cineon', extensions: ['cin'], contentTypes: ['image/x-cineon'] },
  dds: { name: 'DirectDraw surface', extensions: ['dds'], contentTypes: ['image/vnd.ms-dds'], alpha: true },
  wal: { name: 'Quake 2 texture', extensions: ['wal'], contentTypes: ['image/x-wal'], named: true },
  tim: { name: 'PlayStation TIM', extensions: ['tim'], contentTypes: ['image/x-tim'], named: true },
  // Exchange.
  pnm: {
    name: 'Portable anymap',
    extensions: ['pnm', 'pbm', 'pgm', 'ppm', 'pfm'],
    contentTypes: [
      'image/x-portable-anymap',
      'image/x-portable-bitmap',
      'image/x-portable-graymap',
      'image/x-portable-pixmap',
    ],
    note: 'with portable float maps',
  },
  pam: {
    name: 'Portable arbitrary map',
    extensions: ['pam'],
    contentTypes: ['image/x-portable-arbitrarymap'],
    alpha: true,
  },
  qoi: { name: 'QOI', extensions: ['qoi'], contentTypes: ['image/qoi'], alpha: true },
  farbfeld: { name: 'farbfeld', extensions: ['ff'], contentTypes: ['image/x-farbfeld'], alpha: true },
  wbmp: { name: 'Wireless bitmap', extensions: ['wbmp'], contentTypes: ['image/vnd.wap.wbmp'], named: true },
  otb: { name: 'Over-the-air bitmap', extensions: ['otb'], contentTypes: ['image/x-otb'], named: true },
  jng: { name: 'JNG', extensions: ['jng'], contentTypes: ['image/x-jng'], alpha: true },
  mng: { name: 'MNG', extensions: ['mng'], contentTypes: ['video/x-mng'], alpha: true, pages: true },
  sixel: { name: 'Sixel', extensions: ['six', 'sixel'], contentTypes: ['image/x-sixel'], named: true },
  // Unix workstations.
  xbm: { name: 'X bitmap', extensions: ['xbm', 'bm'], contentTypes: ['image/x-xbitmap'] },
  xpm: { name: 'X pixmap', extensions: ['xpm'], contentTypes: ['image/x-xpixmap'], alpha: true },
  sun: {
    name: 'Sun raster',
    extensions: ['ras', 'sun', 'rs', 'im1', 'im8', 'im24'],
    contentTypes: ['image/x-sun-raster'],
  },
  sgi: {
    name: 'SGI image',
    extensions: ['sgi', 'rgb', 'rgba', 'bw', 'int', 'inta'],
    contentTypes: ['image/x-sgi'],
    alpha: true,
  },
  viff: { name: 'Khoros VIFF', extensions: ['viff', 'xv'], contentTypes: ['image/x-viff'] },
  mtv: { name: 'MTV ray tracer', extensions: ['mtv'], contentTypes: ['image/x-mtv'], named: true },
  rla: { name: 'Wavefront RLA', extensions: ['rla'], contentTypes: ['image/x-rla'], alpha: true, named: true },
  avs: { name: 'AVS image', extensions: ['avs', 'x'], contentTypes: ['image/x-avs'], alpha: true, named: true },
  xv: { name: 'XV thumbnail', extensions: ['p7'], contentTypes: ['image/x-xv-thumbnail'] },
  hrz: { name: 'Slow-scan television', extensions: ['hrz'], contentTypes: ['image/x-hrz'], named: true },
  // Personal computers.
  pcx: { name: 'PCX', extensions: ['pcx'], contentTypes: ['image/vnd.zbrush.pcx'], alpha: true },
  dcx: { name: 'DCX', extensions: ['dcx'], contentTypes: ['image/x-dcx'], alpha: true, pages: true },
  msp: { name: 'Microsoft Paint 1 and 2', extensions: ['msp'], contentTypes: ['image/x-msp'] },
  pict: { name: 'Macintosh PICT', extensions: ['pict', 'pct', 'pic'], contentTypes: ['image/x-pict'], alpha: true },
  macpaint: { name: 'MacPaint', extensions: ['mac', 'pntg', 'macp'], contentTypes: ['image/x-macpaint'] },
  icns: { name: 'Apple icon', extensions: ['icns'], contentTypes: ['image/icns'], alpha: true, pages: true },
  cut: { name: 'Dr. Halo', extensions: ['cut'], contentTypes: ['image/x-cut'], named: true },
  wpg: { name: 'WordPerfect graphic', extensions: ['wpg'], contentTypes: ['image/x-wpg'], note: 'bitmaps only' },
  cals: { name: 'CALS raster', extensions: ['cals', 'cal'], contentTypes: ['image/x-cals'], named: true },
  sct: { name: 'Scitex CT', extensions: ['sct', 'ct'], contentTypes: ['image/x-scitex-ct'], named: true },
  pcd: { name: 'Kodak Photo CD', extensions: ['pcd'], contentTypes: ['image/x-photo-cd'] },
  sfw: { name: 'Seattle FilmWorks', extensions: ['sfw', 'pwp'], contentTypes: ['image/x-sfw'], pages: true },
  palm: { name: 'Palm bitmap', extensions: ['palm'], contentTypes: ['image/x-palm'], named: true },
  pdb: { name: 'Palm ImageViewer', extensions: ['pdb'], contentTypes: ['image/x-palm-imageviewer'], named: true },
  rgf: { name: 'LEGO EV3 bitmap', extensions: ['rgf'], contentTypes: ['image/x-rgf'], named: true },
  aai: { name: 'Dune HD image', extensions: ['aai'], contentTypes: ['image/x-aai'], alpha: true, named: true },
  art: { name: 'PFS first publisher', extensions: ['art'], contentTypes: ['image/x-art'], named: true },
  // Home computers.
  ilbm: {
    name: 'Amiga or Maya IFF',
    extensions: ['iff', 'ilbm', 'lbm', 'ham', 'ham8', 'ehb', 'acbm', 'pbm', 'deep', 'rgb8', 'rgbn'],
    contentTypes: ['image/x-ilbm'],
    alpha: true,
    note: 'with HAM, EHB and palettes that change by line',
  },
  degas: {
    name: 'Atari ST Degas',
    extensions: ['pi1', 'pi2', 'pi3', 'pc1', 'pc2', 'pc3'],
    contentTypes: ['image/x-degas'],
    named: true,
    screen: true,
  },
  neochrome: {
    name: 'Atari ST NEOchrome',
    extensions: ['neo'],
    contentTypes: ['image/x-neochrome'],
    named: true,
    screen: true,
  },
  spectrum512: {
    name: 'Atari ST Spectrum 512',
    extensions: ['spu', 'spc'],
    contentTypes: ['image/x-spectrum512'],
    named: true,
    screen: true,
  },
  tiny: {
    name: 'Atari ST Tiny',
    extensions: ['tny', 'tn1', 'tn2', 'tn3'],
    contentTypes: ['image/x-tiny'],
    named: true,
    screen: true,
  },
  koala: {
    name: 'Commodore 64 Koala Painter',
    extensions: ['koa', 'kla', 'gg'],
    contentTypes: ['image/x-koala'],
    named: true,
    screen: true,
  },
  artstudio: {
    name: 'Commodore 64 Art Studio',
    extensions: ['art', 'aas', 'ocp', 'hpi'],
    contentTypes: ['image/x-art-studio'],
    named: true,
    screen: true,
  },
  doodle: {
    name: 'Commodore 64 Doodle',
    extensions: ['dd', 'ddl', 'jj'],
    contentTypes: ['image/x-doodle'],
    named: true,
    screen: true,
  },
  zxscreen: {
    name: 'ZX Spectrum screen',
    extensions: ['scr', 'zx'],
    contentTypes: ['image/x-zx-screen'],
    named: true,
    screen: true,
  },
  msx: {
    name: 'MSX screen',
    extensions: ['sc2', 'grp', 'sc5', 'sc6', 'sc7', 'sc8', 'sr5', 'sr6', 'sr7', 'sr8', 'ge5', 'ge7', 'ge8'],
    contentTypes: ['image/x-msx'],
    named: true,
    screen: true,
  },
  apple2: {
    name: 'Apple II screen',
    extensions: ['hgr', 'dhgr', 'a2fc', 'shr', '2fc'],
    contentTypes: ['image/x-apple2'],
    named: true,
    screen: true,
  },
  atari8: {
    name: 'Atari 8-bit screen',
    extensions: ['mic', 'gr8', 'gr9'],
    contentTypes: ['image/x-atari-8bit'],
    named: true,
    screen: true,
  },
} as const satisfies Record<string, Format>;

export type InputFormat = keyof typeof TABLE;
export type FormatId = InputFormat;

export const FORMATS: Readonly<Record<FormatId, Format>> = TABLE;
export const INPUT_FORMATS = Object.keys(TABLE) as InputFormat[];

/** The formats that this installation can read and write, as found by a worker. */
export interface AvailableFormats {
  read: readonly InputFormat[];
  write: readonly OutputFormat[];
}
