import type { AgentTool } from '../../../../server/console/declaration-types.ts';
import type { Values } from '../../../parameters/values.ts';
import type { NamedSource } from './request-form.ts';

export interface McpText {
  /** Undefined if no tool performs the operation. */
  text: string | undefined;
  /** Names of the parameters and parts that the tool does not accept. */
  leftOut: readonly string[];
}

/** Writes the tool call that an MCP client would send. */
export function mcpText({ operation, values, source, parts }: NamedSource): McpText {
  const left = ({ takes }: AgentTool) => [
    ...Object.keys(values).filter((name) => !takes.includes(name)),
    ...Object.keys(parts),
  ];
  const [tool] = operation.agentTools
    .filter(({ needs }) => needs === undefined || values[needs] !== undefined)
    .sort((one, other) => left(one).length - left(other).length);
  if (!tool) return { text: undefined, leftOut: [] };
  const taken: Values = Object.fromEntries(Object.entries(values).filter(([name]) => tool.takes.includes(name)));
  const image = source.kind === 'url' ? { url: source.url } : { data_base64: `<${source.file.name} in base64>` };
  const params = { name: tool.name, arguments: { ...image, ...taken } };
  return {
    text: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, null, 2),
    leftOut: left(tool),
  };
}
