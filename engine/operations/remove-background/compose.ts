/** Puts the cut-out on its canvas, with the background behind it. */
import type { Size } from '../../../base/geometry.ts';
import type { Image } from '../../../codecs/vips.ts';
import type { WorkerContext } from '../../context.ts';
import type { SourceFile } from '../../task.ts';
import { noSubject } from '../errors.ts';
import { backdropOf } from './backdrop.ts';
import { cutOut, type SeparatedAlpha } from './cutout.ts';
import { framed } from './frame.ts';
import type { Mask } from './mask.ts';
import type { Background, RemoveBackgroundParams } from './params.ts';

export interface Composition {
  params: Pick<RemoveBackgroundParams, 'feather' | 'refine' | 'subject_fill'>;
  background: Background;
  /** For a background that is an image. */
  file?: SourceFile | undefined;
  /** The canvas in whose centre the subject is placed; undefined to leave the subject where it is. */
  frame: Size | undefined;
}

/** @throws Failure `no_subject` if the mask selects nothing */
export async function composed(
  context: WorkerContext,
  layers: SeparatedAlpha,
  mask: Mask,
  { params, background, file, frame }: Composition,
): Promise<Image> {
  const { vips } = context;
  const cut = cutOut(context, layers, mask, params);
  if (!cut.subject) throw noSubject();
  const placed = frame ? framed(vips, cut.image, cut.subject, frame, params.subject_fill) : cut.image;
  const backdrop = await backdropOf(context, background, placed, { photo: layers.photo, cutOut: cut, file });
  if (!backdrop) return placed;
  return placed.extractBand(3).ifthenelse(placed.extractBand(0, { n: 3 }), backdrop, { blend: true });
}
