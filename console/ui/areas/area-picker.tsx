import { useEffect, useId, useState } from 'preact/hooks';
import type { Box, DisplayedImage, Point } from '../image.ts';
import { Frame, handleOf } from './frame.tsx';
import {
  areaAfterKey,
  areaBetween,
  changeRatio,
  firstArea,
  hasRatio,
  largestArea,
  moveArea,
  resized,
  toCssPosition,
} from './geometry.ts';
import { NumberFields } from './number-fields.tsx';
import { type Drag, Surface } from './surface.tsx';

export interface AreaPickerProps {
  image: DisplayedImage;
  /** Fixed aspect ratio, as width divided by height. Undefined allows any. */
  ratio?: number | undefined;
  area: Box | undefined;
  onArea(area: Box | undefined): void;
  /** For ID photos: the minimum and maximum height of the head, in percent of the photo's height. */
  head?: readonly [number, number] | undefined;
}

/** Selects a part of an image with the pointer or the keyboard. */
export function AreaPicker({ image, ratio, area, onArea, head }: AreaPickerProps) {
  const help = useId();
  const [said, setSaid] = useState('');
  // With a fixed ratio, an area is shown from the start: the one that the service crops by default.
  const shown = area ?? (ratio === undefined ? undefined : largestArea(image, ratio));

  useEffect(() => {
    if (area && ratio !== undefined && !hasRatio(area, ratio)) onArea(changeRatio(area, image, ratio));
  }, [ratio]);

  const press = (at: Point, target: Element): Drag => {
    const handle = handleOf(target);
    if (shown && handle) return { move: (to) => onArea(resized(shown, handle, to, image, ratio)) };
    if (shown && isIn(shown, at))
      return { move: (to, from) => onArea(moveArea(shown, to.x - from.x, to.y - from.y, image)) };
    return { move: (to, from) => onArea(areaBetween(from, to, image, ratio)) };
  };

  const clear = () => {
    onArea(undefined);
    setSaid('No area: the whole image.');
  };
  const pressKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && area) clear();
    else {
      const next = shown
        ? areaAfterKey(shown, event, image, ratio)
        : event.key === 'Enter' || event.key.startsWith('Arrow')
          ? firstArea(image)
          : undefined;
      if (!next) return;
      onArea(next);
      setSaid(`${next.x}, ${next.y}, ${next.width} by ${next.height} pixels`);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="area-picker">
      <Surface
        image={image}
        onPress={press}
        keys={{
          tabIndex: 0,
          role: 'application',
          'aria-label': 'Area of the image',
          'aria-describedby': help,
          onKeyDown: pressKey,
        }}
      >
        {shown && (
          <>
            <span class="shade">
              <span style={toCssPosition(shown, image)} />
            </span>
            <Frame image={image} area={shown}>
              {head ? <HeadGuides head={head} /> : <span class="thirds" />}
            </Frame>
          </>
        )}
      </Surface>
      <div class="area-panel">
        <NumberFields image={image} area={shown} ratio={ratio} onArea={onArea} />
        <button type="button" aria-disabled={!area} onClick={() => area && clear()}>
          Clear the area
        </button>
        <p class="help" id={help}>
          {head
            ? 'Move and resize the frame: the chin on its line, the top of the head between the two other lines.'
            : 'Drag over the image to choose a part of it. The frame can be moved, and resized by its handles.'}{' '}
          Keys: arrows move it, with Shift they resize it, Escape clears it.
        </p>
        <span class="hidden" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}

const isIn = (box: Box, { x, y }: Point): boolean =>
  x >= box.x && y >= box.y && x < box.x + box.width && y < box.y + box.height;

/** Share of the free height that is above the head. Authorities want the face slightly above the middle. */
const SPACE_ABOVE_HEAD = 0.4;
/** Approximate ratio of a face's width to its height. */
const FACE_ASPECT_RATIO = 0.7;

/** @param head minimum and maximum height of the head, in percent of the photo's height */
function HeadGuides({ head: [least, most] }: { head: readonly [number, number] }) {
  const mean = (least + most) / 2;
  const chin = (100 - mean) * SPACE_ABOVE_HEAD + mean;
  return (
    <>
      <span class="guide" style={{ top: `${chin - most}%` }}>
        <span>most</span>
      </span>
      <span class="guide" style={{ top: `${chin - least}%` }}>
        <span>least</span>
      </span>
      <span class="guide chin" style={{ top: `${chin}%` }}>
        <span>chin</span>
      </span>
      <span class="oval" style={{ top: `${chin - mean}%`, height: `${mean}%`, aspectRatio: `${FACE_ASPECT_RATIO}` }} />
    </>
  );
}
