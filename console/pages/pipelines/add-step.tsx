/** Lists all operations in groups, to add one as a step. */
import { useEffect, useState } from 'preact/hooks';
import { declarations } from '../../declarations/declarations.ts';
import { opHint, opName } from './labels.ts';

const GROUPS: readonly (readonly [title: string, ops: readonly string[]])[] = [
  ['Size and shape', ['resize', 'crop', 'rotate', 'flip', 'pad', 'orient']],
  ['Look', ['adjust', 'border', 'watermark']],
  ['With a model', ['remove_background', 'blur_faces', 'upscale']],
  ['Animation', ['gif']],
  ['File', ['compress', 'convert', 'metadata', 'id_photo']],
];

/** Returns the groups that have operations. Operations without a group are listed under "More". */
function groups() {
  const grouped = new Set(GROUPS.flatMap(([, ops]) => ops));
  const known = new Set(declarations.steps.map(({ op }) => op));
  const others = [...known].filter((op) => !grouped.has(op));
  return [...GROUPS, ['More', others] as const]
    .map(([title, ops]) => ({ title, ops: ops.filter((op) => known.has(op)) }))
    .filter(({ ops }) => ops.length > 0);
}

export function AddStep({ onAdd, isOpen: isOpenAtFirst }: { onAdd(op: string): void; isOpen: boolean }) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  useEffect(() => setOpen(isOpenAtFirst), [isOpenAtFirst]);
  return (
    <details class="add-step" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Add a step</summary>
      {groups().map(({ title, ops }) => (
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
