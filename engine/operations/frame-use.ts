/** How a task decodes an animation. Main-thread safe. */
import { type InputFormat, OUTPUTS, type OutputFormat } from '../../codecs/formats/registry.ts';

/** Only one frame, all frames in one image, or all frames but only one at a time. */
export type FrameUse = 'one' | 'all' | 'one after the other';

/** Whether the result is an animation, if the source is one of this format. */
export function isAnimatedOutput(output: OutputFormat | 'auto', format: InputFormat | undefined): boolean {
  const written = output === 'auto' ? format : output;
  return written !== undefined && written in OUTPUTS && OUTPUTS[written as OutputFormat].animation;
}
