import type { Box } from '../image.ts';

export interface LabelledBox extends Box {
  /** Label shown to the user. */
  label: string;
}

/** Returns the label of a new area, with the first number that is not taken. */
export function freshLabel(boxes: readonly { label: string }[]): string {
  const taken = new Set(boxes.map(({ label }) => label));
  let number = 1;
  while (taken.has(`Area ${number}`)) number += 1;
  return `Area ${number}`;
}
