/** A library that is compiled into a file of a package. */

export interface Library {
  name: string;
  /** SPDX. Where a library leaves the choice, the licence that we chose. */
  licence: string;
  copyright?: readonly string[];
  /** Where its source code is. */
  source?: string;
  /** What the package calls it where the package lists its contents. */
  key?: string | undefined;
  /** Its section in the file NOTICE of magick-wasm, which has its notice and its licence. */
  notice?: string;
}

/** A library in the list that a package contains. */
export interface InventoryEntry {
  key: string;
  version: string;
  /** The licence and the notice of the library, where the package contains them. */
  text?: string | undefined;
}

/** What is in every module that Emscripten has compiled. */
export const EMSCRIPTEN: readonly Library[] = [
  { name: 'Emscripten', licence: 'MIT', copyright: ['Copyright (c) 2010-2026 Emscripten authors'] },
  { name: 'musl', licence: 'MIT', copyright: ['Copyright © 2005-2026 Rich Felker, et al.'] },
  { name: 'libc++, libc++abi, compiler-rt', licence: 'Apache-2.0 WITH LLVM-exception' },
];

/** Libraries whose notices are in the file NOTICE of magick-wasm, by their section. Others contain them too. */
const NOTICED: Readonly<Record<string, Omit<Library, 'key' | 'notice' | 'copyright'>>> = {
  aom: { name: 'libaom', licence: 'BSD-2-Clause' },
  brotli: { name: 'Brotli', licence: 'MIT' },
  bzip2: { name: 'bzip2', licence: 'bzip2-1.0.6' },
  de265: { name: 'libde265', licence: 'LGPL-3.0-or-later', source: 'https://github.com/strukturag/libde265' },
  exr: { name: 'OpenEXR', licence: 'BSD-3-Clause' },
  ffi: { name: 'libffi', licence: 'MIT' },
  freetype: { name: 'FreeType', licence: 'FTL' },
  glib: { name: 'GLib', licence: 'LGPL-2.1-or-later', source: 'https://gitlab.gnome.org/GNOME/glib' },
  heif: { name: 'libheif', licence: 'LGPL-3.0-or-later', source: 'https://github.com/strukturag/libheif' },
  highway: { name: 'Highway', licence: 'Apache-2.0' },
  imath: { name: 'Imath', licence: 'BSD-3-Clause' },
  'jpeg-turbo': { name: 'libjpeg-turbo', licence: 'IJG AND BSD-3-Clause AND Zlib' },
  'jpeg-xl': { name: 'libjxl', licence: 'BSD-3-Clause' },
  lcms: { name: 'Little CMS', licence: 'MIT' },
  lqr: { name: 'liblqr', licence: 'LGPL-3.0-only', source: 'https://github.com/carlobaldassi/liblqr' },
  openjpeg: { name: 'OpenJPEG', licence: 'BSD-2-Clause' },
  openjph: { name: 'OpenJPH', licence: 'BSD-2-Clause' },
  png: { name: 'libpng', licence: 'libpng-2.0' },
  raw: { name: 'LibRaw', licence: 'LGPL-2.1-only', source: 'https://github.com/LibRaw/LibRaw' },
  tiff: { name: 'LibTIFF', licence: 'libtiff' },
  webp: { name: 'libwebp', licence: 'BSD-3-Clause' },
  xml: { name: 'libxml2', licence: 'MIT' },
  zlib: { name: 'zlib', licence: 'Zlib' },
};

export const NOTICED_IN_MAGICK = Object.keys(NOTICED);

export function fromNoticeOfMagick(section: string): Library {
  const library = NOTICED[section];
  if (!library) throw new Error(`The file NOTICE of magick-wasm has no section ${section}.`);
  return { ...library, key: section, notice: section };
}
