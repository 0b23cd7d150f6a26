import { useEffect, useRef } from 'preact/hooks';
import type { Operation } from '../../../server/console/declaration-types.ts';
import { OPERATIONS } from './operations.ts';

export function OperationList({ selected, linkTo }: { selected: Operation; linkTo(operation: Operation): string }) {
  const list = useRef<HTMLUListElement>(null);
  // On a phone the list is wider than the window, so scroll to the selected operation.
  useEffect(() => {
    const link = list.current!.querySelector<HTMLElement>('[aria-current]')!;
    list.current!.scrollLeft = link.offsetLeft - list.current!.offsetLeft - 16;
  }, [selected]);
  return (
    <nav class="operations" aria-label="Operations">
      <ul ref={list}>
        {OPERATIONS.map((operation) => (
          <li key={operation.id}>
            <a href={linkTo(operation)} aria-current={operation === selected ? 'page' : undefined}>
              {operation.title}
              {operation.needsModel && <span class="tag">AI</span>}
            </a>
          </li>
        ))}
      </ul>
      <p>
        {selected.hint}
        {selected.needsModel && <span class="help"> Needs a key with the ai scope.</span>}
      </p>
    </nav>
  );
}
