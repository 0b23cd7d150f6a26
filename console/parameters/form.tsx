/** A form for a list of declared parameters. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Parameter } from '../../server/console/declaration-types.ts';
import { Control } from './control.tsx';
import type { ControlProps } from './controls.ts';
import type { Group } from './groups.ts';
import { labelOf } from './labels.ts';
import './parameters.css';
import { type Values, validationError, withValue } from './values.ts';

export interface ParameterFormProps {
  parameters: readonly Parameter[];
  values: Values;
  onValues(values: Values): void;
  /** Errors of the service, by parameter name. */
  errors?: Readonly<Record<string, string>>;
  /** Shows the parameters in groups instead of a plain list. */
  groups?: readonly Group[];
  /** The page's own controls, by parameter name. */
  controls?: Readonly<Record<string, (props: ControlProps) => ComponentChildren>>;
}

export function ParameterForm({
  parameters,
  values,
  onValues,
  errors = {},
  groups,
  controls = {},
}: ParameterFormProps) {
  const set = parameters.filter(({ name }) => values[name] !== undefined);
  const one = (parameter: Parameter) => {
    const value = values[parameter.name];
    const props: ControlProps = {
      parameter,
      value,
      onValue: (next) => onValues(withValue(values, parameter, next)),
      error: validationError(parameter, value) ?? errors[parameter.name],
    };
    return (
      <div class="parameter" key={parameter.name} data-parameter={parameter.name}>
        {controls[parameter.name]?.(props) ?? <Control {...props} />}
        {value !== undefined && (
          <button
            type="button"
            class="quiet reset"
            aria-label={`Reset ${labelOf(parameter.name)}`}
            onClick={() => props.onValue(undefined)}
          >
            Reset
          </button>
        )}
      </div>
    );
  };
  return (
    <div class="parameters">
      {groups
        ? groups.map((group) => (
            <ParameterGroup key={group.title} group={group} values={values} errors={errors}>
              {group.parameters.map(one)}
            </ParameterGroup>
          ))
        : parameters.map(one)}
      {set.length > 1 && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            onValues(set.reduce((rest: Values, parameter) => withValue(rest, parameter, undefined), values))
          }
        >
          Reset all {set.length}
        </button>
      )}
    </div>
  );
}

interface GroupOfProps extends Pick<ParameterFormProps, 'values'> {
  group: Group;
  errors: Readonly<Record<string, string>>;
  children: ComponentChildren;
}

/** A group of parameters. It opens if one of them is set, or to show an error. */
function ParameterGroup({ group: { title, isOpen, parameters }, values, errors, children }: GroupOfProps) {
  const count = parameters.filter(({ name }) => values[name] !== undefined).length;
  const isWrong = parameters.some(({ name }) => errors[name] !== undefined);
  const [isShown, setShown] = useState(isOpen || count > 0);
  useEffect(() => {
    if (isWrong) setShown(true);
  }, [isWrong]);
  return (
    <details class="parameter-group" open={isShown} onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary>
        {title}
        {count > 0 && <span class="tag">{count} set</span>}
      </summary>
      <fieldset aria-label={title}>{children}</fieldset>
    </details>
  );
}
