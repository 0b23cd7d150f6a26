import type { Signal } from '@preact/signals';
import { Field } from '../../ui/fields.tsx';

/** Chooses the image for watermark steps with a logo. It is sent as a separate part. */
export function LogoField({ logo }: { logo: Signal<File | undefined> }) {
  return (
    <Field label="Logo" help="A watermark step of this pipeline puts it on the image.">
      {(described) => (
        <input
          {...described}
          type="file"
          onChange={({ currentTarget }) => {
            logo.value = currentTarget.files?.[0];
          }}
        />
      )}
    </Field>
  );
}
