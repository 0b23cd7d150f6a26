import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface TabsProps<T extends string> {
  label: string;
  tabs: readonly { id: T; title: ComponentChildren }[];
  selected: T;
  onSelect(id: T): void;
  /** Content of the selected tab. */
  children: ComponentChildren;
}

/** Tabs that move with the arrow keys, as the ARIA tabs pattern requires. */
export function Tabs<T extends string>({ label, tabs, selected, onSelect, children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex((tab) => tab.id === selected);
    const next =
      event.key === 'Home'
        ? 0
        : event.key === 'End'
          ? tabs.length - 1
          : step && (at + step + tabs.length) % tabs.length;
    if (next === undefined) return;
    event.preventDefault();
    onSelect(tabs[next]!.id);
    (list.current!.children[next] as HTMLElement).focus();
  };
  return (
    <div class="tabs">
      <div ref={list} role="tablist" aria-label={label} tabindex={-1} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabindex={tab.id === selected ? 0 : -1}
            onClick={() => onSelect(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} tabindex={0}>
        {children}
      </div>
    </div>
  );
}
