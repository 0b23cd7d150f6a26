/** Selects, draws, moves, resizes and removes the areas of an image, by pointer and keys. */
import { useState } from 'preact/hooks';
import { countText } from '../format.ts';
import type { Box, DisplayedImage, Point } from '../image.ts';
import { handleOf } from './frame.tsx';
import { areaAfterKey, areaBetween, boxAt, clampToImage, moveArea, resized } from './geometry.ts';
import type { Drag } from './surface.tsx';

export interface BoxesProps {
  image: DisplayedImage;
  boxes: readonly LabelledBox[];
  /** Makes the boxes editable: they can be moved, resized, added and removed. */
  onBoxes?: (boxes: LabelledBox[]) => void;
}

/** Without `onBoxes`, boxes can only be selected. */
export function useBoxEditing({ image, boxes, onBoxes }: BoxesProps) {
  const [selected, setSelected] = useState<number>();
  const [hovered, setHovered] = useState<number>();
  const [said, setSaid] = useState('');
  const current = selected === undefined ? undefined : boxes[selected];

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
      return { move: (to) => change(selected, resized(current, handle, to, image)) };
    // The selected box takes precedence over smaller boxes, because its frame is on top.
    const index = selected !== undefined && current && boxAt([current], at) === 0 ? selected : boxAt(boxes, at);
    if (index === undefined) {
      // The whole drag draws one box, the last of the list.
      const drawn = { label: freshLabel(boxes) };
      return {
        move: (to, from) => {
          onBoxes?.([...boxes, { ...drawn, ...areaBetween(from, to, image) }]);
          setSelected(boxes.length);
        },
        click: () => setSelected(undefined),
      };
    }
    const start = clampToImage(boxes[index]!, image);
    setSelected(index);
    return {
      move: (to, from) => change(index, moveArea(start, to.x - from.x, to.y - from.y, image)),
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
      const next = current && areaAfterKey(current, event, image);
      if (!next || selected === undefined) return removeByKey(event);
      change(selected, next);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    ...{ selected, setSelected, hovered, setHovered, current, said },
    ...{ add, change, remove, press, select, removeByKey, pressKey },
  };
}

export interface LabelledBox extends Box {
  /** Label shown to the user. */
  label: string;
}

/** Returns the label of a new area, with the first number that is not taken. */
function freshLabel(boxes: readonly { label: string }[]): string {
  const taken = new Set(boxes.map(({ label }) => label));
  let number = 1;
  while (taken.has(`Area ${number}`)) number += 1;
  return `Area ${number}`;
}
