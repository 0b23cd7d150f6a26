/** One step: a summary line, and its settings when it is open. */
import { useEffect, useId } from 'preact/hooks';
import { ParameterForm } from '../../parameters/form.tsx';
import { FieldError } from '../../ui/fields.tsx';
import { ConditionEditor } from './condition-editor.tsx';
import { type DraftStep, parametersOf } from './draft.ts';
import { fault } from './draft-store.ts';
import { conditionText, opHint, opName, paramsText } from './labels.ts';
import type { StepError } from './step-error.ts';

/** The button of a step that gets the focus after a change. */
export type StepButton = 'toggle' | 'up' | 'down';

interface StepCardProps {
  step: DraftStep;
  /** Starts at 0. */
  index: number;
  count: number;
  isOpen: boolean;
  isDragged: boolean;
  onOpen(isOpen: boolean): void;
  onStep(change: Partial<Omit<DraftStep, 'id'>>): void;
  onMove(to: number, part: StepButton): void;
  onDuplicate(): void;
  onRemove(): void;
  onDrag(isDragged: boolean): void;
  onDrop(): void;
}

const KEYS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 };

export function StepCard(props: StepCardProps) {
  const { step, index, isOpen, isDragged, onOpen, onMove, onDrag, onDrop } = props;
  const { op, when, params } = step;
  const id = useId();
  const wrong = fault.value?.step === index ? fault.value : undefined;
  // Opens the step to show the error.
  useEffect(() => {
    if (wrong) onOpen(true);
  }, [wrong]);
  return (
    <li
      class={`step card${isDragged ? ' dragged' : ''}${wrong ? ' wrong' : ''}`}
      data-step={step.id}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onDrop();
      }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons in it */}
      <div
        class="step-head"
        draggable
        onDragStart={(event) => {
          event.dataTransfer!.effectAllowed = 'move';
          event.dataTransfer!.setData('text/plain', op);
          onDrag(true);
        }}
        onDragEnd={() => onDrag(false)}
        onKeyDown={(event) => {
          const by = event.altKey ? KEYS[event.key] : undefined;
          if (by === undefined) return;
          event.preventDefault();
          onMove(index + by, ((event.target as HTMLElement).dataset.part as StepButton | undefined) ?? 'toggle');
        }}
      >
        <button
          type="button"
          class="quiet step-toggle"
          data-part="toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => onOpen(!isOpen)}
        >
          <span class="step-number">{index + 1}</span>
          <span class="step-words">
            <strong>{opName(op)}</strong>{' '}
            <span class="help">
              {paramsText(params) || (parametersOf(op).length === 0 ? '' : 'as it is by default')}
            </span>
            {when && <span class="step-when">if {conditionText(when)}</span>}
          </span>
        </button>
        <StepButtons {...props} />
      </div>
      {wrong && !isShownByForm(wrong, step) && <FieldError>{wrong.message}</FieldError>}
      {isOpen && <StepSettings {...props} id={id} wrong={wrong} />}
    </li>
  );
}

/** Returns whether the form of the step shows the error at a control. */
const isShownByForm = ({ parameter }: StepError, { op }: DraftStep): boolean =>
  parametersOf(op).some(({ name }) => name === parameter);

function StepButtons({ step: { op }, index, count, onMove, onDuplicate, onRemove }: StepCardProps) {
  const what = `${opName(op)}, step ${index + 1}`;
  const isFirst = index === 0;
  const isLast = index === count - 1;
  return (
    <div class="step-buttons">
      <button
        type="button"
        class="quiet"
        data-part="up"
        aria-label={`Move up: ${what}`}
        aria-disabled={isFirst}
        onClick={() => isFirst || onMove(index - 1, 'up')}
      >
        ↑
      </button>
      <button
        type="button"
        class="quiet"
        data-part="down"
        aria-label={`Move down: ${what}`}
        aria-disabled={isLast}
        onClick={() => isLast || onMove(index + 1, 'down')}
      >
        ↓
      </button>
      <button type="button" class="quiet" aria-label={`Duplicate: ${what}`} onClick={onDuplicate}>
        <DuplicateIcon />
      </button>
      <button type="button" class="quiet" aria-label={`Remove: ${what}`} onClick={onRemove}>
        ×
      </button>
    </div>
  );
}

/** An icon, because no font is certain to have a character for it. */
function DuplicateIcon() {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      aria-hidden="true"
    >
      <rect x="1.75" y="1.75" width="9" height="9" rx="1.5" />
      <path d="M5.5 14.25h7.25a1.5 1.5 0 0 0 1.5-1.5V5.5" />
    </svg>
  );
}

function StepSettings({ id, step, wrong, onStep }: StepCardProps & { id: string; wrong: StepError | undefined }) {
  const { op, when, params } = step;
  const parameters = parametersOf(op);
  const errors = wrong?.parameter === undefined ? {} : { [wrong.parameter]: wrong.message };
  return (
    <div class="step-settings" id={id}>
      <p class="help">{opHint(op)}</p>
      <ParameterForm
        parameters={parameters}
        values={params}
        onValues={(values) => onStep({ params: values })}
        errors={errors}
      />
      <ConditionEditor condition={when} onCondition={(condition) => onStep({ when: condition })} />
    </div>
  );
}
