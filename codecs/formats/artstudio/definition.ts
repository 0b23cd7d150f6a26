import type { Format } from '../format.ts';
import { isArtStudio } from './read.ts';

export const artstudio = {
  name: 'Commodore 64 Art Studio',
  extensions: ['art', 'aas', 'ocp', 'hpi'],
  contentTypes: ['image/x-art-studio'],
  named: true,
  matchesNamed: isArtStudio,
} as const satisfies Format;
