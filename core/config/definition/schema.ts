import { z } from 'zod';
import { MAX_DECLARED } from '../../alert/declared-alert.ts';
import { APPROVER_KEY_FORM, APPROVER_KEY_PATTERN, MAX_APPROVER_KEYS } from '../../approval/approver-key.ts';
import { ARTIFACT_LIMITS } from '../../artifact/limits.ts';
import { EFFECTS, METHODS } from '../../endpoint/definition.ts';
import { MAX_TAGS, SLUG_PATTERN } from '../../endpoint/slug.ts';
import { PARSE_KINDS } from '../../execution/transform/transform.ts';
import { lazily } from '../../lazily.ts';
import { pipelineItemSchema } from '../../pipeline/definition/schema.ts';
import { LIMITS } from '../../plan/limits.ts';
import { TEMPLATE_CATEGORIES } from '../../template/category.ts';
import { alertSchema } from './alert-schema.ts';
import { argumentSchema } from './argument-schema.ts';
import {
  flagSchema,
  listOf,
  oneOfSchema,
  pattern,
  scalar,
  textSchema,
  wholeNumberSchema,
} from './schema-parts.ts';

// The keys of svc.yaml (reference 2.1 to 2.3, decisions 9, 10, 27 and 36). `error` names what is accepted; messages are
// built around it. Editors and docs/reference/config.md show the descriptions.

