/** The operations that the page offers, with their titles. */
import type { Operation } from '../../../server/console/declaration-types.ts';
import { declarations } from '../../declarations/declarations.ts';
import type { Values } from '../../parameters/values.ts';

export interface Offered extends Operation {
  title: string;
  /** Describes the result in one line. */
  gives: string;
}

/** In the order of the page. */
const TEXTS: Readonly<Record<string, readonly [title: string, gives: string]>> = {
  compress: ['Compress', 'A smaller file; also another format, size, crop, colours or a watermark.'],
  'remove-background': ['Remove background', 'The subject of a photo without its background.'],
  upscale: ['Upscale', 'Twice the width and height, with detail that a model adds.'],
  'blur-faces': ['Blur faces', 'Faces, or areas that you draw, made unrecognisable.'],
  faces: ['Find faces', 'Where faces are in an image.'],
  'id-photo': ['ID photo', 'A passport or visa photo of the exact size that an authority asks for.'],
  gif: ['Animation', 'An animated GIF or WebP, cut, resized, faster or slower.'],
  favicon: ['Favicon', 'All icon files of a website in one ZIP.'],
  ocr: ['Read text', 'The text of an image, to copy.'],
  inspect: ['Inspect', "See a file's size, camera, location and colours."],
};

const byId = new Map(declarations.operations.map((operation) => [operation.id, operation]));

/** An operation without a title here uses its id and its summary from the service. */
export const OPERATIONS: readonly Offered[] = [...new Set([...Object.keys(TEXTS), ...byId.keys()])].flatMap((id) => {
  const operation = byId.get(id);
  if (!operation) return [];
  const [title, gives] = TEXTS[id] ?? [id, operation.summary];
  return [{ ...operation, title, gives }];
});

export const DEFAULT_OPERATION = 'compress';

/**
 * Returns whether the operation runs without a click. Only fast operations do. A link from elsewhere must not send an
 * image to another address before the user has seen that address.
 */
export const runsAutomatically = ({ id }: Operation, { deliver_to }: Values): boolean =>
  id === DEFAULT_OPERATION && deliver_to === undefined;
