/** What is compiled into the WebAssembly of @resvg/resvg-wasm: the crates whose paths it contains. */
import type { Library } from './library.ts';

/** They leave the choice between MIT (some also Zlib) and Apache-2.0. */
const WITH_CHOICE = [
  ...['arrayvec 0.7.4', 'base64 0.21.7', 'bytemuck 1.15.0', 'data-url 0.2.0', 'deflate 1.0.0', 'flate2 1.0.28'],
  ...['gif 0.12.0', 'jpeg-decoder 0.3.1', 'js-sys', 'kurbo 0.9.5', 'miniz_oxide 0.7.2', 'pathfinder_content 0.5.0'],
  ...['png 0.17.5', 'roxmltree 0.18.1', 'serde_json 1.0.115', 'simplecss 0.2.1', 'smallvec 1.13.2', 'svgtypes 0.11.0'],
  ...['tinyvec 1.6.0', 'ttf-parser 0.18.1', 'unicode-bidi 0.3.15', 'wasm-bindgen', 'weezl 0.1.8', 'woff2-patched'],
  ...['xmlparser 0.13.6', 'the standard library of Rust'],
];

const SKIA = ['Copyright (c) 2011 Google Inc. All rights reserved.', 'Copyright (c) 2020 Yevhenii Reizner'];
const DROPBOX = ['Copyright (c) 2016 Dropbox, Inc. All rights reserved.'];

export const RESVG_LIBRARIES: readonly Library[] = [
  { name: 'resvg, usvg', licence: 'MPL-2.0', source: 'https://github.com/linebender/resvg' },
  { name: 'resvg-js', licence: 'MPL-2.0', source: 'https://github.com/thx/resvg-js' },
  {
    ...{ name: 'adler32 1.2.0', licence: 'Zlib' },
    copyright: ['Copyright (C) 1995-2013 Jean-loup Gailly and Mark Adler', 'Copyright (C) 2016 by Remi Rampin'],
  },
  { name: 'alloc-no-stdlib 2.0.4', licence: 'BSD-3-Clause', copyright: DROPBOX },
  { name: 'bitvec 1.0.1', licence: 'MIT', copyright: ['Copyright (c) 2018 myrrlyn (Alexander Payne)'] },
  { name: 'brotli-decompressor 2.5.1', licence: 'BSD-3-Clause', copyright: DROPBOX },
  { name: 'bytes 1.6.0', licence: 'MIT', copyright: ['Copyright (c) 2018 Carl Lerche'] },
  { name: 'fontdb 0.14.1', licence: 'MIT', copyright: ['Copyright (c) 2020 Reizner Evgeniy'] },
  { name: 'imagesize 0.12.0', licence: 'MIT', copyright: ['Copyright the authors of imagesize'] },
  {
    ...{ name: 'rctree 0.5.0', licence: 'MIT' },
    copyright: ['Copyright (c) 2018 Simon Sapin', 'Copyright (c) 2018 Reizner Evgeniy'],
  },
  {
    ...{ name: 'rustybuzz 0.7.0', licence: 'MIT' },
    copyright: ['Copyright (c) HarfBuzz developers', 'Copyright (c) 2020 Reizner Evgeniy'],
  },
  { name: 'slotmap 1.0.7', licence: 'Zlib', copyright: ['Copyright (c) 2018 Orson Peters'] },
  { name: 'tiny-skia 0.10.0, tiny-skia-path 0.10.0', licence: 'BSD-3-Clause', copyright: SKIA },
  { name: 'unicode-general-category 0.6.0', licence: 'Apache-2.0' },
  { name: 'xmlwriter 0.1.0', licence: 'MIT', copyright: ['Copyright (c) 2019 Reizner Evgeniy'] },
  ...WITH_CHOICE.map((name) => ({ name, licence: 'Apache-2.0' })),
];
