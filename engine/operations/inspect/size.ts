/** The size of the image as displayed and as stored, and its animation. */

import type { Header } from '../../../codecs/decoded-image.ts';
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { InspectionRecord } from './record.ts';

const SIDEWAYS_FROM = 5;

type Size = Pick<InspectionRecord, 'width' | 'height' | 'stored_width' | 'stored_height' | 'orientation'>;

/** Some decoders rotate the image without reporting it. Then the container says how it was stored. */
export function describeSize(header: Header, { stored }: FileFacts): Size {
  const { width, height, storedWidth, storedHeight, orientation } = header;
  const shown = { width, height };
  if (orientation !== 1 || !stored) {
    return { ...shown, stored_width: storedWidth, stored_height: storedHeight, orientation };
  }
  const unturned = stored.orientation >= SIDEWAYS_FROM ? { width: height, height: width } : shown;
  const size = stored.size ?? unturned;
  // The decoder did not rotate it, whatever the container says.
  if (isWider(size) !== isWider(unturned)) {
    return { ...shown, stored_width: width, stored_height: height, orientation };
  }
  return { ...shown, stored_width: size.width, stored_height: size.height, orientation: stored.orientation };
}

/**
 * Sign of the aspect ratio, by which a rotated image is recognised. Pixel counts differ anyway: the image may have been
 * cropped, and a camera sensor has more pixels than its images.
 */
const isWider = ({ width, height }: { width: number; height: number }): number => Math.sign(width - height);

type Motion = Pick<InspectionRecord, 'animated' | 'frames' | 'animation_ms' | 'loop'>;

/** Facts that neither the decoder nor the container gives are null. */
export function describeMotion({ animated, frames, timing, pages }: Header, { motion }: FileFacts): Motion {
  if (timing) {
    return { animated, frames, animation_ms: timing.delays.reduce((sum, delay) => sum + delay, 0), loop: timing.loop };
  }
  if (!animated) return { animated, frames: null, animation_ms: null, loop: null };
  return {
    animated,
    // If the frames are pages, their number is known.
    frames: motion?.frames ?? (pages > 1 ? pages : null),
    animation_ms: motion ? Math.round(motion.durationMs) : null,
    loop: motion?.loop ?? null,
  };
}
