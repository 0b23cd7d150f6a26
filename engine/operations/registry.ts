/** The operations on one image, in the order in which they are shown everywhere. Main-thread safe. */

import type { z } from 'zod';
import type { ImageResult } from '../result.ts';
import type { SourceFile } from '../source-file.ts';
import { blurFaces } from './blur-faces/definition.ts';
import { compress } from './compress/definition.ts';
import type { Allowance, AuxiliaryImages, OperationDefinition, ResultField } from './definition.ts';
import { faces } from './faces/definition.ts';
import { favicon } from './favicon/definition.ts';
import { gif } from './gif/definition.ts';
import { idPhoto } from './id-photo/definition.ts';
import { inspect } from './inspect/definition.ts';
import { ocr } from './ocr/definition.ts';
import type { SourceParams } from './parameters.ts';
import { removeBackground } from './remove-background/definition.ts';
import { upscale } from './upscale/definition.ts';

const DEFINITIONS = [
  compress,
  removeBackground,
  upscale,
  blurFaces,
  faces,
  idPhoto,
  gif,
  favicon,
  ocr,
  inspect,
] as const;

type Definition = (typeof DEFINITIONS)[number];

/** Input and result of the task of each operation. */
export type OperationTasks = {
  [D in Definition as D['name']]: D extends OperationDefinition<string, infer _P, infer I, infer R>
    ? { input: I; result: R }
    : never;
};
export type OperationName = keyof OperationTasks;

/** An operation of which the name is not known when it is compiled. */
export type Operation = OperationDefinition<
  OperationName,
  z.ZodObject,
  OperationTasks[OperationName]['input'],
  OperationTasks[OperationName]['result']
>;

export const OPERATIONS: readonly Operation[] = DEFINITIONS;

const byName: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.name, operation]));

/** @returns undefined if the task is no operation */
export const operationNamed = (task: string): Operation | undefined => byName.get(task);

/** A field of the record of a result, with the operation that has it. */
export interface OperationField extends Pick<ResultField<never>, 'header' | 'description' | 'example'> {
  operation: OperationName;
  name: string;
}

/** The fields that only some operations have. */
export const OPERATION_FIELDS: readonly OperationField[] = OPERATIONS.flatMap(({ name: operation, output }) =>
  output.kind === 'image'
    ? Object.entries(output.fields ?? {}).map(([name, { header, description, example }]) => ({
        operation,
        name,
        header,
        description: `${operation}: ${description}`,
        example,
      }))
    : [],
);

/** Returns the fields of a result that only its operation has. */
export function fieldValues({ output }: Operation, result: ImageResult): Record<string, number> {
  const fields = output.kind === 'image' ? Object.entries(output.fields ?? {}) : [];
  return Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const value: number | undefined = field.value(result as never);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** @throws Failure if the images and parameters conflict, or the caller may not use them */
export function operationInput(
  { toInput }: Operation,
  image: SourceFile,
  params: SourceParams,
  images: AuxiliaryImages,
  allowance: Allowance,
): OperationTasks[OperationName]['input'] {
  return toInput?.(image, params, images, allowance) ?? ({ image, params } as OperationTasks[OperationName]['input']);
}
