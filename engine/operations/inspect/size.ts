/** How large the picture is, on the screen and in the file, and how it moves. */
import type { FileFacts } from '../../../codecs/facts/facts.ts';
import type { Header } from '../../../codecs/picture.ts';
import type { InspectionRecord } from './record.ts';

const SIDEWAYS_FROM = 5;

type Size = Pick<InspectionRecord, 'width' | 'height' | 'stored_width' | 'stored_height' | 'orientation'>;

/** Some decoders turn the picture without a word; then the container says how it was stored. */
export function describeSize(header: Header, { stored }: FileFacts): Size {
  const { width, height } = header;
  if (header.orientation === 1 && stored && isTurned(stored, header)) {
    return { width, height, stored_width: stored.width, stored_height: stored.height, orientation: stored.orientation };
  }
  return {
    width,
    height,
    stored_width: header.storedWidth,
    stored_height: header.storedHeight,
    orientation: header.orientation,
  };
}

/** Whether what the container says leads to the picture that the decoder makes; one may have been cropped on the way. */
function isTurned({ width, height, orientation }: NonNullable<FileFacts['stored']>, shown: Header): boolean {
  const [w, h] = orientation >= SIDEWAYS_FROM ? [height, width] : [width, height];
  return shown.width <= w && shown.height <= h;
}

type Motion = Pick<InspectionRecord, 'animated' | 'frames' | 'animation_ms' | 'loop'>;

/** The numbers are null for animations of formats that are read as a still picture. */
export function describeMotion({ animated, frames, timing }: Header): Motion {
  return {
    animated,
    frames: timing ? frames : null,
    animation_ms: timing ? timing.delays.reduce((sum, delay) => sum + delay, 0) : null,
    loop: timing ? timing.loop : null,
  };
}
