import { Failure } from '../failure.ts';
import {
  argumentName,
  type Imported,
  type ImportedDefinition,
  type ImportedEntry,
  type LeftOut,
  quotedWord,
  Slugs,
} from './imported.ts';
import { listIn, mappingIn, readData, textIn, unknownKeysNote } from './read-data.ts';
import { type ReadRule, readRule } from './webhook-rule.ts';

/** A value that webhook takes from a request. */
interface Parameter {
  readonly source: string;
  readonly name: string;
  readonly envname?: string;
}

interface Argument {
  readonly name: string;
  /** The path in the body, as in `head_commit.id`. */
  readonly path: string;
}

const READ = [
  'id',
  'execute-command',
  'command-working-directory',
  'pass-arguments-to-command',
  'pass-environment-to-command',
  'trigger-rule',
  'http-methods',
  'include-command-output-in-response',
  'include-command-output-in-response-on-error',
];
/** Sources with one value; the others are the whole request, or its headers. */
const VALUES = ['payload', 'url', 'query'];

/** Reads the hooks file of github.com/adnanh/webhook, in JSON or YAML: each hook becomes an endpoint. */
export function importWebhook(text: string): Imported {
  const hooks = readData(text);
  if (!Array.isArray(hooks)) throw new Failure('a hooks file is a list of hooks');
  const slugs = new Slugs();
  const read = hooks.map((hook) => readHook(hook, slugs));
  return {
    entries: read.filter((entry): entry is ImportedEntry => 'endpoint' in entry),
    leftOut: read.filter((entry): entry is LeftOut => 'reason' in entry),
    notes: [
      'webhook answers everybody who knows the URL and passes the rules; svc wants an API key, or for a pipeline a signature.',
      'webhook has its hooks at /hooks/<id>; here a hook is at /v1/<username>/<name>.',
    ],
  };
}

function readHook(hook: unknown, slugs: Slugs): ImportedEntry | LeftOut {
  const id = textIn(hook, 'id') ?? '';
  const program = textIn(hook, 'execute-command');
  if (id === '' || program === undefined)
    return { name: id || 'a hook', reason: 'it has no id or no execute-command' };
  const [words, variables] = [
    parametersIn(hook, 'pass-arguments-to-command'),
    parametersIn(hook, 'pass-environment-to-command'),
  ];
  const unknown = [...words, ...variables].find(
    ({ source }) => !VALUES.includes(source) && source !== 'string',
  );
  if (unknown !== undefined)
    return { name: id, reason: `its command gets ${sourceText(unknown)}, which svc does not pass on` };
  const rule = readRule(mappingIn(hook)['trigger-rule']);
  const args = argumentsOf([...words, ...variables]);
  const secret = rule.signature === undefined ? undefined : secretName(id);
  const slug = slugs.next(id);
  const endpoint = {
    name: secret === undefined ? slug : slugs.next(`${id}-command`),
    command: commandOf(program, words, variables),
    ...(textIn(hook, 'command-working-directory') === undefined
      ? {}
      : { cwd: textIn(hook, 'command-working-directory') }),
    ...(secret === undefined ? methodOf(hook) : {}),
    ...(args.length === 0 ? {} : { args: args.map(({ name }) => ({ name, required: true })) }),
  };
  const pipeline =
    secret === undefined ? undefined : pipelineOf({ slug, secret, endpoint: endpoint.name, args, rule });
  return {
    endpoint,
    ...(pipeline === undefined ? {} : { pipeline }),
    notes: [
      ...(secret === undefined
        ? []
        : [
            `The pipeline ${slug} takes the signed calls. Store the secret of the hook first: svc secrets set ${secret} -`,
          ]),
      ...(secret === undefined && rule.condition !== undefined
        ? [`Its rule is not imported: ${rule.condition}.`]
        : []),
      ...rule.notes,
      ...renamed(args),
      ...variables
        .filter((one) => variableOf(one) !== variableIn(one))
        .map((one) => `The variable ${variableIn(one)} is ${variableOf(one)} here.`),
      ...unknownKeysNote(hook, READ),
    ],
  };
}

function parametersIn(hook: unknown, key: string): Parameter[] {
  return listIn(hook, key).map((item) => {
    const envname = textIn(item, 'envname');
    return {
      source: textIn(item, 'source') ?? '',
      name: textIn(item, 'name') ?? '',
      ...(envname === undefined ? {} : { envname }),
    };
  });
}

function sourceText({ source, name }: Parameter): string {
  return source === 'header' ? `the header ${name}` : `"${source}"`;
}

function argumentsOf(parameters: readonly Parameter[]): Argument[] {
  const paths = parameters.filter(({ source }) => VALUES.includes(source)).map(({ name }) => name);
  return [...new Set(paths)].map((path) => ({ name: argumentName(path), path }));
}

/** Variables stand before the program, as in a shell; values are placeholders. */
function commandOf(program: string, words: readonly Parameter[], variables: readonly Parameter[]): string {
  const value = ({ source, name }: Parameter) =>
    source === 'string' ? quotedWord(name) : `{{${argumentName(name)}}}`;
  const settings = variables.map((one) => `${variableOf(one)}=${value(one)}`);
  return [...settings, quotedWord(program), ...words.map(value)].join(' ');
}

/** A shell takes `HOOK_commit.id=1` as the name of a program, so such a variable gets another name. */
function variableOf(parameter: Parameter): string {
  return variableIn(parameter)
    .replaceAll(/\W/g, '_')
    .replace(/^(?=\d)/, '_');
}

/** The name of the variable as webhook sets it. */
function variableIn({ envname, name }: Parameter): string {
  return envname ?? `HOOK_${name}`;
}

function methodOf(hook: unknown): { method?: string } {
  const methods = listIn(hook, 'http-methods').map((method) => String(method).trim().toUpperCase());
  const [method] = methods;
  return methods.length === 1 && (method === 'GET' || method === 'POST') ? { method } : {};
}

interface PipelineParts {
  readonly slug: string;
  readonly secret: string;
  readonly endpoint: string;
  readonly args: readonly Argument[];
  readonly rule: ReadRule;
}

/** The signature and the conditions of a hook, and its command as the step behind them. */
function pipelineOf({ slug, secret, endpoint, args, rule }: PipelineParts): ImportedDefinition {
  const inner = new Set(
    [...args.map(({ path }) => path), ...rule.fields].filter((path) => path.includes('.')).map(topOf),
  );
  const fields = [...new Set([...args.map(({ path }) => topOf(path)), ...rule.fields.map(topOf)])];
  return {
    name: slug,
    trigger: {
      type: 'webhook',
      secret: `$svc:${secret}`,
      ...(fields.length === 0
        ? {}
        : { input_schema: fields.map((name) => ({ name, type: inner.has(name) ? 'object' : 'string' })) }),
    },
    nodes: [
      ...(rule.condition === undefined ? [] : [{ id: 'rule', expression: rule.condition }]),
      {
        id: 'run',
        endpoint,
        ...(args.length === 0
          ? {}
          : { args: Object.fromEntries(args.map(({ name, path }) => [name, `{input.${path}}`])) }),
        ...(rule.condition === undefined ? {} : { needs: ['rule'] }),
      },
    ],
  };
}

function topOf(path: string): string {
  return path.split('.')[0] ?? path;
}

function secretName(id: string): string {
  return `WEBHOOK_${id.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
}

function renamed(args: readonly Argument[]): string[] {
  return args
    .filter(({ name, path }) => name !== path)
    .map(({ name, path }) => `The argument ${name} is ${path} of the payload.`);
}
