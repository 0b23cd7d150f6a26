/** Lists the steps in order. They can be moved with buttons, keys and by dragging. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { declarations } from '../../declarations/declarations.ts';
import { addStep, changeStep, duplicateStep, moveStep } from './draft.ts';
import { change, draft, remove } from './draft-store.ts';
import { opHint, opName } from './labels.ts';
import { type StepButton, StepCard } from './step-card.tsx';

/** The element to focus after the next render: a moved step would lose the focus. */
interface Focus {
  id: number;
  part: StepButton;
}

export function StepList() {
  const { steps } = draft.value;
  const list = useRef<HTMLOListElement>(null);
  const focus = useRef<Focus>(undefined);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [said, setSaid] = useState('');
  const [dragged, setDragged] = useState<number>();

  useLayoutEffect(() => {
    if (!focus.current || !list.current) return;
    const { id, part } = focus.current;
    focus.current = undefined;
    list.current.querySelector<HTMLElement>(`[data-step="${id}"] [data-part="${part}"]`)?.focus();
  });

  const show = (id: number, isOpen: boolean) =>
    setOpened((before) => (isOpen ? new Set([...before, id]) : new Set([...before].filter((other) => other !== id))));
  const add = (op: string) => {
    const { draft: next, added } = addStep(draft.value, op);
    // Closes the other steps, because the settings of one are long.
    setOpened(new Set([added.id]));
    focus.current = { id: added.id, part: 'toggle' };
    setSaid(`${opName(op)} is step ${next.steps.indexOf(added) + 1} of ${next.steps.length}.`);
    change(next);
  };
  const move = (id: number, to: number, part: StepButton) => {
    const next = moveStep(draft.value, id, to);
    const at = next.steps.findIndex((step) => step.id === id);
    focus.current = { id, part };
    setSaid(`${opName(next.steps[at]!.op)} is step ${at + 1} of ${next.steps.length}.`);
    change(next);
  };
  const duplicate = (id: number) => {
    const { draft: next, added } = duplicateStep(draft.value, id);
    focus.current = { id: added.id, part: 'toggle' };
    setSaid(`${opName(added.op)} is there twice.`);
    change(next);
  };
  const removeAt = (index: number) => {
    const near = steps[index + 1] ?? steps[index - 1];
    if (near) focus.current = { id: near.id, part: 'toggle' };
    else document.getElementById('main')!.focus({ preventScroll: true });
    remove(steps[index]!.id);
  };

  return (
    <>
      {steps.length === 0 ? (
        <p class="empty">
          A pipeline does several things to an image, one after the other. Add the first step, or open a template.
        </p>
      ) : (
        <ol class="steps" ref={list}>
          {steps.map((step, index) => (
            <StepCard
              key={step.id}
              step={step}
              index={index}
              count={steps.length}
              isOpen={opened.has(step.id)}
              isDragged={dragged === step.id}
              onOpen={(isOpen) => show(step.id, isOpen)}
              onStep={(next) => change(changeStep(draft.value, step.id, next))}
              onMove={(to, part) => move(step.id, to, part)}
              onDuplicate={() => duplicate(step.id)}
              onRemove={() => removeAt(index)}
              onDrag={(isDragged) => setDragged(isDragged ? step.id : undefined)}
              onDrop={() => {
                if (dragged !== undefined && dragged !== step.id) move(dragged, index, 'toggle');
                setDragged(undefined);
              }}
            />
          ))}
        </ol>
      )}
      {steps.length > 1 && (
        <p class="help">
          Steps run from top to bottom. Move one with its arrows, by dragging, or with <kbd>Alt</kbd> and the arrow
          keys.
        </p>
      )}
      <AddStep onAdd={add} isOpen={steps.length === 0} />
      <p class="hidden" role="status">
        {said}
      </p>
    </>
  );
}

function AddStep({ onAdd, isOpen: isOpenAtFirst }: { onAdd(op: string): void; isOpen: boolean }) {
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
