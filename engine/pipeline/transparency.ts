/** Computes whether an image has transparency after some steps, which needs its pixels. */
import { hasAlpha, sampleMax } from '../../codecs/colour.ts';
import { type DecodedImage, withFrame } from '../../codecs/decoded-image.ts';
import { decode, type Source, WHOLE_IMAGE } from '../../codecs/source.ts';
import type { WorkerContext } from '../context.ts';
import { isStreamed } from '../operations/decoding.ts';
import { canAddTransparency, editsFrames, readsRowsInOrder, takesOneFrame } from '../steps/step.ts';
import { checkFrames } from './decoding.ts';
import type { DecidedStep } from './record.ts';

/**
 * Whether any pixel of any frame is transparent. Runs no models: the transparency of their results is known without.
 * @param done the steps before
 */
export async function hasTransparencyAfter(
  context: WorkerContext,
  source: Source,
  done: readonly DecidedStep[],
): Promise<boolean> {
  if (!source.header.hasAlpha && !done.some(canAddTransparency)) return false;
  let image = await open(context, source, done);
  for (const { definition, params, before, after } of done) {
    if (!definition.apply || definition.keepsAlpha) continue;
    const [first] = image.frames;
    if (definition.placeholder) {
      image = withFrame(image, definition.placeholder(first, params, context, after));
      continue;
    }
    const applied = await definition.apply(image, params, { context, before, after, logo: undefined });
    image = 'frames' in applied ? applied : applied.image;
  }
  return image.frames.some((frame) => hasAlpha(frame) && frame.extractBand(frame.bands - 1).min() < sampleMax(frame));
}

async function open(context: WorkerContext, source: Source, done: readonly DecidedStep[]): Promise<DecodedImage> {
  const editor = done.find(editsFrames);
  const edit = editor?.definition.editFrames?.(editor.params, source, context);
  if (edit) return (await edit.make(true, false)).image;
  const animation = source.header.frames > 1 && !done.some(takesOneFrame);
  const frames = animation ? source.header.frames : 1;
  checkFrames(context, source, frames);
  const inOrder = done.every(readsRowsInOrder);
  const sequential = isStreamed(context, source, { frames, shrink: 1, inOrder });
  return await decode(context.vips, source, { ...WHOLE_IMAGE, animation, sequential, tolerant: true });
}
