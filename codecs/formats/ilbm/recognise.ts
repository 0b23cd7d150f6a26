/** Detects images among the files of the Interchange File Format. Safe on the main thread. */
import { latin1 } from '../../metadata/bytes.ts';
import { ANIMATION_TYPES, IMAGE_TYPES } from './chunks.ts';

const TYPES = [...IMAGE_TYPES, ...ANIMATION_TYPES];
/** The type of a container with mixed contents. */
const MIXED = '    ';

/** Whether the file contains one or more images of the Amiga or of Maya, and not sounds or texts. Never throws. */
export function isIffImage(bytes: Uint8Array): boolean {
  const id = latin1(bytes.subarray(0, 4));
  const type = latin1(bytes.subarray(8, 12));
  if (id === 'FORM') return TYPES.includes(type);
  if (id === 'FOR4') return type === 'CIMG';
  if (id !== 'CAT ' && id !== 'LIST') return false;
  return TYPES.includes(type) || (type === MIXED && TYPES.includes(latin1(bytes.subarray(20, 24))));
}
