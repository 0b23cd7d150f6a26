import type { ControlProps } from '../../../parameters/control-props.ts';
import { ListControl } from '../../../parameters/list-control.tsx';

/** Patterns may hold commas. */
export function PatternLines(props: ControlProps) {
  return <ListControl {...props} read={linesOf} />;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
