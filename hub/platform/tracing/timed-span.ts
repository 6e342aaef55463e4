import { Refusal } from '@svc/core/refusal';
import type { Span, SpanFacts } from './tracer.ts';

/** Ends a span with what it was about: with facts of the result, or with the code of the refusal. */
export async function timed<Result>(
  span: Span,
  work: () => Promise<Result>,
  factsOf: (result: Result) => SpanFacts = () => ({}),
): Promise<Result> {
  try {
    const result = await work();
    span.end(factsOf(result));
    return result;
  } catch (error) {
    span.end({ 'error.type': errorType(error) });
    throw error;
  }
}

/** Never the message, which may have anything in it. */
function errorType(error: unknown): string {
  return error instanceof Refusal ? error.code : 'internal_error';
}
