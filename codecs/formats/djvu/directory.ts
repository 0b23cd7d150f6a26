/** The DIRM chunk: the component files of a document with several pages (DjVu 3 Specification, 2005, section 8.3.2). */
import { latin1, viewOf } from '../../metadata/bytes.ts';
import { expandBzz } from './bzz.ts';

export interface Component {
  /** The name that INCL chunks use, one character per byte. */
  id: string;
  page: boolean;
  /** Offset of its FORM from the start of the file. */
  offset: number;
}

export interface Directory {
  /** Whether the components are in this file, not in separate files. */
  bundled: boolean;
  /** All components, with the pages in order. */
  components: Component[];
}

const BUNDLED = 0x80;
const HAS_NAME = 0x80;
const HAS_TITLE = 0x40;
const KIND = 0x3f;
const PAGE = 1;
/** Average size, flags, id, name and title of a component, and the minimum for a whole list. */
const BYTES_PER_COMPONENT = 128;
const MIN_LIST_BYTES = 1 << 16;

/** Reads the chunk; undefined when it is damaged. */
export function readDirectory(data: Uint8Array): Directory | undefined {
  if (data.length < 3) return undefined;
  const view = viewOf(data);
  const bundled = (data[0]! & BUNDLED) !== 0;
  const count = view.getUint16(1);
  const offsets = bundled ? count * 4 : 0;
  if (data.length < 3 + offsets) return undefined;
  if (!bundled) return { bundled, components: [] };

  const list = expandBzz(data.subarray(3 + offsets), Math.max(count * BYTES_PER_COMPONENT, MIN_LIST_BYTES));
  const flagsAt = count * 3;
  let at = flagsAt + count;
  const components: Component[] = [];
  for (let index = 0; index < count; index++) {
    const flags = list[flagsAt + index];
    if (flags === undefined) return undefined;
    const end = list.indexOf(0, at);
    if (end < 0) return undefined;
    const id = latin1(list.subarray(at, end));
    at = end + 1;
    for (const flag of [HAS_NAME, HAS_TITLE]) {
      if ((flags & flag) === 0) continue;
      at = list.indexOf(0, at) + 1;
      if (at === 0) return undefined;
    }
    components.push({ id, page: (flags & KIND) === PAGE, offset: view.getUint32(3 + index * 4) });
  }
  return { bundled, components };
}
