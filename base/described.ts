import type { z } from 'zod';

/** Adds what the documentation says of a parameter or a field. */
export const described = <S extends z.ZodType>(schema: S, description: string, ...examples: unknown[]): S =>
  schema.meta({ description, ...(examples.length > 0 ? { examples } : {}) });
