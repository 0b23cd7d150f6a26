/** Generates the methods of the client for the operations on one image from their definitions. */
import { camelCase } from '../base/camel-case.ts';
import { OPERATIONS, type Operation } from '../engine/operations/registry.ts';

const HEAD = `// The methods for the operations on one image. Written by \`npm run generate\` from their definitions; do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
import { FileAnswer } from './answer.ts';
import type { CallOptions } from './calls.ts';
import type { ImageBytes } from './image-input.ts';
import { type FileOperation, type ImageOperation, imageOperation, type RecordOperation } from './images.ts';
import type { Transport } from './transport.ts';
`;

export function clientOperationsOf(): string {
  const types = OPERATIONS.flatMap(({ name, output }) => [paramsOf(name), recordOf(output)].filter(Boolean));
  return `${HEAD}import type {\n${types
    .toSorted((one, other) => one!.localeCompare(other!, 'en'))
    .map((type) => `  ${type},\n`)
    .join('')}} from './types.generated.ts';

${OPERATIONS.map(optionsInterface).join('')}/** The operations on one image. */
export class ImageOperations {
${OPERATIONS.map(property).join('')}
  constructor(transport: Transport) {
${OPERATIONS.map(creation).join('')}  }
}
`;
}

function property(operation: Operation): string {
  const { name, summary, meter, output } = operation;
  const args = [paramsOf(name), recordOf(output), optionsOf(operation)].filter(Boolean).join(', ');
  const kind = { image: 'ImageOperation', zip: 'FileOperation', record: 'RecordOperation' }[output.kind];
  return `  /** ${summary}${meter === 'ai' ? ' (scope `ai`)' : ''}. */\n  readonly ${camelCase(name)}: ${kind}<${args}>;\n`;
}

function creation({ name, output }: Operation): string {
  const answer = output.kind === 'zip' ? ', FileAnswer' : '';
  return `    this.${camelCase(name)} = imageOperation(transport, '/api/v1/${name}'${answer});\n`;
}

function optionsInterface(operation: Operation): string {
  const { auxiliaryImages = {} } = operation;
  const name = optionsOf(operation);
  if (!name) return '';
  const fields = Object.entries(auxiliaryImages).map(
    ([part, text]) => `  /** ${text} */\n  ${camelCase(part)}?: ImageBytes | undefined;\n`,
  );
  return `export interface ${name} extends CallOptions {\n${fields.join('')}}\n\n`;
}

const optionsOf = ({ name, auxiliaryImages }: Operation): string | undefined =>
  auxiliaryImages && `${pascal(name)}Options`;

const paramsOf = (name: string): string => `${pascal(name)}Params`;

/** The name of the JSON that an operation answers; an image is answered with a record that all share. */
function recordOf(output: Operation['output']): string | undefined {
  if (output.kind === 'zip') return output.schemaId;
  return output.kind === 'record' ? (output.schema.meta()?.id as string) : undefined;
}

const pascal = (name: string): string => camelCase(`-${name}`);
