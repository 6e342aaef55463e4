import { type Argument, type Endpoint, METHODS, type Method } from '../../endpoint/definition.ts';
import type { ToolSchema } from '../../mcp/json-schema.ts';
import { isRequired, toolArgumentSchema } from '../../mcp/tool.ts';
import type { Pipeline } from '../../pipeline/definition/pipeline.ts';
import type { InputField } from '../../pipeline/input/input-field.ts';

/** An endpoint or pipeline that a caller may call, with the facts that a program needs for the call. */
export interface Callable {
  readonly kind: 'endpoint' | 'pipeline';
  readonly name: string;
  readonly url: string;
  readonly description: string | undefined;
  readonly tags?: readonly string[];
  readonly methods: readonly Method[];
  /** Callers need no key. */
  readonly public: boolean;
  readonly approval_required: boolean;
  /** The command reads the body of a call from stdin; the arguments are in the query. */
  readonly stdin?: 'body';
  /** The shape of the result: `data` of a transform, or `output`; for a pipeline its steps. */
  readonly result: 'output' | 'data' | 'steps';
  /** JSON Schema of `data`, if the transform promises one. */
  readonly data_schema?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the values, by name. */
  readonly arguments: ToolSchema;
}

/** @param url the URL of its calls */
export function callableEndpoint(endpoint: Endpoint, url: string): Callable {
  const { slug, description, tags, method, transform, args } = endpoint;
  return {
    kind: 'endpoint',
    name: slug,
    url,
    description,
    ...(tags === undefined ? {} : { tags }),
    methods: method === undefined ? METHODS : [method],
    public: endpoint.public,
    approval_required: endpoint.approvalRequired,
    ...(endpoint.stdin === undefined ? {} : { stdin: endpoint.stdin }),
    result: transform === undefined ? 'output' : 'data',
    ...(transform?.schema === undefined ? {} : { data_schema: transform.schema }),
    arguments: objectSchema(
      args.map((argument) => [argument.name, callerSchema(argument), isRequired(argument)]),
      false,
    ),
  };
}

/** @param url the URL of its calls */
export function callablePipeline({ slug, description, tags, trigger }: Pipeline, url: string): Callable {
  return {
    kind: 'pipeline',
    name: slug,
    url,
    description,
    ...(tags === undefined ? {} : { tags }),
    methods: ['POST'],
    public: trigger.public,
    approval_required: false,
    result: 'steps',
    // Fields beyond the declared ones are ignored (decision 43, calling a pipeline).
    arguments: objectSchema(
      trigger.inputSchema.map((field: InputField) => [field.name, { type: field.type }, field.required]),
      true,
    ),
  };
}

function callerSchema(argument: Argument): ToolSchema {
  return { ...toolArgumentSchema(argument), ...(argument.secret ? { writeOnly: true } : {}) };
}

type Field = readonly [name: string, schema: ToolSchema, isRequired: boolean];

function objectSchema(fields: readonly Field[], additionalProperties: boolean): ToolSchema {
  const required = fields.filter(([, , isNeeded]) => isNeeded).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties,
  };
}
