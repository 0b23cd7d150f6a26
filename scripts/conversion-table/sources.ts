/**
 * The files that are converted: one of the corpus for each kind of image, so that everything that a conversion can lose
 * is in at least one of them.
 */
import type { InputFormat } from '../../codecs/formats/registry.ts';
import type { ImageProperties } from './properties.ts';

export interface SourceImage {
  format: InputFormat;
  /** What distinguishes the file from others of its format. */
  kind: string;
  /** As `corpus` takes it. */
  path: string;
  /** The width of the results of a file that takes long to encode. Default: that of the file. */
  width?: number;
  /** What no installed program reads of the file, from the list of the corpus. */
  known?: Partial<ImageProperties>;
}

type Row = readonly [kind: string, file: string, more?: Pick<SourceImage, 'width' | 'known'>];

/** By format. The folder of the corpus has the name of the format unless the path says otherwise. */
const ROWS: Readonly<Partial<Record<InputFormat, readonly Row[]>>> = {
  jpeg: [
    ['EXIF, XMP, IPTC and sRGB profile', 'exif-samples--BlueSquare.jpg'],
    ['EXIF with GPS', 'exif-samples--DSCN0010.jpg'],
    ['turned by EXIF', 'libvips--rotation--6.jpg'],
    ['Adobe RGB', 'libvips--images--sample.jpg'],
    ['grey with a profile', 'twelvemonkeys--gray-sample.jpg'],
    ['CMYK', 'pillow--pil_sample_cmyk.jpg'],
    ['12 bits', 'serenity--12-bit-progressive.jpg'],
    ['comment', 'pillow--hopper.jpg'],
    ['gain map (Ultra HDR)', 'libvips--ultra-hdr.jpg', { width: 800 }],
    ['two images (MPO)', 'pillow--frozenpond.mpo'],
  ],
  png: [
    ['8 bits with transparency', 'libvips--rgba.png'],
    ['16 bits with transparency', 'pngsuite--basn6a16.png'],
    ['grey, 16 bits', 'pngsuite--basn0g16.png'],
    ['palette', 'pngsuite--basn3p08.png'],
    ['one transparent colour', 'pngsuite--tbrn2c08.png'],

    ['texts', 'pngsuite--ct1n0g04.png'],
    ['linear light by gAMA', 'wuffs--red-blue-gradient.gamma1dot0.png'],
    ['Display P3', 'wuffs--red-blue-gradient.dcip3d65-no-chrm-no-gama.png'],
    ['animation', 'pillow--num_plays.png'],
  ],
  webp: [
    ['EXIF, XMP and sRGB profile', 'pillow--flower2.webp'],
    ['transparency', 'image--lossy_alpha.webp'],
    ['animation', 'image--anim.webp'],
  ],
  avif: [
    ['EXIF, XMP and sRGB profile', 'libavif--paris_icc_exif_xmp.avif'],
    ['transparency', 'pillow--transparency.avif'],
    ['10 bits, PQ', 'libavif--cosmos1650_yuv444_10bpc_p3pq.avif'],
    ['10 bits, gain map', 'libavif--colors_hdr_p3.avif'],
    ['animation, 8 bits', 'libavif--colors-animated-8bpc-alpha-exif-xmp.avif'],
    ['animation, 12 bits', 'libavif--colors-animated-12bpc-keyframes-0-2-3.avif'],
  ],
  heic: [
    ['EXIF, XMP and sRGB profile', 'kimageformats--metadata.heic'],
    ['transparency', 'libheif--with-alpha-512x512.heic', { known: { transparency: 'partial' } }],
  ],
  jxl: [
    ['EXIF and XMP', 'testdata--1x1_exif_xmp.jxl'],
    ['alpha, opaque', 'wasm-vips--images--sample.jxl'],
    ['grey, 16 bits', 'kimageformats--testcard_gray16.jxl'],
    ['16 bits floating point', 'kimageformats--testcard_rgb_fp16.jxl'],
    ['16 bits, PQ', 'testdata--pq_gradient.jxl'],
    ['animation', 'kimageformats--framenumbers.jxl'],
  ],
  gif: [
    ['transparency', 'pillow--transparent.gif'],
    ['animation', 'libvips--cogs.gif'],
    ['animation of two speeds', 'pygif--animation-speed.gif'],
    ['profile', 'pygif--icc-color-profile.gif'],
  ],
  tiff: [
    ['16 bits with transparency', 'pillow--tiff_16bit_RGBa.tiff'],
    ['32 bits floating point', 'image-tiff--predictor-3-rgb-f32.tif'],
    ['CMYK', 'pillow--tiff_strip_cmyk_jpeg.tif'],
    ['Lab, IPTC', 'pillow--hopper.Lab.tif'],
    ['pages', 'pillow--multipage.tiff'],
  ],
  psd: [
    ['layers, EXIF, XMP, IPTC', 'pillow--hopper.psd'],
    ['grey, 16 bits', 'kimageformats--16bit_grayscale.psd'],
    ['CMYK', 'kimageformats--cmyk8_testcard.psd'],
    ['Lab', 'psd-tools--4x4_8bit_lab.psd'],
    ['32 bits floating point', 'psd-tools--32bit5x5.psd'],
    ['transparency', 'pillow--rgba.psd'],
  ],
  raw: [['14 bits, EXIF', 'tinydng--colorchart.dng']],
  dicom: [
    ['16 bits', 'pydicom--CT_small.dcm'],
    ['frames, 16 bits', 'pydicom--SC_rgb_rle_16bit_2frame.dcm'],
    ['12 bits', 'pydicom--JPEG-lossy.dcm'],
  ],
  nifti: [['planes, 16 bits', 'nibabel--anatomical.nii', { known: { images: 25, bits: 16, model: 'grey' } }]],
  ico: [
    ['sizes', 'libvips--favicon.ico'],
    ['transparency', 'image--bmp-32bpp-alpha.ico'],
  ],
  bmp: [
    ['8 bits', 'pillow--rgb24.bmp'],
    ['transparency', 'pillow--rgba32.bmp'],
    ['sRGB profile', 'pillow--rgb24prof.bmp'],
  ],
  tga: [['transparency', 'pillow--200x32_rgba_tl_rle.tga']],
  pnm: [
    ['grey, 16 bits', 'legacy/pillow--hopper_16bit.pgm'],
    ['32 bits floating point', 'legacy/pillow--hopper.pfm'],
  ],
  pdf: [['pages', 'pdf.js--doc_2_3_pages.pdf', { known: { model: 'grey' } }]],
  djvu: [['pages', 'djvujs--boy_and_chicken.djvu', { known: { images: 2, model: 'grey' } }]],
  svg: [['transparency', 'libvips--logo.svg', { known: { transparency: 'partial' } }]],
};

export const SOURCES: readonly SourceImage[] = Object.entries(ROWS).flatMap(([format, rows]) =>
  rows.map(([kind, file, more]) => ({
    format: format as InputFormat,
    kind,
    path: file.includes('/') ? file : `${format}/${file}`,
    ...more,
  })),
);
