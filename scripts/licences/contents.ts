/**
 * The libraries inside compiled files of packages, and data with a licence of its own. npm knows only the licence of the package: the WebAssembly of
 * wasm-vips, which is MIT, contains libvips, which is LGPL.
 */
import { MAGICK_LIBRARIES } from './contents-of-magick.ts';
import { RESVG_LIBRARIES } from './contents-of-resvg.ts';
import { sectionsOfMagick, versionsOfVips } from './inventories.ts';
import { EMSCRIPTEN, fromNoticeOfMagick as found, type InventoryEntry, type Library } from './library.ts';

export interface CompiledContents {
  /**
   * The version of the package whose contents were looked up. Another version needs another look: at its notices, its
   * build files, and the texts in its compiled files (`strings`). Without it the package lists its contents itself.
   */
  reviewed?: string;
  libraries: readonly Library[];
  /** Reads what the package lists; the libraries above have a `key` for each entry. */
  inventory?: (folder: string) => readonly InventoryEntry[];
}

const lgpl = (id: '2.1' | '3.0', source: string) => ({ licence: `LGPL-${id}-or-later`, source });

const VIPS_LIBRARIES: readonly Library[] = [
  { ...found('aom'), licence: 'BSD-2-Clause AND LicenseRef-AOM-Patent-1.0' },
  found('brotli'),
  { key: 'cgif', name: 'cgif', licence: 'MIT', copyright: ['Copyright (c) 2021 Daniel Löbl'] },
  ...EMSCRIPTEN.map((library) => (library.name === 'Emscripten' ? { ...library, key: 'emscripten' } : library)),
  {
    ...{ key: 'exif', name: 'libexif', ...lgpl('2.1', 'https://github.com/libexif/libexif') },
    copyright: ['Copyright (c) 2001-2021 Lutz Müller, Dan Fandrich and others'],
  },
  {
    ...{ key: 'expat', name: 'Expat', licence: 'MIT' },
    copyright: [
      'Copyright (c) 1998-2000 Thai Open Source Software Center Ltd and Clark Cooper',
      'Copyright (c) 2001-2026 Expat maintainers',
    ],
  },
  found('ffi'),
  found('glib'),
  found('heif'),
  found('highway'),
  {
    ...{ key: 'imagequant', name: 'libimagequant (fork of version 2.4)', licence: 'BSD-2-Clause' },
    ...{ source: 'https://github.com/lovell/libimagequant', copyright: ['Copyright (c) 1997-2018 Kornel Lesiński'] },
  },
  { ...found('jpeg-xl'), key: 'jxl' },
  found('lcms'),
  { ...found('jpeg-turbo'), key: 'mozjpeg', name: 'mozjpeg, which is based on libjpeg-turbo' },
  found('png'),
  { key: 'resvg', name: 'resvg', licence: 'MIT', copyright: ['Copyright 2018 the Resvg Authors'] },
  found('tiff'),
  {
    key: 'uhdr',
    name: 'libultrahdr',
    licence: 'MIT',
    copyright: ['Copyright (c) 2022 The Android Open Source Project'],
  },
  {
    ...{ key: 'vips', name: 'libvips', ...lgpl('2.1', 'https://github.com/libvips/libvips') },
    copyright: ['Copyright (c) 1989-2026 John Cupitt, Kirk Martinez and others'],
  },
  found('webp'),
  { key: 'zlib-ng', name: 'zlib-ng', licence: 'Zlib', copyright: ['(C) 1995-2025 Jean-loup Gailly and Mark Adler'] },
  {
    ...{ name: 'libnsgif', licence: 'MIT' },
    copyright: [
      'Copyright 2004 Richard Wilson',
      'Copyright 2008 Sean Fox',
      'Copyright 2013-2022 Michael Drake and others',
    ],
  },
  { name: 'mimalloc', licence: 'MIT', copyright: ['Copyright (c) 2018-2025 Microsoft Corporation, Daan Leijen'] },
];

