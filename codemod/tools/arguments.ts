/** Arguments shared by several tools. */
import { z } from 'zod';
import { described } from '../../base/described.ts';

export const packageId = described(z.string().max(64).optional(), 'Default: the latest package of this process.');
export const planId = z.string().max(64).optional().meta({ description: 'Default: the latest plan of this process.' });

/** Accepts any value or none, so that anything but `true` gets the error `approval_required`. */
export const approved = z.unknown().optional().meta({
  type: 'boolean',
  const: true,
  description: 'Literally true, and only after the person has seen the diff and said yes.',
});
