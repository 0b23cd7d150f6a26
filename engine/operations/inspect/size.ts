/** How large the picture is, on the screen and in the file, and how it moves. */
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { Header } from '../../../codecs/picture.ts';
import type { InspectionRecord } from './record.ts';

const SIDEWAYS_FROM = 5;

type Size = Pick<InspectionRecord, 'width' | 'height' | 'stored_width' | 'stored_height' | 'orientation'>;

/** Some decoders turn the picture without a word; then the container says how it was stored. */
export function describeSize(header: Header, { stored }: FileFacts): Size {
  const { width, height, storedWidth, storedHeight, orientation } = header;
  const shown = { width, height };
  if (orientation !== 1 || !stored) {
    return { ...shown, stored_width: storedWidth, stored_height: storedHeight, orientation };
  }
  const unturned = stored.orientation >= SIDEWAYS_FROM ? { width: height, height: width } : shown;
  const size = stored.size ?? unturned;
  // Not turned after all, whatever the container says.
  if (isWider(size) !== isWider(unturned)) {
    return { ...shown, stored_width: width, stored_height: height, orientation };
  }
  return { ...shown, stored_width: size.width, stored_height: size.height, orientation: stored.orientation };
}

/**
 * The shape, by which a turned picture is known. Not the pixels: it may have been cropped on the way, and the sensor of a
 * camera has more of them than its pictures.
 */
function isWider({ width, height }: { width: number; height: number }): number {
  return Math.sign(width - height);
}

type Motion = Pick<InspectionRecord, 'animated' | 'frames' | 'animation_ms' | 'loop'>;

/** What neither the decoder nor the container tells of an animation is null. */
export function describeMotion({ animated, frames, timing, pages }: Header, { motion }: FileFacts): Motion {
  if (timing) {
    return { animated, frames, animation_ms: timing.delays.reduce((sum, delay) => sum + delay, 0), loop: timing.loop };
  }
  if (!animated) return { animated, frames: null, animation_ms: null, loop: null };
  return {
    animated,
    // Where the frames are pages, their number is known.
    frames: motion?.frames ?? (pages > 1 ? pages : null),
    animation_ms: motion ? Math.round(motion.durationMs) : null,
    loop: motion?.loop ?? null,
  };
}
