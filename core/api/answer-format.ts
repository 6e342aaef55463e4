/** The two shapes in which the result of an execution is answered (reference 4.1). */
export type AnswerFormat = 'buffered' | 'events';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';

/**
 * The shape that the `Accept` header of a call asks for (reference 4.1): one JSON body if it names `application/json`, else
 * events.
 *
 * A header that names both gets the one with the higher `q`, or the first of equals. A wildcard is ignored.
 */
export function answerFormat(accept: string | null): AnswerFormat {
  if (accept === JSON_TYPE) return 'buffered';
  if (accept === null || !accept.toLowerCase().includes(JSON_TYPE)) return 'events';
  let chosen: AnswerFormat = 'events';
  let highest = 0;
  for (const { type, weight } of mediaRanges(accept)) {
    if (weight <= highest || (type !== JSON_TYPE && type !== EVENTS_TYPE)) continue;
    chosen = type === JSON_TYPE ? 'buffered' : 'events';
    highest = weight;
  }
  return chosen;
}

function mediaRanges(accept: string): { type: string; weight: number }[] {
  return accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length);
    return { type, weight: weight === undefined ? 1 : Number(weight) || 0 };
  });
}

/**
 * Whether a call of an endpoint with raw output is answered with its bytes (decision 68, raw output): unless `Accept` names events
 * or JSON, and not the type of the bytes with the same or a higher `q`.
 */
export function wantsRaw(accept: string | null, rawType: string): boolean {
  const type = rawType.toLowerCase().split(';')[0] ?? '';
  const family = `${type.split('/')[0]}/*`;
  let own = 0;
  let other = 0;
  for (const range of mediaRanges(accept ?? '')) {
    if (range.type === type || range.type === family) own = Math.max(own, range.weight);
    else if (range.type === JSON_TYPE || range.type === EVENTS_TYPE) other = Math.max(other, range.weight);
  }
  return other === 0 || own >= other;
}
