import { z } from 'zod';

/** A schema in OpenAPI 3.1: JSON Schema 2020-12. */
export type OpenApiSchema = z.core.JSONSchema.BaseSchema;

/** Collects the named schemas and answers; every use is a reference. */
export class ComponentBook {
  readonly #responses = new Map<string, object>();
  readonly #named = new Map<string, OpenApiSchema>();
  readonly #answers = new Map<z.ZodType, OpenApiSchema>();

  /** The schema of a request. */
  requestSchema(schema: z.ZodType): OpenApiSchema {
    return this.#enter(
      z.toJSONSchema(schema, { io: 'input', override: ({ jsonSchema }) => shorten(jsonSchema) }),
    );
  }

  /** The schema of an answer, which allows fields that a newer hub may add. */
  answerSchema(schema: z.ZodType): OpenApiSchema {
    const known = this.#answers.get(schema);
    if (known !== undefined) return known;
    const override = ({ jsonSchema }: { readonly jsonSchema: OpenApiSchema }) => {
      shorten(jsonSchema);
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    };
    const answer = this.#enter(z.toJSONSchema(schema, { io: 'output', override }));
    this.#answers.set(schema, answer);
    return answer;
  }

  /** The parameters of a query by name, with the types that their texts mean. */
  querySchemas(schema: z.ZodObject): Readonly<Record<string, OpenApiSchema>> {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'output' });
    return properties as Record<string, OpenApiSchema>;
  }

  /** An answer that many rows share. It is created once and referenced by name. */
  response(name: string, make: () => object): object {
    if (!this.#responses.has(name)) this.#responses.set(name, make());
    return { $ref: `#/components/responses/${name}` };
  }

  /** All named components, in alphabetical order. */
  components(): { readonly responses: object; readonly schemas: object } {
    return { responses: inOrder(this.#responses), schemas: inOrder(this.#named) };
  }

  #enter(schema: OpenApiSchema): OpenApiSchema {
    const { $schema: _, $defs = {}, ...rest } = pointedAtComponents(schema);
    for (const [name, one] of Object.entries($defs)) this.#add(name, one as OpenApiSchema);
    return rest;
  }

  #add(name: string, schema: OpenApiSchema): void {
    const known = this.#named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are called "${name}"; what is sent and what is answered need two names`);
    this.#named.set(name, schema);
  }
}

function inOrder<Value>(named: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The patterns behind formats are long and add nothing to the format. */
function shorten(schema: OpenApiSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
}

function pointedAtComponents(schema: OpenApiSchema): OpenApiSchema {
  const text = JSON.stringify(schema).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  return JSON.parse(text) as OpenApiSchema;
}
