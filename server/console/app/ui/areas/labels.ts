import type { Box } from '../picture.ts';

export interface LabelledBox extends Box {
  /** What it is, for people. */
  label: string;
}

/** The name of a new area among others: the first number that none of them has. */
export function freshLabel(boxes: readonly { label: string }[]): string {
  const taken = new Set(boxes.map(({ label }) => label));
  let number = 1;
  while (taken.has(`Area ${number}`)) number += 1;
  return `Area ${number}`;
}
