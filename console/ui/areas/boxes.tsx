import { useId, useMemo } from 'preact/hooks';
import type { DisplayedImage } from '../image.ts';
import { BoxList } from './box-list.tsx';
import { Frame } from './frame.tsx';
import { boxAt, firstArea, outlines, toCssPosition } from './geometry.ts';
import { NumberFields } from './number-fields.tsx';
import { Surface } from './surface.tsx';
import { type BoxesProps, type LabelledBox, useBoxEditing } from './use-box-editing.ts';

export type { BoxesProps, LabelledBox };

/** Shows areas over an image. */
export function Boxes(props: BoxesProps) {
  const { image, boxes, onBoxes } = props;
  const id = useId();
  const editing = useBoxEditing(props);
  const { selected, setSelected, hovered, setHovered, current } = editing;
  const lit = hovered ?? selected;
  const litBox = lit === undefined ? undefined : boxes[lit];
  const path = useMemo(() => outlines(boxes), [boxes]);
  return (
    <div class="boxes">
      <Surface
        image={image}
        onPress={onBoxes ? editing.press : editing.select}
        onHover={(at) => setHovered(at && boxAt(boxes, at))}
        keys={
          onBoxes && {
            tabIndex: 0,
            role: 'application',
            'aria-label': current ? `${current.label} on the image` : 'Areas of the image',
            'aria-describedby': `${id}-help`,
            onKeyDown: editing.pressKey,
          }
        }
      >
        <svg
          class="outlines"
          viewBox={`0 0 ${image.width} ${image.height}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path d={path} />
          <path d={path} />
        </svg>
        {litBox && lit !== undefined && <HighlightedBox image={image} box={litBox} />}
        {onBoxes && current && <Frame image={image} area={current} />}
      </Surface>
      <div class="boxes-panel">
        {onBoxes && (
          <div class="row">
            <button type="button" onClick={() => editing.add(firstArea(image))}>
              Add an area
            </button>
            <button type="button" aria-disabled={!current} onClick={editing.remove}>
              Remove
            </button>
          </div>
        )}
        {boxes.length === 0 ? (
          <p class="help">{onBoxes ? 'No areas yet: draw one over the image.' : 'There are none.'}</p>
        ) : (
          <BoxList
            id={id}
            boxes={boxes}
            selected={selected}
            hovered={hovered}
            onSelect={setSelected}
            onHover={setHovered}
            onKey={editing.removeByKey}
          />
        )}
        {onBoxes && selected !== undefined && current && (
          <NumberFields image={image} area={current} onArea={(area) => editing.change(selected, area)} />
        )}
        {onBoxes && (
          <p class="help" id={`${id}-help`}>
            Drag over the image to add an area. Keys: arrows move the selected one, with Shift they resize it, Delete
            removes it.
          </p>
        )}
        <span class="hidden" role="status">
          {editing.said}
        </span>
      </div>
    </div>
  );
}

/** Shows the label above its box, or below it if there is no space, and never outside the image. */
function HighlightedBox({ image, box }: { image: DisplayedImage; box: LabelledBox }) {
  const { left, top, width } = toCssPosition(box, image);
  const isHigh = box.y < image.height / 8;
  const toRight = box.x + box.width / 2 > image.width / 2;
  return (
    <>
      <span class="lit-box" style={toCssPosition(box, image)} />
      <span
        class="box-label"
        style={{
          ...(toRight ? { right: `calc(100% - ${left} - ${width})` } : { left }),
          ...(isHigh
            ? { top: `calc(${((box.y + box.height) / image.height) * 100}% + 6px)` }
            : { bottom: `calc(100% - ${top} + 6px)` }),
        }}
      >
        {box.label}
      </span>
    </>
  );
}
