/** Explanations for files that cannot be read, do not agree, or cannot be compared; found by inspecting the files. */

const EXPLANATIONS: readonly (readonly [names: RegExp, explanation: string])[] = [
  [
    /pr6531_1\.pdf$/,
    'It is protected by a password, and the service takes none: the refusal `password_protected` is the answer wanted.',
  ],
  [
    /3small\.pdf$/,
    'Same pages, looked at: a scan and a line of text, reduced with other filters and another rasteriser of fonts. On nearly white pages the hash sees little else.',
  ],
  [/simple-case\.svg$/, 'Same drawing, looked at: its text is set in another font, for the file brings none.'],
  [
    /int16_zstd\.tif$/,
    'Its samples are signed, and nothing defines how a negative one looks. libvips shows the small positive ones as black too.',
  ],
  [
    /made\/alpha\.rla$/,
    'ImageMagick leaves the colours of see-through pixels multiplied by their alpha. Not mended yet.',
  ],
  [
    /ICONDOC\.pcx$/,
    'The header has 16 colours that were never set, and a version that says that there are none. We take the standard colours of the adapter; the others show dark red on brown.',
  ],
  [
    /dice_rgba\.pcx$/,
    'A fourth plane is alpha, as the program that wrote the file means it. The other decoder leaves it out, and the others here refuse the file.',
  ],
  [
    /hopper\.pfm$/,
    'Its samples go from 1 to 255 instead of 0 to 1; we scale them. Other decoders clip nearly all of them to white.',
  ],
  [
    /cow\.pict$/,
    'A drawing with regions and bitmaps. It was looked at; the decoders here that know Macintosh pictures know no such drawing.',
  ],
  [
    /lightning_mini\.heif$|rgb_generic_compressed_zlib\.heif$|uncompressed_comp_RGB\.heif$/,
    'Uncompressed images (ISO/IEC 23001-17), which the decoders here are too old for.',
  ],
  [
    /testcard_rgb_fp16\.jxl$/,
    'A fault of ours, not mended yet: libvips takes the floating-point samples, which are coded as sRGB, for linear light, so that the image is too bright.',
  ],
  [/splines\.jxl$/, 'Both builds of the reference decoder at hand refuse it; the one in libvips reads it.'],
  [/Leica-M10\.dng$/, 'Only the first 100 kB of the camera raw are there. Its thumbnail is raw too: samples, no JPEG.'],
];

export function explanationOf(name: string): string | undefined {
  return EXPLANATIONS.find(([names]) => names.test(name))?.[1];
}
