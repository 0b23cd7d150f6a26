import { useId, useMemo, useState } from 'preact/hooks';
import { countText } from '../format.ts';
import type { Box, DisplayedImage } from '../image.ts';
import { BoxList } from './box-list.tsx';
import { Frame, handleOf } from './frame.tsx';
import {
  areaAfterKey,
  areaBetween,
  boxAt,
  clampToImage,
  firstArea,
  moveArea,
  outlines,
  type Point,
  resized,
  toCssPosition,
} from './geometry.ts';
import { freshLabel, type LabelledBox } from './labels.ts';
import { NumberFields } from './number-fields.tsx';
import { type Drag, Surface } from './surface.tsx';

export type { LabelledBox };

export interface BoxesProps {
  picture: DisplayedImage;
  boxes: readonly LabelledBox[];
  /** Makes the boxes editable: they can be moveArea, resized, added and removed. */
  onBoxes?: (boxes: LabelledBox[]) => void;
}

/** Shows areas over an image. */
export function Boxes({ picture, boxes, onBoxes }: BoxesProps) {
  const id = useId();
  const [selected, setSelected] = useState<number>();
  const [hovered, setHovered] = useState<number>();
  const [said, setSaid] = useState('');
  const current = selected === undefined ? undefined : boxes[selected];
  const lit = hovered ?? selected;
  const litBox = lit === undefined ? undefined : boxes[lit];
  const path = useMemo(() => outlines(boxes), [boxes]);

  const add = (area: Box) => {
    onBoxes?.([...boxes, { ...area, label: freshLabel(boxes) }]);
    setSelected(boxes.length);
  };
  const change = (index: number, area: Box) =>
    onBoxes?.(boxes.map((box, at) => (at === index ? { ...box, ...area } : box)));
  const remove = () => {
    if (selected === undefined || !current) return;
    const left = boxes.filter((_, index) => index !== selected);
    onBoxes?.(left);
    setSelected(left.length === 0 ? undefined : Math.min(selected, left.length - 1));
    setHovered(undefined);
    setSaid(`${current.label} removed, ${countText(left.length)} left.`);
  };

  const press = (at: Point, target: Element): Drag => {
    const handle = handleOf(target);
    if (selected !== undefined && current && handle)
      return { move: (to) => change(selected, resized(current, handle, to, picture)) };
    // The selected box takes precedence over smaller boxes, because its frame is on top.
    const index = selected !== undefined && current && boxAt([current], at) === 0 ? selected : boxAt(boxes, at);
    if (index === undefined) {
      // The whole drag draws one box, the last of the list.
      const drawn = { label: freshLabel(boxes) };
      return {
        move: (to, from) => {
          onBoxes?.([...boxes, { ...drawn, ...areaBetween(from, to, picture) }]);
          setSelected(boxes.length);
        },
        click: () => setSelected(undefined),
      };
    }
    const start = clampToImage(boxes[index]!, picture);
    setSelected(index);
    return {
      move: (to, from) => change(index, moveArea(start, to.x - from.x, to.y - from.y, picture)),
      click: () => setSelected(boxAt(boxes, at)),
    };
  };
  const select = (at: Point): Drag => ({ move: () => {}, click: () => setSelected(boxAt(boxes, at)) });

  const removeByKey = (event: KeyboardEvent) => {
    if (!onBoxes || (event.key !== 'Delete' && event.key !== 'Backspace')) return;
    event.preventDefault();
    remove();
  };
  const pressKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && selected !== undefined) setSelected(undefined);
    else {
      const next = current && areaAfterKey(current, event, picture);
      if (!next || selected === undefined) return removeByKey(event);
      change(selected, next);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="boxes">
      <Surface
        picture={picture}
        onPress={onBoxes ? press : select}
        onHover={(at) => setHovered(at && boxAt(boxes, at))}
        keys={
          onBoxes && {
            tabIndex: 0,
            role: 'application',
            'aria-label': current ? `${current.label} on the picture` : 'Areas of the picture',
            'aria-describedby': `${id}-help`,
            onKeyDown: pressKey,
          }
        }
      >
        <svg
          class="outlines"
          viewBox={`0 0 ${picture.width} ${picture.height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={path} />
          <path d={path} />
        </svg>
        {litBox && lit !== undefined && <HighlightedBox picture={picture} box={litBox} />}
        {onBoxes && current && <Frame picture={picture} area={current} />}
      </Surface>
      <div class="boxes-panel">
        {onBoxes && (
          <div class="row">
            <button type="button" onClick={() => add(firstArea(picture))}>
              Add an area
            </button>
            <button type="button" aria-disabled={!current} onClick={remove}>
              Remove
            </button>
          </div>
        )}
        {boxes.length === 0 ? (
          <p class="help">{onBoxes ? 'No areas yet: draw one over the picture.' : 'There are none.'}</p>
        ) : (
          <BoxList
            id={id}
            boxes={boxes}
            selected={selected}
            hovered={hovered}
            onSelect={setSelected}
            onHover={setHovered}
            onKey={removeByKey}
          />
        )}
        {onBoxes && selected !== undefined && current && (
          <NumberFields picture={picture} area={current} onArea={(area) => change(selected, area)} />
        )}
        {onBoxes && (
          <p class="help" id={`${id}-help`}>
            Drag over the picture to add an area. Keys: arrows move the selected one, with Shift they resize it, Delete
            removes it.
          </p>
        )}
        <span class="hidden" role="status">
          {said}
        </span>
      </div>
    </div>
  );
}

/** Shows the label above its box, or below it if there is no space, and never outside the image. */
function HighlightedBox({ picture, box }: { picture: DisplayedImage; box: LabelledBox }) {
  const { left, top, width } = toCssPosition(box, picture);
  const isHigh = box.y < picture.height / 8;
  const toRight = box.x + box.width / 2 > picture.width / 2;
  return (
    <>
      <span class="lit-box" style={toCssPosition(box, picture)} />
      <span
        class="box-label"
        style={{
          ...(toRight ? { right: `calc(100% - ${left} - ${width})` } : { left }),
          ...(isHigh
            ? { top: `calc(${((box.y + box.height) / picture.height) * 100}% + 6px)` }
            : { bottom: `calc(100% - ${top} + 6px)` }),
        }}
      >
        {box.label}
      </span>
    </>
  );
}
