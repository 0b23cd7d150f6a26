/** Groups the parameters of an operation for its form. */
import type { Operation, Parameter } from '../../server/console/declaration-types.ts';

export interface Group {
  title: string;
  /** True if the group is open at first. */
  isOpen: boolean;
  parameters: readonly Parameter[];
}

/** The groups of the parameters that every operation may have. They come last. */
const COMMON_GROUPS: Operation['groups'] = [
  { title: 'Source', isOpen: false, parameters: ['page', 'filename'] },
  { title: 'Result', isOpen: false, parameters: ['fingerprint', 'score', 'mask', 'output', 'deliver_to'] },
];

export function groupParameters({ groups, parameters }: Pick<Operation, 'groups' | 'parameters'>): Group[] {
  return [...groups, ...COMMON_GROUPS]
    .map(({ title, isOpen, parameters: names }) => ({
      title,
      isOpen,
      parameters: names.flatMap((name) => parameters.filter((parameter) => parameter.name === name)),
    }))
    .filter((group) => group.parameters.length > 0);
}
