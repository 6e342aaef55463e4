import { z } from 'zod';

/** Any one segment: what cannot stand in a database or a log is nowhere. */
const SEGMENT = z.string().regex(/^[^\u0000-\u001f\u007f]{1,200}$/u);

/**
 * The words that may stand in braces in a path, each with one meaning wherever it stands.
 *
 * A segment that does not fit is 404, as one that fits and leads nowhere: there is nothing at such a URL.
 */
export const PATH_PARAMETERS = {
  id: z.uuid().describe('The id of the record, as its list shows it.'),
  username: SEGMENT.describe('The username of the workspace.'),
  slug: SEGMENT.describe('The name of the endpoint: the last segment of its URL.'),
  name: SEGMENT.describe('The slug of the endpoint: the last segment of its URL.'),
  secret: SEGMENT.describe('The name of the secret, as commands reference it.'),
  token: SEGMENT.describe('The token of the link, from the mail.'),
} as const satisfies Record<string, z.ZodType<string, string>>;

export type PathParameter = keyof typeof PATH_PARAMETERS;
