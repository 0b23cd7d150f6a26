/** How a task decodes an animation. Main-thread safe. */
import { type InputFormat, isOutput, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';

/** Only one frame, all frames in one image, or all frames but only one at a time. */
export type FrameUse = 'one' | 'all' | 'one after the other';

/**
 * Whether a result has all frames of an animation.
 * @param format of the animation
 * @param edited the format that an edit of the animation names
 */
export function keepsAnimation(output: OutputFormat, format: InputFormat, edited?: OutputFormat): boolean {
  const { animation } = OUTPUTS[output];
  return animation === 'any' || (animation === 'own' && (output === format || output === edited));
}

/** Whether the result is an animation, if the source is one of this format. */
export function isAnimatedOutput(output: OutputFormat | 'auto', format: InputFormat | undefined): boolean {
  const written = output === 'auto' ? format : output;
  return format !== undefined && written !== undefined && isOutput(written) && keepsAnimation(written, format);
}
