const BORDER = '\n\n';
const decoder = new TextDecoder();
/** How an event begins that names no step (`encodeEvent`): agents write the name themselves, older ones do not. */
const HEAD = /^data: \{"type":"([a-z_]+)"(?!,"step":)/;

/**
 * The events of one piece of a step's output with the step's name in them (decision 43, calling a pipeline), each after
 * what `before` gives for its number in the piece, from 1; without the first `skip`.
 *
 * The data of an event is one line of JSON, so a blank line can only be the end of one.
 */
export function stepEvents(
  sse: Uint8Array,
  step: string,
  {
    before = () => '',
    skip = 0,
  }: { readonly before?: (event: number) => string; readonly skip?: number } = {},
): string {
  const named = `data: {"type":"$1","step":${JSON.stringify(step).replaceAll('$', '$$$$')}`;
  return decoder
    .decode(sse)
    .split(BORDER)
    .slice(0, -1)
    .map((event, index) => `${before(index + 1)}${event.replace(HEAD, named)}${BORDER}`)
    .slice(skip)
    .join('');
}
