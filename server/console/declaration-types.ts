/** Types of the declarations that the console builds its forms from. Imports nothing: the browser code uses it too. */

/** A parameter as its JSON Schema describes it. `form` describes the expected format in words. */
export interface Parameter {
  name: string;
  type: 'integer' | 'number' | 'boolean' | 'string' | 'array' | 'object';
  /** Type of an array's items. */
  items?: Parameter['type'];
  description: string;
  enum?: string[];
  default?: unknown;
  example?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  form?: string;
}

/** Parameters that belong together in a form. */
export interface ParameterGroup {
  title: string;
  /** Whether the group is open at first. */
  isOpen: boolean;
  /** Names, in the order of the form. */
  parameters: readonly string[];
}

/** A tool of the hosted MCP server. */
export interface AgentTool {
  name: string;
  /** Names of the parameters that it accepts. */
  takes: string[];
  /** A parameter that must be set to use this tool. */
  needs?: string;
}

export interface Operation {
  id: string;
  path: string;
  title: string;
  /** Describes the result in one line. */
  hint: string;
  parameters: Parameter[];
  /** The parameters of its own, for the form. Those that every operation may have are in no group. */
  groups: ParameterGroup[];
  /** The tools that run it. */
  agentTools: AgentTool[];
  /** Image parts other than `image`. */
  parts: { name: string; description: string }[];
  answers: 'image' | 'zip' | 'record';
  /** True if the operation runs a model with its default parameters. The key then needs the scope `ai`. */
  needsModel: boolean;
}

export interface Step {
  op: string;
  name: string;
  /** What it does, in one sentence. */
  hint: string;
  parameters: Parameter[];
  /** True for the steps that set how the result is written. They come last. */
  isEncoding: boolean;
}

/** A kind of problem that a scan can report. */
export interface FindingText {
  code: string;
  severity: 'error' | 'warning' | 'notice' | 'info';
  title: string;
  meaning: string;
  advice: string;
}

export interface Declarations {
  operations: Operation[];
  steps: Step[];
  /** The groups in which the steps are listed, in order. */
  stepGroups: { title: string; ops: string[] }[];
  /** The fields of a step's condition. `format` and `not_format` accept several values. */
  conditions: Parameter[];
  /** The settings of a website scan. */
  scanSettings: Parameter[];
  findings: FindingText[];
  /** Meanings of the outcomes and warnings of results, by code. */
  outcomes: Readonly<Record<string, string>>;
  warnings: Readonly<Record<string, string>>;
}