const PDFIUM_LIBRARIES: readonly Library[] = [
  {
    ...{ name: 'PDFium', licence: 'BSD-3-Clause AND Apache-2.0' },
    copyright: ['Copyright 2014 The PDFium Authors. All rights reserved.'],
  },
  {
    ...{ name: 'Anti-Grain Geometry 2.3', licence: 'LicenseRef-AGG-2.3' },
    copyright: ['Copyright (C) 2002-2005 Maxim Shemanarev (http://www.antigrain.com)'],
  },
  { name: 'Abseil', licence: 'Apache-2.0', copyright: ['Copyright The Abseil Authors'] },
  { name: 'fast_float', licence: 'Apache-2.0', copyright: ['Copyright 2021 The fast_float authors'] },
  ...['freetype', 'lcms', 'jpeg-turbo', 'openjpeg', 'zlib'].map((key) => found(key)),
  { name: 'ICU', licence: 'Unicode-3.0', copyright: ['Copyright © 1991-2026 Unicode, Inc.'] },
  ...EMSCRIPTEN,
];

const ONNX_RUNTIME_LIBRARIES: readonly Library[] = [
  { name: 'ONNX Runtime', licence: 'MIT', copyright: ['Copyright (c) Microsoft Corporation'] },
  { name: 'Abseil', licence: 'Apache-2.0', copyright: ['Copyright The Abseil Authors'] },
  { name: 'Date', licence: 'MIT', copyright: ['Copyright (c) 2015, 2016, 2017 Howard Hinnant'] },
  { name: 'Eigen', licence: 'MPL-2.0', source: 'https://gitlab.com/libeigen/eigen' },
  { name: 'FlatBuffers', licence: 'Apache-2.0', copyright: ['Copyright 2014 Google Inc.'] },
  { name: 'GSL', licence: 'MIT', copyright: ['Copyright (c) 2015 Microsoft Corporation. All rights reserved.'] },
  { name: 'JSON for Modern C++', licence: 'MIT', copyright: ['Copyright (c) 2013-2022 Niels Lohmann'] },
  { name: 'ONNX', licence: 'Apache-2.0', copyright: ['Copyright (c) ONNX Project Contributors'] },
  { name: 'Protocol Buffers', licence: 'BSD-3-Clause', copyright: ['Copyright 2008 Google Inc. All rights reserved.'] },
  { name: 'RE2', licence: 'BSD-3-Clause', copyright: ['Copyright (c) 2009 The RE2 Authors. All rights reserved.'] },
  { name: 'SafeInt', licence: 'MIT', copyright: ['Copyright (c) 2018 Microsoft'] },
  ...EMSCRIPTEN,
];

const TESSERACT_LIBRARIES: readonly Library[] = [
  { name: 'Tesseract', licence: 'Apache-2.0', copyright: ['Copyright 2006-2026 Google Inc. and others'] },
  {
    name: 'Leptonica',
    licence: 'BSD-2-Clause',
    copyright: ['Copyright (C) 2001-2020 Leptonica. All rights reserved.'],
  },
  {
    ...{ name: 'giflib', licence: 'MIT' },
    copyright: ['Copyright (c) 1997 Eric S. Raymond', 'Copyright 1989 Gershon Elber'],
  },
  {
    ...{ name: 'libjpeg 9', licence: 'IJG' },
    copyright: ['Copyright (C) 1991-2014, Thomas G. Lane, Guido Vollbeding. All Rights Reserved.'],
  },
  ...['png', 'tiff', 'zlib'].map((key) => found(key)),
  ...EMSCRIPTEN,
];

const AVIF_LIBRARIES: readonly Library[] = [
  {
    ...{ name: 'libavif', licence: 'BSD-2-Clause' },
    copyright: [
      'Copyright 2019 Joe Drago. All rights reserved.',
      'src/obu.c: Copyright © 2018-2019, VideoLAN and dav1d authors. All rights reserved.',
    ],
  },
  { ...found('aom'), licence: 'BSD-2-Clause AND LicenseRef-AOM-Patent-1.0' },
  { ...found('webp'), name: 'libsharpyuv, a part of libwebp' },
  { name: 'Squoosh', licence: 'Apache-2.0', copyright: ['Copyright 2020 Google Inc. All Rights Reserved.'] },
  ...EMSCRIPTEN,
];

/** Its scripts contain them; it depends on none. */
const MCP_SDK_LIBRARIES: readonly Library[] = [
  { name: 'Ajv', licence: 'MIT', copyright: ['Copyright (c) 2015-2021 Evgeny Poberezkin'] },
  { name: 'ajv-formats', licence: 'MIT', copyright: ['Copyright (c) 2020 Evgeny Poberezkin'] },
  { name: 'content-type', licence: 'MIT', copyright: ['Copyright (c) 2015 Douglas Christopher Wilson'] },
  { name: 'fast-deep-equal', licence: 'MIT', copyright: ['Copyright (c) 2017 Evgeny Poberezkin'] },
  {
    ...{ name: 'fast-uri', licence: 'BSD-3-Clause' },
    copyright: [
      'Copyright (c) 2011-2021, Gary Court until https://github.com/garycourt/uri-js/commit/a1acf730b4bba3f1097c9f52e7d9d3aba8cdcaae',
      'Copyright (c) 2021-present The Fastify team',
    ],
  },
  { name: 'json-schema-traverse', licence: 'MIT', copyright: ['Copyright (c) 2017 Evgeny Poberezkin'] },
];

