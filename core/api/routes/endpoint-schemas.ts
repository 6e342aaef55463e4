import { z } from 'zod';
import { argumentSchema } from '../../config/definition/argument-schema.ts';
import { endpointSchema, transformSchema } from '../../config/definition/schema.ts';
import { listOf } from '../../config/definition/schema-parts.ts';
import { ARGUMENT_TYPES } from '../../endpoint/definition.ts';
import { GRANT_KINDS } from '../../secret/grant.ts';
import { answerDefaults, answerFields } from '../contract/answer-fields.ts';
import { changeable } from '../contract/changeable.ts';
import { ID, slug, TIME } from '../contract/fields.ts';
import { EXAMPLE_ID, EXAMPLE_TIME } from './examples.ts';

/** Without the alerts of a file, which are rules of their own (decision 70, alert rules in a file). */
const { name: _slug, alerts: _alerts, ...fileFields } = endpointSchema.shape;

/** Fields of an argument in an answer, which may be sent back. */
const sentArgument = argumentSchema.extend({
  inferred: z
    .boolean({ error: 'true or false' })
    .optional()
    .describe('As in an answer. True: `svc` ignores the type and chooses one again.'),
  accepts: z.string({ error: 'text' }).optional().describe('As in an answer. It has no effect.'),
});
const fields = {
  ...fileFields,
  args: listOf(sentArgument, 'arguments').default([]).describe('The arguments that a caller may pass.'),
};

const SLUG = 'The last segment of its URL. `name` has the same meaning.';
const names = {
  slug: slug().optional().describe(SLUG),
  name: slug().optional().describe('The same as `slug`, as svc.yaml calls it.'),
} as const;

/** The fields of svc.yaml, checked by the same rules (reference 2.2); one of `slug` and `name`. */
export const newEndpoint = z
  .strictObject({ ...names, ...fields })
  .refine(({ slug: one, name }) => one !== undefined || name !== undefined, {
    error: 'a slug',
    path: ['slug'],
  })
  .refine(({ slug: one, name }) => one === undefined || name === undefined || one === name, {
    error: 'the same as slug',
    path: ['name'],
  })
  .meta({ id: 'NewEndpoint' });

const version = z
  .int({ error: 'the version that you have seen' })
  .min(1, { error: 'the version that you have seen' })
  .max(Number.MAX_SAFE_INTEGER, { error: 'the version that you have seen' })
  .optional()
  .describe('The version that the change is based on. The change is refused if a newer version exists.');

/** Any of the fields. Null removes a field, or for an endpoint from a file its override. */
export const endpointChange = z
  .strictObject({ ...names, ...changeable(fields), version })
  .refine(({ slug: one, name }) => one === undefined || name === undefined || one === name, {
    error: 'the same as slug',
    path: ['name'],
  })
  .meta({ id: 'EndpointChange' });

const { type: _type, ...otherArgumentFields } = argumentSchema.shape;
const { args: _args, transform: _transform, agent_name: _agent, ...plainFields } = fileFields;

const argument = z
  .strictObject({
    ...answerFields(otherArgumentFields, 'left out'),
    type: z.enum(ARGUMENT_TYPES).describe('The type of the value.'),
    inferred: z
      .boolean()
      .describe('The definition gives no type; `svc` chose it by the place of the value in the command.'),
    accepts: z.string().describe('What the type accepts, in plain words.'),
  })
  .meta({ id: 'Argument', description: 'An argument that an endpoint takes.' });

const transform = z
  .strictObject(answerFields(transformSchema.shape, 'left out'))
  .meta({ id: 'Transform', description: 'Turns the output of the command into structured data.' });

const definitionFields = {
  ...answerFields(plainFields, 'null'),
  args: z.array(argument),
  transform: transform.nullable(),
} as const;

const overrides = z
  .record(z.string(), z.unknown())
  .describe('The fields that override the file. Null in a change removes one.');

export const endpoint = z
  .strictObject({
    id: ID,
    slug: z.string().describe(SLUG),
    name: z.string().describe('The same as `slug`.'),
    url: z.string().describe('The URL of its calls.'),
    source: z
      .enum(['config', 'api'])
      .describe('`config`: the file of an agent defines it; `api`: it was created here.'),
    agent_name: z.string().describe('The agent that runs it.'),
    agent_status: z
      .enum(['online', 'offline', 'local_only'])
      .describe(
        '`local_only`: the agent runs only what is in its own file, and refuses this with `agent_refused`.',
      ),
    waits_for: z
      .array(
        z.strictObject({
          secret: z.string(),
          kind: z.enum(GRANT_KINDS),
          state: z.enum(['waiting', 'refused']),
          reason: z.string().describe('The reason, as a sentence.'),
        }),
      )
      .describe(
        'The secrets that the endpoint names but may not use. Its calls are refused with `secret_not_allowed` until an admin allows them.',
      ),
    version: z.int().describe('Increases with each change of the definition or an override.'),
    created_at: TIME,
    updated_at: TIME,
    ...definitionFields,
    warnings: z
      .array(z.string())
      .describe('What the plan of the workspace refuses or limits, and what is risky, as sentences.'),
    overrides,
    outdone: z.array(z.string()).describe('The overrides without effect, because the file is stricter.'),
  })
  .meta({ id: 'Endpoint', description: 'A command that is called over HTTP.' });

export const endpointVersion = z
  .strictObject({
    version: z.int(),
    source: z.enum(['config', 'api']),
    created_at: TIME,
    definition_hash: z.string().describe('SHA-256 of the definition in its canonical form.'),
    definition: z
      .record(z.string(), z.unknown())
      .describe('The definition as in svc.yaml, without defaults.'),
    overrides,
  })
  .meta({ id: 'EndpointVersion', description: 'An endpoint as it was between two changes.' });

export const EXAMPLE_ENDPOINT = {
  id: EXAMPLE_ID,
  slug: 'deploy',
  name: 'deploy',
  url: 'https://svc.example.com/v1/ada/deploy',
  source: 'config',
  agent_name: 'default',
  agent_status: 'online',
  waits_for: [],
  version: 3,
  created_at: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
  ...answerDefaults(plainFields),
  transform: null,
  method: 'POST',
  description: 'Deploys the site',
  command: './deploy.sh {{branch}}',
  args: [
    {
      name: 'branch',
      type: 'ref',
      inferred: false,
      accepts: 'the name of a git branch or tag, without ":" and "+"',
      required: false,
      default: 'main',
      secret: false,
      allow_dash: false,
    },
  ],
  timeout: 90,
  max_concurrent: 1,
  approval_timeout_mins: 30,
  warnings: [],
  overrides: { timeout: 90 },
  outdone: [],
} satisfies z.input<typeof endpoint>;

export const EXAMPLE_VERSION = {
  version: 3,
  source: 'config',
  created_at: EXAMPLE_TIME,
  definition_hash: '0a'.repeat(32),
  definition: {
    name: 'deploy',
    command: './deploy.sh {{branch}}',
    timeout: 120,
    args: [{ name: 'branch', type: 'ref', default: 'main' }],
  },
  overrides: { timeout: 90 },
} satisfies z.input<typeof endpointVersion>;
