import { readJsonText } from '@svc/core/api/call-values';
import { refuse } from '@svc/core/refusal';
import type { z } from 'zod';
import { valueRequest } from '../value-request.ts';

/** The JSON object of a request by its schema; refuses with the first thing that is wrong. */
export async function readObject<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(parse(await readJsonText(valueRequest(request))));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw refuse('invalid_argument', `${place === '' ? 'the body' : place}: ${issue?.message}`, {
    field: place,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('invalid_json', 'the body is not JSON');
  }
}
