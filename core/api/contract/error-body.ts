import { z } from 'zod';
import { REFUSAL_CODES } from '../../refusal.ts';

/** The body of every error (decision 25). */
export const errorBody = z
  .strictObject({
    error: z.string().describe('What is wrong, for people.'),
    code: z.enum([...REFUSAL_CODES, 'internal_error']).describe('The same, for programs.'),
    execution_id: z.uuid().optional().describe('The execution that it is about.'),
    run_id: z.uuid().optional().describe('The pipeline run that it is about.'),
    details: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('More for programs; of `invalid_argument`, `fields` lists every field that is wrong.'),
  })
  .meta({ id: 'Error', description: 'Why there is no other answer.' });
