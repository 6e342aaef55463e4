import { z } from 'zod';
import { ARGUMENT_NAME_PATTERN } from '../../endpoint/argument-name.ts';
import { ARGUMENT_TYPES, ITEM_TYPES } from '../../endpoint/definition.ts';
import { SLUG_PATTERN } from '../../endpoint/slug.ts';
import { HOST_PATTERN, SCHEME_PATTERN } from '../../endpoint/value/type/url.ts';
import { LIMITS } from '../../plan/limits.ts';
import {
  flagSchema,
  listOf,
  oneOfSchema,
  pattern,
  scalar,
  textSchema,
  wholeNumberSchema,
} from './schema-parts.ts';

/** `string` comes from files before there were types of text; it means the same as no type. */
const WRITTEN_TYPES = [...ARGUMENT_TYPES, 'string'] as const;

/** A media type without parameters, or all of one kind. */
const ACCEPTED_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,63})$/;

/** One item of `args`. */
export const argumentSchema = z.strictObject(
  {
    name: pattern(
      ARGUMENT_NAME_PATTERN,
      'up to 64 letters, digits, "_" and "-", the first a letter or "_",',
    ).describe('Its name in `{{name}}`, in the query and in the body of a call.'),
    required: flagSchema()
      .default(false)
      .describe('A call without it is refused, unless there is a `default`.'),
    default: z
      .union([z.string(), z.number(), z.boolean(), z.array(scalar())], {
        error: 'text, a number, true or false, or for a list a list of them',
      })
      .optional()
      .describe(
        'The value when a call leaves it out; kept exactly as written, so `1.10` stays `1.10`. A list for `type: list`.',
      ),
    description: textSchema().optional().describe('A description for people.'),
    type: oneOfSchema(WRITTEN_TYPES, ARGUMENT_TYPES)
      .optional()
      .describe(
        'What a value must be (see [Types](../guides/commands.md#types)). Without it: `enum` where there are `choices`, `text` where there is a ' +
          '`pattern` or everything that gets the value takes it as data, else `word`. `string` means the same as no type.',
      ),
    items: oneOfSchema(ITEM_TYPES)
      .optional()
      .describe(
        'For `type: list`: the type of each item. Without it: `enum` where there are `choices`, `text` where there is a `pattern`, else `word`.',
      ),
    each: flagSchema()
      .optional()
      .describe(
        'For `type: list`: repeats the word before the placeholder before each item, as in `--file a --file b`.',
      ),
    max_items: wholeNumberSchema(1, LIMITS.maxListItems)
      .optional()
      .describe(`For \`type: list\`: the most items. Default: ${LIMITS.defaultListItems}.`),
    schema: z
      .record(z.string(), z.unknown(), { error: 'a JSON Schema' })
      .optional()
      .describe('For `type: json`: the JSON Schema (2020-12) that a value must match.'),
    choices: listOf(scalar(), 'values')
      .min(1, { error: 'at least one value' })
      .max(LIMITS.maxChoices, { error: `at most ${LIMITS.maxChoices} values` })
      .optional()
      .describe('The only values that are accepted.'),
    choices_from: pattern(SLUG_PATTERN, 'the name of an endpoint')
      .optional()
      .describe('An endpoint of this file whose output lists the accepted values: lines, or JSON.'),
    choices_args: z
      .record(z.string(), scalar(), { error: 'a map of arguments' })
      .optional()
      .describe(
        'The arguments for `choices_from`: fixed values, or `{{other}}` for the value of another argument of this endpoint.',
      ),
    choices_ttl: wholeNumberSchema(0, LIMITS.maxChoicesTtlSec, 'whole seconds')
      .optional()
      .describe(`Seconds for which a hub keeps the list for forms. Default: ${LIMITS.defaultChoicesTtlSec}.`),
    choices_check: flagSchema()
      .optional()
      .describe(
        'False: the agent does not read the list again before a call runs, so a value that is not in it is accepted.',
      ),
    pattern: textSchema('a regular expression')
      .optional()
      .describe('A regular expression that the whole value must match.'),
    root: textSchema('a folder')
      .optional()
      .describe(
        'For `type: path`: the folder that the path must stay in when all symbolic links are followed; a relative one starts at ' +
          'the folder of this file.',
      ),
    schemes: listOf(pattern(SCHEME_PATTERN, 'a scheme as in https, in lower-case letters,'), 'schemes')
      .min(1, { error: 'at least one scheme' })
      .optional()
      .describe('For `type: url`: the schemes that a URL may have; without it `https` and `http`.'),
    hosts: listOf(
      pattern(HOST_PATTERN, 'a host as in example.com or *.example.com, in lower-case letters,'),
      'hosts',
    )
      .min(1, { error: 'at least one host' })
      .optional()
      .describe('For `type: url`: the only hosts that a URL may have, exact or as `*.example.com`.'),
    max_bytes: wholeNumberSchema(1, LIMITS.maxFileBytes, 'bytes')
      .optional()
      .describe(
        `For \`type: file\`: the longest file in bytes, at most ${LIMITS.maxFileBytes} (10 GiB). Default: ${LIMITS.defaultFileBytes} (100 MiB).`,
      ),
    accept: listOf(pattern(ACCEPTED_TYPE, 'a media type as in image/png or image/*,'), 'media types')
      .min(1, { error: 'at least one media type' })
      .max(50, { error: 'at most 50 media types' })
      .optional()
      .describe(
        'For `type: file`: the media types that a file may have by its content, as `image/png` or `image/*` (see [Files](../guides/files.md#a-file-as-an-argument)).',
      ),
    max_length: wholeNumberSchema(1, LIMITS.valueBytes)
      .optional()
      .describe('The most characters that a value may have.'),
    secret: flagSchema()
      .default(false)
      .describe('Masks the value in output, and passes it to the command only in its environment.'),
    allow_dash: flagSchema()
      .default(false)
      .describe('Allows a value to begin with `-` where the command could read it as an option.'),
  },
  { error: 'an argument with a name' },
);

export type ArgumentDefinition = z.output<typeof argumentSchema>;
