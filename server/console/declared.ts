/** The form of what the console makes its controls from. Imports nothing: the browser's side has it too. */

/** A parameter, as its JSON Schema says it; `form` is its form in words. */
export interface Parameter {
  name: string;
  type: 'integer' | 'number' | 'boolean' | 'string' | 'array' | 'object';
  /** Of an array. */
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
  /** Further image parts beside `image`. */
  parts: { name: string; description: string }[];
  answers: 'image' | 'zip' | 'record';
  /** It runs a model: the key needs the scope `ai`. */
  needsModel: boolean;
}

export interface Step {
  op: string;
  parameters: Parameter[];
  /** Says how the result is written; these steps come last. */
  isEncoding: boolean;
}

/** What a scan may find fault with. */
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
  /** What the condition of a step may ask for; of `format` and `not_format` several. */
  conditions: Parameter[];
  /** Of scans of websites. */
  scanSettings: Parameter[];
  findings: FindingText[];
}
