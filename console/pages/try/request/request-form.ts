/** Describes the request for the code examples. */
import type { RequestForm } from '../../../../server/console/request-code.ts';
import { toQuery } from '../../../parameters/values.ts';
import type { OperationRequest } from './call.ts';

export interface NamedSource extends Pick<OperationRequest, 'operation' | 'values' | 'source'> {
  parts: Readonly<Record<string, File>>;
}

/** @param address the address of the service */
export function requestForm({ operation, values, source, parts }: NamedSource, address: string): RequestForm {
  const common = { address, method: 'POST', path: operation.path, query: toQuery(values) } as const;
  const result = resultFile({ operation, values, source });
  if (source.kind === 'url') return { ...common, json: { url: source.url }, result };
  const files = Object.entries(parts).map(([name, { name: file }]) => [name, { file }] as const);
  return { ...common, file: source.file.name, parts: Object.fromEntries(files), result };
}

/** Returns the name of the result file, or undefined if the response is JSON. */
function resultFile({ operation, values, source }: Omit<NamedSource, 'parts'>): string | undefined {
  if (operation.answers === 'record' || values.output === 'json' || values.deliver_to !== undefined) return undefined;
  if (operation.answers === 'zip') return 'result.zip';
  const usual = operation.parameters.find(({ name }) => name === 'format')?.default;
  const format = String(values.format ?? usual);
  if (format !== 'auto') return `result.${format === 'jpeg' ? 'jpg' : format}`;
  const extension = source.kind === 'file' ? /[.](\w+)$/.exec(source.file.name)?.[1] : undefined;
  return extension === undefined ? 'result' : `result.${extension}`;
}

/** Replaces the variable KEY with the key itself. */
export const withKey = (text: string, key: string): string =>
  text.replace('$KEY', key).replace(`\${process.env.KEY}`, key).replace("{os.environ['KEY']}", key);
