import { z } from 'zod';
import { REFUSAL_CODES } from '../../refusal.ts';

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