/** The packages are MIT, by the makers of tesseract.js; the data is not theirs. */
const TRAINED_DATA: CompiledContents = {
  reviewed: '1.0.0',
  libraries: [
    {
      ...{ name: 'trained data of Tesseract', licence: 'Apache-2.0' },
      ...{ source: 'https://github.com/tesseract-ocr/tessdata_best', copyright: ['Copyright Google Inc. and others'] },
    },
  ],
};

/** By the name of the package. `*` stands for an operating system and a processor. */
const CONTENTS: Readonly<Record<string, CompiledContents>> = {
  'wasm-vips': { libraries: VIPS_LIBRARIES, inventory: versionsOfVips },
  '@imagemagick/magick-wasm': { libraries: MAGICK_LIBRARIES, inventory: sectionsOfMagick },
  '@hyzyla/pdfium': { reviewed: '2.1.13', libraries: PDFIUM_LIBRARIES },
  '@jsquash/avif': { reviewed: '2.1.1', libraries: AVIF_LIBRARIES },
  '@cornerstonejs/codec-charls': {
    reviewed: '1.2.7',
    libraries: [
      {
        name: 'CharLS',
        licence: 'BSD-3-Clause',
        copyright: ['Copyright (c) 2007-2010, Jan de Vaan', 'Copyright (c) Team CharLS'],
      },
      ...EMSCRIPTEN,
    ],
  },
  '@cornerstonejs/codec-openjpeg': { reviewed: '1.3.6', libraries: [found('openjpeg'), ...EMSCRIPTEN] },
  'onnxruntime-web': { reviewed: '1.30.0', libraries: ONNX_RUNTIME_LIBRARIES },
  'tesseract.js-core': { reviewed: '7.0.0', libraries: TESSERACT_LIBRARIES },
  '@tesseract.js-data/eng': TRAINED_DATA,
  '@tesseract.js-data/slv': TRAINED_DATA,
  '@resvg/resvg-wasm': { reviewed: '2.6.2', libraries: RESVG_LIBRARIES },
  harfbuzzjs: {
    reviewed: '1.6.4',
    libraries: [
      {
        ...{ name: 'HarfBuzz', licence: 'MIT-Modern-Variant' },
        copyright: [
          'Copyright © 2010-2022 Google, Inc.',
          'Copyright © 2015-2020 Ebrahim Byagowi',
          'Copyright © 2019, 2020 Facebook, Inc.',
          'Copyright © 2012, 2015 Mozilla Foundation',
          'Copyright © 2011 Codethink Limited',
          'Copyright © 2008, 2010 Nokia Corporation and/or its subsidiary(-ies)',
          'Copyright © 2009 Keith Stribley',
          'Copyright © 2011 Martin Hosken and SIL International',
          'Copyright © 2007 Chris Wilson',
          'Copyright © 2005-2023 Behdad Esfahbod, David Turner, Red Hat, Inc. and others',
        ],
      },
      ...EMSCRIPTEN,
    ],
  },
  '@modelcontextprotocol/server': { reviewed: '2.4.0', libraries: MCP_SDK_LIBRARIES },
  // Its compiler is not in the product.
  assemblyscript: { reviewed: '0.28.20', libraries: [] },
  '@napi-rs/nice-*': {
    reviewed: '1.1.1',
    libraries: [
      { name: 'napi-rs', licence: 'MIT', copyright: ['Copyright (c) 2020 N-API for Rust'] },
      { name: 'the standard library of Rust', licence: 'Apache-2.0' },
    ],
  },
};

const PLATFORM = /-(?:android|darwin|freebsd|linux|openharmony|win32)-[\w-]+$/;

/** `*` for the platform that a package is for. */
export const platformIndependent = (packageName: string): string => packageName.replace(PLATFORM, '-*');

export const contentsOf = (packageName: string): CompiledContents | undefined =>
  CONTENTS[packageName] ?? CONTENTS[platformIndependent(packageName)];
