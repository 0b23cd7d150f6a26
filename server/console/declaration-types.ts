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

export interface Operation {
  id: string;
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  /** Image parts other than `image`. */
  parts: { name: string; description: string }[];
  answers: 'image' | 'zip' | 'record';
  /** True if the operation runs a model. The key then needs the scope `ai`. */
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
}
