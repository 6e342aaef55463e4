import { z } from 'zod';

/** Any one segment without characters that no database or log accepts. */
const SEGMENT = z.string().regex(/^[^\u0000-\u001f\u007f]{1,200}$/u);

/**
 * The parameters in paths, each with one meaning in all routes.
 *
 * An invalid segment gives 404, like a valid one that leads nowhere.
 */
export const PATH_PARAMETERS = {
  id: z.uuid().describe('The id of the record, as its list shows it.'),
  username: SEGMENT.describe('The username of the workspace, or a former one.'),
  slug: SEGMENT.describe('The slug of the endpoint or pipeline: the last segment of its URL.'),
  version: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .describe('A version, as the list of versions shows it.'),
  name: SEGMENT.describe('The slug of the endpoint: the last segment of its URL.'),
  argument: SEGMENT.describe('The name of an argument of the endpoint.'),
  template_id: SEGMENT.describe('The id of the template, as the gallery shows it.'),
  secret: SEGMENT.describe('The name of the secret, as commands reference it.'),
  token: SEGMENT.describe('The token of the link, from the mail.'),
  artifact: z
    .string()
    .regex(/^[^\u0000-\u001f\u007f]{1,3000}$/u)
    .describe('The name of the file, with its slashes.'),
  number: z
    .string()
    .regex(/^[1-9]\d{0,5}$/)
    .describe('The number of the file in its execution.'),
  view: z
    .string()
    .regex(/^[^\u0000-\u001f\u007f]{0,1000}$/u)
    .describe('The rest of the path in the dashboard, with its slashes.'),
  file: SEGMENT.describe('The name of a file of the dashboard.'),
} as const satisfies Record<string, z.ZodType<string, string>>;

export type PathParameter = keyof typeof PATH_PARAMETERS;

/** The parameters that match the rest of the path. */
export const REST_PARAMETERS: ReadonlySet<string> = new Set<PathParameter>(['view', 'artifact']);
