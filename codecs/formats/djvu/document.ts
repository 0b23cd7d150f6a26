/** The pages of a DjVu file and their shared components (DjVu 3 Specification, 2005, sections 7 and 8.2). */
import { corruptImage, pageOutOfRange, unsupportedFormat } from '../../errors.ts';
import { latin1, startsWith } from '../../metadata/bytes.ts';
import { FORMATS } from '../registry.ts';
import { type Chunk, type Form, findChunk, readChunk, readForm } from './chunks.ts';
import { readDirectory } from './directory.ts';
import { DEFAULT_GAMMA, type PageInfo, readInfo } from './info.ts';
import { readIw44Header } from './iw44.ts';

export interface DjvuPage {
  form: Form;
  info: PageInfo;
  pages: number;
  /** Returns the shared component that an INCL chunk names. */
  include(chunk: Chunk): Form | undefined;
}

const MAGIC = 'AT&T';
const NAME = FORMATS.djvu.name;

/**
 * Finds a page.
 * @param page from 1
 * @throws Failure `corrupt_image`, `page_out_of_range`, `unsupported_format`
 */
export function findPage(bytes: Uint8Array, page: number): DjvuPage {
  const outer = readChunk(bytes, startsWith(bytes, MAGIC) ? MAGIC.length : 0);
  const form = outer && readForm(outer);
  if (!form) throw corruptImage(NAME);
  if (form.type === 'DJVM') return findInBundle(bytes, form, page);
  const single = form.type === 'DJVU' ? form : wrapWavelets(form);
  if (!single) throw corruptImage(NAME, form.type);
  if (page > 1) throw pageOutOfRange(page, 1);
  return { form: single, info: infoOf(single), pages: 1, include: () => undefined };
}

/** Converts FORM:PM44 and FORM:BM44, each a single wavelet image, to a page with only that image as its background. */
function wrapWavelets(form: Form): Form | undefined {
  if (form.type !== 'PM44' && form.type !== 'BM44') return undefined;
  const images = form.chunks.filter(({ id }) => id === form.type);
  return { ...form, chunks: images.map((chunk) => ({ ...chunk, id: 'BG44' })) };
}

/** Reads the INFO chunk of a page, or the header of a single image. */
function infoOf(form: Form): PageInfo {
  const [first] = form.chunks;
  if (form.type === 'DJVU') {
    const chunk = findChunk(form, 'INFO');
    const info = chunk && readInfo(chunk.data);
    if (info) return info;
  } else if (first) {
    const header = readIw44Header(first.data);
    if (header) return { ...header, resolution: undefined, gamma: DEFAULT_GAMMA, rotation: 0 };
  }
  throw corruptImage(NAME, 'no size');
}

function findInBundle(bytes: Uint8Array, bundle: Form, page: number): DjvuPage {
  const { pages, shared } = readBundle(bytes, bundle);
  if (pages.length === 0) throw corruptImage(NAME, 'no page');
  if (page > pages.length) throw pageOutOfRange(page, pages.length);
  const form = pages[page - 1]!();
  if (form?.type !== 'DJVU') throw corruptImage(NAME, `page ${page} is not there`);
  return {
    form,
    info: infoOf(form),
    pages: pages.length,
    include: ({ data }) => shared.get(latin1(data).trimEnd())?.(),
  };
}

type LazyForm = () => Form | undefined;

function readBundle(bytes: Uint8Array, bundle: Form): { pages: LazyForm[]; shared: Map<string, LazyForm> } {
  const chunk = findChunk(bundle, 'DIRM');
  const directory = chunk && readDirectory(chunk.data);
  if (directory?.bundled === false) throw unsupportedFormat('a DjVu index, whose pages are files of their own');
  // Where the directory is damaged, the pages are those present in file order, and no component has a name.
  if (!directory?.components.some(({ page }) => page)) {
    const forms = bundle.chunks.map(readForm).filter((form) => form?.type === 'DJVU');
    return { pages: forms.map((form) => () => form), shared: new Map() };
  }
  const formAt = (offset: number) => () => {
    const component = readChunk(bytes, offset);
    return component && readForm(component);
  };
  const { components } = directory;
  return {
    pages: components.filter(({ page }) => page).map(({ offset }) => formAt(offset)),
    shared: new Map(components.map(({ id, offset }) => [id, formAt(offset)])),
  };
}