const APPROVER = /^(?:owner|admin|member|[^\s@]+@[^\s@]+)$/;
/** A path below a folder: relative, and no part of it is "..". */
const ARTIFACT_PATTERN = /^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^\u0000-\u001f\\]+$/;
/** A media type with an optional charset; nothing that could begin another header. */
const MEDIA_TYPE =
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}(?:; ?charset=[A-Za-z0-9_-]{1,20})?$/;
const HTTP_URL = /^https?:\/\/[^\s/?#]+\S*$/;

/** The value of `transform`. */
export const transformSchema = z.strictObject(
  {
    parse: oneOfSchema(PARSE_KINDS).describe('How to read the output of the command.'),
    pattern: textSchema('a regular expression')
      .optional()
      .describe('For `parse: regex` only: an expression whose named groups become fields.'),
    parser: pattern(/^[a-z0-9][a-z0-9-]{0,63}$/, 'the name of a parser of jc, such as dig,')
      .optional()
      .describe('For `parse: jc` only: the parser of the program jc that reads the output.'),
    columns: listOf(textSchema('the name of a column'), 'names of columns')
      .min(1, { error: 'at least one name' })
      .optional()
      .describe(
        'For `csv`, `tsv` and `table`: the names of the columns of output without a header. In a `table` the last takes the rest of the line.',
      ),
    header: flagSchema()
      .optional()
      .describe(
        'For `csv`, `tsv` and `table`: whether the first line has the names. `false` without `columns` makes an array of each row; `true` beside `columns` leaves the line out.',
      ),
    delimiter: z
      .string({ error: 'text' })
      .min(1, { error: 'text' })
      .max(10, { error: 'at most 10 characters' })
      .optional()
      .describe(
        'For `csv`, `table` and `kv`: what stands between two values, or between a key and its value. In a `table` or `kv`, a space is any white space.',
      ),
    skip: wholeNumberSchema(0, 1_000).optional().describe('How many lines at the start are left out.'),
    until: z
      .string({ error: 'text' })
      .optional()
      .describe(
        'Reading ends before the first line that begins with this text; with an empty text, before the first blank line.',
      ),
    select: textSchema('a jq program')
      .optional()
      .describe('A jq program that turns the parsed output into the result.'),
    schema: z
      .record(z.string(), z.unknown(), { error: 'a JSON Schema' })
      .optional()
      .describe(
        'The JSON Schema (2020-12) of the result, with `type: object`. A result that does not match it is a failure. AI agents get it as the output schema of the tool.',
      ),
    on_error: oneOfSchema(['fail', 'raw'])
      .default('fail')
      .describe('If the transform fails: `fail` the call, or return the `raw` output.'),
  },
  { error: 'parse and its settings' },
);

/** One item of `endpoints`. */
export const endpointSchema = z.strictObject(
  {
    name: pattern(
      SLUG_PATTERN,
      'up to 64 lower-case letters, digits, "_" and "-", the first a letter or digit,',
    ).describe('The last part of its URL, once per file.'),
    command: textSchema('a command line')
      .max(LIMITS.commandChars, {
        error: `a command line of at most ${LIMITS.commandChars} characters`,
      })
      .describe('The command line to run. `{{argument}}` stands for the value of an argument.'),
    args: listOf(argumentSchema, 'arguments').default([]).describe('The arguments that a caller may pass.'),
    method: oneOfSchema(METHODS).optional().describe('The only HTTP method that calls it. Default: both.'),
    description: textSchema().optional().describe('A description for people.'),
    tags: listOf(
      pattern(SLUG_PATTERN, 'up to 64 lower-case letters, digits, "_" and "-", the first a letter or digit,'),
      'tags',
    )
      .max(MAX_TAGS, { error: `at most ${MAX_TAGS} tags` })
      .optional()
      .describe('Words by which people find it, such as `backup` or `team-web`.'),
    timeout: wholeNumberSchema(1, LIMITS.maxTimeoutSec, 'whole seconds')
      .default(LIMITS.defaultTimeoutSec)
      .describe('Seconds after which the command is stopped.'),
    env: z
      .record(z.string(), scalar(), { error: 'a map of variables' })
      .default({})
      .describe('Variables for the environment of the command.'),
    accepts_env: listOf(textSchema('the name of a variable'), 'names of variables')
      .max(LIMITS.maxChoices, { error: `at most ${LIMITS.maxChoices} names` })
      .default([])
      .describe('The only variables that a step of a pipeline may set. A value in `env` is their default.'),
    cwd: textSchema('a folder')
      .optional()
      .describe('The folder in which the command runs. Default: the folder of this file.'),
    transform: transformSchema.optional().describe('Turns the output of the command into structured data.'),
    output: oneOfSchema(['text', 'raw'])
      .optional()
      .describe(
        'What a call is answered with: `text` as events or JSON, or with `raw` the bytes that the command writes to stdout.',
      ),
    content_type: pattern(MEDIA_TYPE, 'a media type as in image/png')
      .max(100, { error: 'at most 100 characters' })
      .optional()
      .describe('For `output: raw`: the media type of the answer. Default: `application/octet-stream`.'),
    merge: flagSchema()
      .optional()
      .describe(
        'Whether stdout and stderr are one stream, in the order written. With `false` each event of stderr has `"stream": "stderr"`. Default: `true`.',
      ),
    artifacts: listOf(
      pattern(ARTIFACT_PATTERN, 'a pattern of paths as in dist/**/*.zip, without "..",').max(
        ARTIFACT_LIMITS.patternChars,
        { error: `at most ${ARTIFACT_LIMITS.patternChars} characters` },
      ),
      'patterns',
    )
      .min(1, { error: 'at least one pattern' })
      .max(ARTIFACT_LIMITS.patterns, { error: `at most ${ARTIFACT_LIMITS.patterns} patterns` })
      .optional()
      .describe(
        'The files that the command leaves in the folder `$SVC_OUTPUT_DIR` and that are kept, as patterns: `*` stays in one folder, `**` does not.',
      ),
    stdin: z
      .literal('body', { error: 'body' })
      .optional()
      .describe(
        'With `body` the command reads the body of the request from stdin, of any content type, as it arrives. Arguments come from the query.',
      ),
    max_stdin: wholeNumberSchema(1, LIMITS.maxStdinBytes, 'bytes')
      .optional()
      .describe('For `stdin: body`: the longest body in bytes. Default: 104857600 (100 MiB).'),
    public: flagSchema().default(false).describe('Callers need no API key.'),
    on_disconnect: oneOfSchema(['continue', 'cancel'])
      .default('continue')
      .describe('Whether the command continues or is cancelled when its caller disconnects.'),
    effects: oneOfSchema(EFFECTS)
      .optional()
      .describe(
        'What the command does to the world, for AI agents: `read` changes nothing, `write` changes something that can be changed back, `destroy` may not be undone. Default: unknown, which counts as the worst.',
      ),
    idempotent: flagSchema()
      .optional()
      .describe('For AI agents: a second call with the same values changes nothing more. Default: unknown.'),
    mcp: flagSchema()
      .optional()
      .describe('Whether it is a tool for AI agents whose key may call it. Default: true.'),
    max_concurrent: wholeNumberSchema(1, LIMITS.maxConcurrent)
      .optional()
      .describe('The most executions that run at the same time. Default: no limit.'),
    schedule: textSchema('a cron expression')
      .optional()
      .describe('Runs it on a schedule: minute, hour, day of month, month and day of week, in UTC.'),
    agent_name: textSchema('the name of an agent')
      .max(64, { error: 'the name of an agent, up to 64 characters,' })
      .optional()
      .describe('The agent that runs it, or `hosted` for the cloud runner.'),
    approval_required: flagSchema().default(false).describe('A person must approve each execution first.'),
    approval: oneOfSchema(['passkey'])
      .optional()
      .describe('How an approver confirms: `passkey`, in a browser. Default: no confirmation.'),
    approval_timeout_mins: wholeNumberSchema(1, LIMITS.maxApprovalTimeoutMins, 'whole minutes')
      .default(LIMITS.defaultApprovalTimeoutMins)
      .describe('Minutes after which a pending approval expires.'),
    approvers: listOf(
      pattern(APPROVER, 'owner, admin, member or an e-mail address'),
      'roles and e-mail addresses',
    )
      .min(1, { error: 'at least one role or e-mail address' })
      .optional()
      .describe('The approvers: roles (`owner`, `admin`, `member`) and e-mail addresses.'),
    allow_self: flagSchema().default(true).describe('Whether callers may decide on their own calls.'),
    approver_keys: listOf(pattern(APPROVER_KEY_PATTERN, APPROVER_KEY_FORM), 'public keys')
      .min(1, { error: 'at least one public key' })
      .max(MAX_APPROVER_KEYS, { error: `at most ${MAX_APPROVER_KEYS} public keys` })
      .optional()
      .describe(
        'The agent runs it only with an approval that one of these keys signed; `svc approvals key` makes one.',
      ),
    callback_url: pattern(HTTP_URL, 'an address that begins with http:// or https://')
      .optional()
      .describe('The URL that receives a signed request with the outcome of each execution.'),
    alerts: listOf(alertSchema, 'alerts')
      .max(MAX_DECLARED, { error: `at most ${MAX_DECLARED} alerts` })
      .optional()
      .describe('Alert rules of this endpoint. Only the file changes them.'),
  },
  { error: 'an endpoint with a name and a command' },
);

/** The value of `template`: the entry of the file in the gallery (reference 2.8). */
export const templateSchema = z.strictObject(
  {
    name: textSchema().max(60, { error: 'at most 60 characters' }).describe('Its title in the gallery.'),
    description: textSchema()
      .max(300, { error: 'at most 300 characters' })
      .describe('A description of its endpoints and where they run.'),
    tags: listOf(
      pattern(/^[a-z0-9][a-z0-9-]{0,31}$/, 'up to 32 lower-case letters, digits and "-", the first no "-",'),
      'tags',
    )
      .min(1, { error: 'at least one tag' })
      .max(8, { error: 'at most 8 tags' })
      .describe('Words for the search.'),
    category: oneOfSchema(TEMPLATE_CATEGORIES).describe('Its category in the gallery.'),
  },
  { error: 'name, description, tags and category' },
);

function configOf<Pipeline extends z.ZodType>(pipeline: Pipeline) {
  return z.strictObject(
    {
      version: z.literal(1, { error: '1' }).describe('The version of this format: `1`.'),
      template: templateSchema
        .optional()
        .describe('The entry of a template in the gallery; nothing else reads it.'),
      endpoints: listOf(endpointSchema, 'endpoints').describe('The commands that become URLs.'),
      pipelines: listOf(pipeline, 'pipelines')
        .optional()
        .describe('Endpoints chained in graphs. A hub runs them; `svc serve` does not.'),
    },
    { error: 'a map with version and endpoints' },
  );
}

/** A whole `svc.yaml`, for documents and editors. */
export const configSchema = lazily(() => configOf(pipelineItemSchema()));

/** The same without its pipelines, which `checkPipeline` checks with better messages. */
export const configFrameSchema = configOf(z.unknown());

export type TemplateDefinition = z.output<typeof templateSchema>;
export type EndpointDefinition = z.output<typeof endpointSchema>;
