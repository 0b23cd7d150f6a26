/** The settings of an operation. */

import type { Operation } from '../../../../server/console/declaration-types.ts';
import { ParameterForm, type ParameterFormProps } from '../../../parameters/form.tsx';
import { groupParameters } from '../../../parameters/groups.ts';
import type { Values } from '../../../parameters/values.ts';
import type { DisplayedImage } from '../../../ui/image.ts';
import { BoxesControl } from './boxes-control.tsx';
import { CropControl } from './crop-control.tsx';
import { PartField } from './part-field.tsx';
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
  picture: DisplayedImage | undefined | null;
}

export function Settings({ operation, values, onValues, parts, onPart, errors, file, picture }: SettingsProps) {
  const isIdPhoto = operation.id === 'id-photo';
  const { presets, failure } = usePresets(isIdPhoto);
  const preset = presets?.find(({ id }) => id === values.preset);
  const shape = isIdPhoto ? aspectRatioOf(values, preset) : undefined;
  const controls: ParameterFormProps['controls'] = {
    crop: (props) => <CropControl {...props} picture={picture} ratio={shape} head={preset && headRange(preset)} />,
    boxes: (props) => <BoxesControl {...props} file={file} picture={picture} />,
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
