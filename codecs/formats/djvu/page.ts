/** The chunks of a page: its own and those that it includes (DjVu 3 Specification, 2005, section 7). */
import { type Chunk, type Form, findChunk } from './chunks.ts';
import type { DjvuPage } from './document.ts';
import { decodeJb2, type Jb2Budget } from './jb2.ts';
import type { Mask } from './mask.ts';

/** Maximum depth of shared components that include others; deeper ones are a loop. */
const MAX_DEPTH = 8;
const MAX_INCLUDED = 64;

/** Returns all chunks of a page, with those of shared components in place of the chunk that includes them. */
export function chunksOf(page: DjvuPage): Chunk[] {
  const chunks: Chunk[] = [];
  let includes = 0;
  const collect = (form: Form, depth: number) => {
    for (const chunk of form.chunks) {
      if (chunk.id !== 'INCL') chunks.push(chunk);
      else if (depth < MAX_DEPTH && includes++ < MAX_INCLUDED) {
        const included = page.include(chunk);
        if (included?.type === 'DJVI') collect(included, depth + 1);
      }
    }
  };
  collect(page.form, 0);
  return chunks;
}

/** Returns the shapes that the mask of a page refers to; undefined when it shares none. */
export function sharedShapes(page: DjvuPage, budget: Jb2Budget): readonly Mask[] | undefined {
  let includes = 0;
  const inForm = (form: Form, depth: number): readonly Mask[] | undefined => {
    const chunk = findChunk(form, 'Djbz');
    if (chunk) return decodeJb2(chunk.data, () => included(form, depth), budget).library;
    return included(form, depth);
  };
  const included = (form: Form, depth: number): readonly Mask[] | undefined => {
    for (const chunk of form.chunks) {
      if (chunk.id !== 'INCL' || depth >= MAX_DEPTH || includes++ >= MAX_INCLUDED) continue;
      const component = page.include(chunk);
      const shapes = component && inForm(component, depth + 1);
      if (shapes) return shapes;
    }
    return undefined;
  };
  return inForm(page.form, 0);
}
