import { z } from 'zod';

/** A file of a call in an answer (decision 76, files of a call). */
export const receivedFile = z.strictObject({
  argument: z.string(),
  name: z.string().optional().describe('The name that the client gave, as text for people; never a path.'),
  bytes: z.int(),
  type: z.string().describe('The media type by its content.'),
  sha256: z.string().describe('In hexadecimal digits.'),
});
