import { z } from 'zod';
import { REFUSAL_CODES } from '../../refusal.ts';
import { ERROR_SCHEMA } from '../../scim/scim-error.ts';

/** The body of every error (decision 25, errors). */
export const errorBody = z
  .strictObject({
    error: z.string().describe('What is wrong, for people.'),
    code: z.enum([...REFUSAL_CODES, 'internal_error']).describe('The same, for programs.'),
    execution_id: z.uuid().optional().describe('The execution that the error concerns.'),
    run_id: z.uuid().optional().describe('The pipeline run that the error concerns.'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Details for programs. For `invalid_argument`, `fields` lists every wrong field.'),
  })
  .meta({ id: 'Error', description: 'An error.' });

/** The body of every error below `/scim/v2` (RFC 7644, section 3.12). */
export const scimErrorBody = z
  .strictObject({
    schemas: z.tuple([z.literal(ERROR_SCHEMA)]),
    status: z.string().describe('The HTTP status, as text.'),
    scimType: z.string().optional().describe('What is wrong, in a word of the standard.'),
    detail: z.string().describe('What is wrong, for people.'),
  })
  .meta({ id: 'ScimError', description: 'An error in the shape of SCIM.' });
