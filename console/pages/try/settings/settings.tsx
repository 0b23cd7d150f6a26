/** The settings of an operation. */

import { useRef } from 'preact/hooks';
import type { Operation } from '../../../../server/console/declaration-types.ts';
import { ParameterForm, type ParameterFormProps } from '../../../parameters/form.tsx';
import { groupParameters } from '../../../parameters/groups.ts';
import { labelOf } from '../../../parameters/labels.ts';
import type { Values } from '../../../parameters/values.ts';
import { Field } from '../../../ui/fields.tsx';
import type { DisplayedImage } from '../../../ui/image.ts';
import { BoxesControl, CropControl } from './area-controls.tsx';
import { PresetControl, usePresets } from './preset-control.tsx';
import { headRange } from './presets.ts';

export interface SettingsProps {
  operation: Operation;
  values: Values;
  onValues(values: Values): void;
  parts: Readonly<Record<string, File>>;
  onPart(name: string, file: File | undefined): void;
  /** Errors of the service, by name of the parameter or part. */
  errors: Readonly<Record<string, string>>;
  file: File | undefined;
  image: DisplayedImage | undefined | null;
}

export function Settings({ operation, values, onValues, parts, onPart, errors, file, image }: SettingsProps) {
  const isIdPhoto = operation.id === 'id-photo';
  const { presets, failure } = usePresets(isIdPhoto);
  const preset = presets?.find(({ id }) => id === values.preset);
  const shape = isIdPhoto ? aspectRatioOf(values, preset) : undefined;
  const controls: ParameterFormProps['controls'] = {
    crop: (props) => <CropControl {...props} image={image} ratio={shape} head={preset && headRange(preset)} />,
    boxes: (props) => <BoxesControl {...props} file={file} image={image} />,
    ...(isIdPhoto && { preset: (props) => <PresetControl {...props} {...{ presets, preset, failure }} /> }),
  };
  return (
    <>
      <ParameterForm
        key={operation.id}
        parameters={operation.parameters}
        groups={groupParameters(operation)}
        {...{ values, onValues, errors, controls }}
      />
      {operation.parts.length > 0 && (
        <details class="parameter-group" open={operation.parts.some(({ name }) => parts[name] || errors[name])}>
          <summary>Further images</summary>
          <fieldset aria-label="Further images">
            {operation.parts.map((part) => (
              <PartField
                key={part.name}
                part={part}
                file={parts[part.name]}
                onFile={(chosen) => onPart(part.name, chosen)}
                error={errors[part.name]}
              />
            ))}
          </fieldset>
        </details>
      )}
    </>
  );
}

/** Returns the aspect ratio of the photo, as width divided by height. */
function aspectRatioOf(values: Values, preset: { width: number; height: number } | undefined): number | undefined {
  for (const [width, height] of [
    [values.width_mm, values.height_mm],
    [values.width, values.height],
  ])
    if (typeof width === 'number' && typeof height === 'number') return width / height;
  return preset && preset.width / preset.height;
}

interface PartFieldProps {
  part: { name: string; description: string };
  file: File | undefined;
  onFile(file: File | undefined): void;
  error: string | undefined;
}

/** Chooses an additional image of a request. */
function PartField({ part, file, onFile, error }: PartFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="parameter">
      <Field label={labelOf(part.name)} help={part.description} error={error}>
        {(described) => (
          <input
            {...described}
            ref={input}
            type="file"
            onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
          />
        )}
      </Field>
      {file && (
        <button
          type="button"
          class="quiet reset"
          aria-label={`Reset ${labelOf(part.name)}`}
          onClick={() => {
            input.current!.value = '';
            onFile(undefined);
          }}
        >
          Reset
        </button>
      )}
    </div>
  );
}
