/** Form controls that are linked to their label, help and error. */
import type { ComponentChildren, FormHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

/** A form whose submission the page handles. */
export function Form({ onSubmit, ...rest }: Omit<FormHTMLAttributes, 'onSubmit'> & { onSubmit(): void }) {
  return (
    <form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

interface FieldProps {
  label: ComponentChildren;
  help?: ComponentChildren;
  error?: string | undefined;
}

interface Described {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

/** @param children renders the control with the attributes that link it to its texts */
export function Field({
  label,
  help,
  error,
  children,
}: FieldProps & { children(props: Described): ComponentChildren }) {
  const id = useId();
  const texts = [help ? `${id}-help` : '', error ? `${id}-error` : ''].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': texts.join(' ') || undefined, 'aria-invalid': error !== undefined })}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

export function FieldError({ id, children }: { id?: string; children: ComponentChildren }) {
  return (
    <p class="field-error" id={id} role="alert">
      {children}
    </p>
  );
}

interface TextFieldProps extends FieldProps {
  value: string;
  onValue(value: string): void;
  type?: 'text' | 'url' | 'email' | 'number' | 'search';
  placeholder?: string;
  required?: boolean;
  min?: number;
  max?: number;
  step?: number | 'any';
  maxLength?: number;
}

export function TextField({ label, help, error, value, onValue, type = 'text', ...rest }: TextFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      {(described) => (
        <input
          {...rest}
          {...described}
          // Preact's types do not accept the union of types.
          type={type as 'text'}
          value={value}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<T extends string> extends FieldProps {
  value: T;
  options: readonly (T | { value: T; label: string })[];
  onValue(value: T): void;
}

export function SelectField<T extends string>({ label, help, error, value, options, onValue }: SelectFieldProps<T>) {
  return (
    <Field label={label} help={help} error={error}>
      {(described) => (
        <select {...described} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value as T)}>
          {options.map((option) => {
            const { value: one, label: text } = typeof option === 'string' ? { value: option, label: option } : option;
            return (
              <option key={one} value={one}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export interface SwitchProps {
  label: ComponentChildren;
  help?: ComponentChildren;
  isOn: boolean;
  onValue(isOn: boolean): void;
}

export function Switch({ label, help, isOn, onValue }: SwitchProps) {
  const id = useId();
  return (
    <div class="field switch">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={help ? id : undefined}
          onChange={({ currentTarget }) => onValue(currentTarget.checked)}
        />
        {label}
      </label>
      {help && (
        <p class="help" id={id}>
          {help}
        </p>
      )}
    </div>
  );
}
