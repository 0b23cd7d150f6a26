/** Edits the condition under which a step runs. */
import { useState } from 'preact/hooks';
import type { Condition } from '../../../client/types.generated.ts';
import { Field } from '../../ui/fields.tsx';
import { ConditionField } from './condition-field.tsx';
import { canShow, initialValue, namesToAdd, withField } from './conditions.ts';
import { conditionLabel } from './labels.ts';

interface ConditionEditorProps {
  condition: Condition | undefined;
  onCondition(condition: Condition | undefined): void;
}

export function ConditionEditor({ condition, onCondition }: ConditionEditorProps) {
  return (
    <fieldset class="condition">
      <legend>Condition</legend>
      <p class="help">
        {condition === undefined
          ? 'The step is always done.'
          : 'The step is done when all of this holds. Sizes are those of the image before the step, the rest is of the file.'}
      </p>
      <ConditionFields condition={condition ?? {}} onCondition={onCondition} isInner={false} />
    </fieldset>
  );
}

interface ConditionFieldsProps {
  condition: Condition;
  /** Called with undefined when no field is left. */
  onCondition(condition: Condition | undefined): void;
  isInner: boolean;
}

function ConditionFields({ condition, onCondition, isInner }: ConditionFieldsProps) {
  const set = (name: string, value: unknown) => onCondition(withField(condition, name, value));
  return (
    <>
      {Object.entries(condition).map(([name, value]) => (
        <div class="condition-row" key={name}>
          <ConditionValue name={name} value={value} onValue={(next) => set(name, next)} />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove the condition: ${conditionLabel(name)}`}
            onClick={() => set(name, undefined)}
          >
            ×
          </button>
        </div>
      ))}
      <select
        class="add-condition"
        aria-label={isInner ? 'Add to these conditions' : 'Add a condition'}
        value=""
        onChange={({ currentTarget }) => {
          const name = currentTarget.value;
          currentTarget.value = '';
          if (name) set(name, initialValue(name));
        }}
      >
        <option value="">Add a condition …</option>
        {namesToAdd(condition, isInner).map((name) => (
          <option key={name} value={name}>
            {conditionLabel(name)}
          </option>
        ))}
      </select>
    </>
  );
}

interface ValueProps {
  name: string;
  value: unknown;
  onValue(value: unknown): void;
}

function ConditionValue({ name, value, onValue }: ValueProps) {
  if (!canShow(name, value)) return <JsonValue name={name} value={value} onValue={onValue} />;
  if (name === 'not')
    return (
      <fieldset>
        <legend>{conditionLabel(name)}</legend>
        <ConditionFields condition={value as Condition} onCondition={onValue} isInner />
      </fieldset>
    );
  if (name === 'any') return <Alternatives conditions={value as Condition[]} onConditions={onValue} />;
  return <ConditionField name={name} value={value} onValue={onValue} />;
}

interface AlternativesProps {
  conditions: readonly Condition[];
  onConditions(conditions: readonly Condition[] | undefined): void;
}

function Alternatives({ conditions, onConditions }: AlternativesProps) {
  const change = (at: number, condition: Condition | undefined) => {
    const next = condition === undefined ? conditions.toSpliced(at, 1) : conditions.with(at, condition);
    onConditions(next.length === 0 ? undefined : next);
  };
  return (
    <fieldset>
      <legend>{conditionLabel('any')}</legend>
      {conditions.map((condition, at) => (
        <fieldset key={at}>
          <legend>{at === 0 ? 'This' : 'or this'}</legend>
          <ConditionFields condition={condition} onCondition={(next) => change(at, next)} isInner />
        </fieldset>
      ))}
      <button
        type="button"
        onClick={() => onConditions([...conditions, { min_height: initialValue('min_height') as number }])}
      >
        Or another
      </button>
    </fieldset>
  );
}

/** Edits as JSON what is nested too deeply for the form. */
function JsonValue({ name, value, onValue }: ValueProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [isWrong, setWrong] = useState(false);
  return (
    <Field
      label={`${conditionLabel(name)}, as JSON`}
      error={isWrong ? 'Expected valid JSON but received a text that is not. It is used once it is.' : undefined}
    >
      {(described) => (
        <textarea
          {...described}
          class="json"
          rows={6}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            try {
              onValue(JSON.parse(currentTarget.value));
              setWrong(false);
            } catch {
              setWrong(true);
            }
          }}
        />
      )}
    </Field>
  );
}
