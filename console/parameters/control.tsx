/** Shows the control for one parameter. */

import { useId } from 'preact/hooks';
import { Field, FieldError, SelectField, Switch, TextField } from '../ui/fields.tsx';
import { SegmentedControl } from '../ui/segments.tsx';
import { type ControlProps, colourKeywords, selectControl } from './controls.ts';
import { choiceLabel, helpOf, labelOf } from './labels.ts';
import { ListControl } from './list-control.tsx';
import { readValue } from './values.ts';

export function Control(props: ControlProps) {
  const { parameter, value, onValue, error } = props;
  const { name, default: usual } = parameter;
  const help = helpOf(parameter);
  const label = labelOf(name);
  const texts = { label, help, error };
  /** Empty text means the default. */
  const onText = (text: string) => onValue(text === '' ? undefined : readValue(parameter, text));
  const placeholder = usual === undefined ? '' : String(usual);
  switch (selectControl(parameter)) {
    case 'switch':
      return (
        <>
          <Switch label={label} help={help} isOn={(value ?? usual) === true} onValue={onValue} />
          {error && <FieldError>{error}</FieldError>}
        </>
      );
    case 'segments':
      return <Choices {...props} />;
    case 'select':
      return (
        <SelectField
          {...texts}
          value={String(value ?? usual ?? '')}
          options={[
            ...(usual === undefined ? [{ value: '', label: 'not set' }] : []),
            ...parameter.enum!.map((choice) => ({ value: choice, label: choiceLabel(name, choice) })),
          ]}
          onValue={onText}
        />
      );
    case 'slider':
      return <Slider {...props} />;
    case 'colour':
      return <ColourControl {...props} />;
    case 'list':
      return <ListControl {...props} read={(text) => readValue(parameter, text)} />;
    case 'url':
      return <TextField {...texts} type="url" placeholder="https://" value={String(value ?? '')} onValue={onText} />;
    default:
      return (
        <Field {...texts}>
          {(described) => (
            <input
              {...described}
              // Not a number field: for invalid input, browsers do not report the typed text.
              inputMode={parameter.type === 'string' ? 'text' : 'decimal'}
              placeholder={placeholder}
              maxLength={parameter.maxLength}
              value={String(value ?? '')}
              onInput={({ currentTarget }) => onText(currentTarget.value)}
            />
          )}
        </Field>
      );
  }
}

function Slider({ parameter, value, onValue, error }: ControlProps) {
  const { name, minimum, maximum, default: usual } = parameter;
  const shown = typeof value === 'number' ? value : Number(usual ?? minimum);
  return (
    <Field label={labelOf(name)} help={helpOf(parameter)} error={error}>
      {(described) => (
        <div class="slider">
          <input
            type="range"
            aria-label={`${labelOf(name)}, slider`}
            min={minimum}
            max={maximum}
            value={shown}
            onInput={({ currentTarget }) => onValue(currentTarget.valueAsNumber)}
          />
          <input
            {...described}
            inputMode="numeric"
            placeholder={String(usual ?? '')}
            value={String(value ?? '')}
            onInput={({ currentTarget: { value: text } }) =>
              onValue(text === '' ? undefined : readValue(parameter, text))
            }
          />
        </div>
      )}
    </Field>
  );
}

/** Shows a few choices side by side. */
function Choices({ parameter, value, onValue, error }: ControlProps) {
  const helpId = useId();
  const { name, default: usual } = parameter;
  return (
    <div class="choices">
      <SegmentedControl
        label={labelOf(name)}
        isLabelShown
        options={parameter.enum!.map((choice) => ({ value: choice, label: choiceLabel(name, choice) }))}
        value={String(value ?? usual ?? '')}
        onValue={onValue}
        describedBy={helpId}
      />
      <p class="help" id={helpId}>
        {helpOf(parameter)}
      </p>
      {error && <FieldError>{error}</FieldError>}
    </div>
  );
}

/** Picks a colour with the browser's picker or as text, or one of the words that the parameter also accepts. */
function ColourControl({ parameter, value, onValue, error }: ControlProps) {
  const { name, default: usual } = parameter;
  const words = colourKeywords(parameter);
  const current = String(value ?? usual ?? '');
  return (
    <Field label={labelOf(name)} help={helpOf(parameter)} error={error}>
      {(described) => (
        <div class="colour">
          <input
            type="color"
            aria-label={`${labelOf(name)}, picker`}
            value={/^#?[0-9a-f]{6}$/i.test(current) ? `#${current.replace('#', '')}` : '#ffffff'}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          <input
            {...described}
            placeholder={String(usual ?? '#rrggbb')}
            value={String(value ?? '')}
            spellcheck={false}
            onInput={({ currentTarget: { value: text } }) => onValue(text === '' ? undefined : text)}
          />
          {words.map((word) => (
            <button key={word} type="button" aria-pressed={current === word} onClick={() => onValue(word)}>
              {word}
            </button>
          ))}
        </div>
      )}
    </Field>
  );
}
