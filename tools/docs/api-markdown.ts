import { nameOf, type Schema } from '../client-types.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}
type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

/** The parts of the OpenAPI document that the page shows. */
export interface OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** The reference of the API as a document: areas, their routes, and the objects. */
export function apiMarkdown(api: OpenApi): string {
  const routes = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter((entry): entry is [string, Operation] => isOperation(entry[1]))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: fullPath(path, item),
        operation,
      })),
  );
  const areas = api.tags.map(({ name, description = '' }) => {
    const inside = routes.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${description}\n\n${inside.map(routeText).join('\n')}`;
  });
  const objects = Object.entries(api.components.schemas).map(objectText);
  return `# API\n\n${api.info.description}\n\n[openapi.json](openapi.json) has the same for programs.\n\n${areas.join('\n')}\n## Objects\n\n${objects.join('\n')}`;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'operationId' in value;
}

/** A path that begins with a parameter has it in its own server. */
function fullPath(path: string, item: Readonly<Record<string, unknown>>): string {
  const [server] = (item.servers ?? []) as { readonly url: string }[];
  return `${server?.url ?? ''}${path}`;
}

interface RouteOf {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function routeText({ method, path, operation }: RouteOf): string {
  const { summary, description, parameters = [], requestBody, responses } = operation;
  const given = parameters.map((one) => [
    `\`${one.name}\``,
    one.in,
    typeText(one.schema),
    `${one.required ? 'Required. ' : ''}${one.description ?? ''}`,
  ]);
  return [
    `### ${summary}\n`,
    `\`${method} ${path}\`\n`,
    description ?? '',
    ...(given.length === 0 ? [] : ['', tableText(['Parameter', 'In', 'Type', 'Meaning'], given)]),
    ...(requestBody === undefined ? [] : [`\nBody: ${contentText(requestBody.content)}.\n`]),
    '',
    tableText(
      ['Status', 'Answer'],
      Object.entries(responses).map(([status, answer]) => [status, answerText(answer)]),
    ),
    exampleText(responses),
  ].join('\n');
}

function answerText({ $ref, description = '', content }: Answer): string {
  // A shared answer of refusals is named after its codes.
  if ($ref !== undefined)
    return `[Error](#error): ${nameOf($ref)
      .replaceAll(/(?<=[a-z])Or(?=[A-Z])/g, ', ')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()}`;
  return content === undefined ? description : `${description} ${contentText(content)}`;
}

function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `\`${type}\` ${typeText(schema)}`)
    .join(' or ');
}

function exampleText(responses: Operation['responses']): string {
  const json =
    responses['200']?.content?.['application/json'] ?? responses['201']?.content?.['application/json'];
  return json?.example === undefined
    ? ''
    : `\n\`\`\`json\n${JSON.stringify(json.example, null, 2)}\n\`\`\`\n`;
}

function objectText([name, schema]: [string, Schema]): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, field]) => [
    `\`${key}\``,
    `${typeText(field)}${schema.required?.includes(key) ? '' : ', optional'}`,
    field.description ?? '',
  ]);
  const fields = rows.length === 0 ? `${typeText(schema)}\n` : tableText(['Field', 'Type', 'Meaning'], rows);
  return `### ${name}\n\n${schema.description ?? ''}\n\n${fields}`;
}

function typeText(schema: Schema): string {
  const { $ref, type, enum: values, items, properties } = schema;
  if ($ref !== undefined) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts !== undefined) return parts.map(typeText).join(' or ');
  if (items !== undefined) return `list of ${typeText(items)}`;
  if (properties !== undefined)
    return `object with ${Object.keys(properties)
      .map((key) => `\`${key}\``)
      .join(', ')}`;
  return [type ?? 'any'].flat().join(' or ');
}

function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`;
}
