import { z } from 'zod';
import type { OperationDefinition, OperationInput } from '../definition.ts';
import { type InspectResult, inspectionRecord } from './record.ts';
import { inspectionText } from './record-text.ts';

/** `inspect` has no parameters except the choice of the image (sourceParams). */
export const inspectParams = z.strictObject({});

export type InspectInput = OperationInput;

export const inspect: OperationDefinition<'inspect', typeof inspectParams, InspectInput, InspectResult> = {
  name: 'inspect',
  title: 'Inspect',
  hint: "See a file's size, camera, location and colours.",
  summary: 'Report the format, size, metadata, GPS position and fingerprints of an image',
  description: 'Changes nothing and stores nothing.',
  params: inspectParams,
  groups: [],
  output: { kind: 'record', description: 'What is in the file.', schema: inspectionRecord, toText: inspectionText },
  errors: [],
  meter: 'requests',
  estimate: { baseMs: 5, megapixelMs: 40 },
  commandExamples: ['photo.jpg', 'photos --json'],
};
