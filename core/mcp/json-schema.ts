/** A JSON Schema (2020-12) in plain JSON, as far as tools use it. */
export interface ToolSchema {
  readonly type?: 'object' | 'string' | 'integer' | 'number' | 'boolean' | 'array';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ToolSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly enum?: readonly string[];
  readonly items?: ToolSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  /** A file, which is sent in a form. */
  readonly format?: 'binary';
  readonly default?: unknown;
  /** A secret: it is sent and never shown. */
  readonly writeOnly?: boolean;
}
