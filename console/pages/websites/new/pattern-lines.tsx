import type { ControlProps } from '../../../parameters/control-props.ts';
import { ListControl } from '../../../parameters/list-control.tsx';

/** Edits one pattern per line. Commas do not separate patterns, because a pattern may contain one. */
export function PatternLines(props: ControlProps) {
  return <ListControl {...props} read={linesOf} />;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
