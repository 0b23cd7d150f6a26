import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { LabelledBox } from './use-box-editing.ts';

export interface BoxListProps {
  id: string;
  boxes: readonly LabelledBox[];
  selected: number | undefined;
  hovered: number | undefined;
  onSelect(index: number): void;
  onHover(index: number | undefined): void;
  /** Called for keys that do not change the selection. */
  onKey(event: KeyboardEvent): void;
}

const KEY_STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };

/** Lists the boxes of an image by label. A listbox, so that 2,000 words need only one stop of the Tab key. */
export function BoxList({ id, boxes, selected, hovered, onSelect, onHover, onKey }: BoxListProps) {
  const list = useRef<HTMLDivElement>(null);
  const optionId = (index: number) => `${id}-${index}`;
  const option = (index: number, isSelected: boolean, isLit: boolean) => (
    <div
      key={index}
      id={optionId(index)}
      role="option"
      // The focus stays on the list.
      tabIndex={-1}
      aria-selected={isSelected}
      class={isLit ? 'lit' : ''}
      data-index={index}
    >
      {boxes[index]!.label}
    </div>
  );
  // Preact skips elements that are the same object as before, so moving the pointer renders only two of thousands.
  const plain = useMemo(() => boxes.map((_, index) => option(index, false, false)), [boxes]);
  const shown: VNode[] = [...plain];
  if (hovered !== undefined && hovered < shown.length) shown[hovered] = option(hovered, false, true);
  if (selected !== undefined && selected < shown.length) shown[selected] = option(selected, true, selected === hovered);

  const lit = hovered ?? selected;
  useEffect(() => {
    const row = lit === undefined ? undefined : (list.current!.children[lit] as HTMLElement | undefined);
    if (!row) return;
    const { scrollTop, clientHeight } = list.current!;
    // Not scrollIntoView, because it also scrolls the page.
    if (row.offsetTop < scrollTop) list.current!.scrollTop = row.offsetTop;
    else if (row.offsetTop + row.offsetHeight > scrollTop + clientHeight)
      list.current!.scrollTop = row.offsetTop + row.offsetHeight - clientHeight;
  }, [lit, boxes]);

  const pressKey = (event: KeyboardEvent) => {
    const step = KEY_STEPS[event.key];
    const last = boxes.length - 1;
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? last
          : step === undefined
            ? undefined
            : selected === undefined
              ? 0
              : Math.max(0, Math.min(last, selected + step));
    if (next === undefined || last < 0) return onKey(event);
    event.preventDefault();
    onSelect(next);
  };
  const indexOf = ({ target }: Event): number | undefined => {
    const row = (target as Element).closest<HTMLElement>('[role=option]');
    return row ? Number(row.dataset.index) : undefined;
  };
  return (
    <div
      ref={list}
      class="box-list"
      role="listbox"
      aria-label={`Areas: ${boxes.length}`}
      aria-activedescendant={selected === undefined ? undefined : optionId(selected)}
      tabIndex={0}
      onKeyDown={pressKey}
      onClick={(event) => {
        const index = indexOf(event);
        if (index !== undefined) onSelect(index);
      }}
      onPointerOver={(event) => onHover(indexOf(event))}
      onPointerLeave={() => onHover(undefined)}
    >
      {shown}
    </div>
  );
}
