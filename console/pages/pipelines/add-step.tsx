/** Lists all operations in groups, to add one as a step. */
import { useEffect, useState } from 'preact/hooks';
import { declarations } from '../../declarations/declarations.ts';
import { opHint, opName } from './labels.ts';

export function AddStep({ onAdd, isOpen: isOpenAtFirst }: { onAdd(op: string): void; isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useEffect(() => setOpen(isOpenAtFirst), [isOpenAtFirst]);
  return (
    <details class="add-step" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Add a step</summary>
      {declarations.stepGroups.map(({ title, ops }) => (
        <section key={title}>
          <h3>{title}</h3>
          <div class="ops">
            {ops.map((op) => (
              <button
                key={op}
                type="button"
                onClick={() => {
                  onAdd(op);
                  setOpen(false);
                }}
              >
                <strong>{opName(op)}</strong>
                <span class="help">{opHint(op)}</span>
              </button>
            ))}
          </div>
        </section>
      ))}
    </details>
  );
}
