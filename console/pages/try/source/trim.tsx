import type { Values } from '../../../parameters/values.ts';
import { Timeline } from '../lazy-components.tsx';

interface TrimProps {
  file: File;
  values: Values;
  onValues(values: Values): void;
}

/** Edits the parameters `trim_start` and `trim_end` on a timeline. */
export function TrimEditor({ file, values, onValues }: TrimProps) {
  const { trim_start, trim_end, ...others } = values;
  return (
    <Timeline
      file={file}
      start={typeof trim_start === 'number' ? trim_start : undefined}
      end={typeof trim_end === 'number' ? trim_end : undefined}
      onRange={(start, end) =>
        onValues({
          ...others,
          ...(start === undefined ? {} : { trim_start: start }),
          ...(end === undefined ? {} : { trim_end: end }),
        })
      }
    />
  );
}
