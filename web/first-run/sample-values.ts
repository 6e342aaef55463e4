import { isDemanded, type RunValues } from '../endpoint/run/run-values.ts';
import type { WireArgument, WireEndpoint } from '../endpoint/wire-endpoint.ts';

/** A value for each argument that a call has to bring, so that it can be tried at once. */
export function sampleValues({ args }: Pick<WireEndpoint, 'args'>): RunValues {
  return new Map(args.filter(isDemanded).map((argument) => [argument.name, sampleOf(argument)]));
}

function sampleOf({ type, choices }: WireArgument): string {
  switch (type) {
    case 'integer':
    case 'number':
      return '1';
    case 'boolean':
      return 'true';
    case 'enum':
      return choices?.[0] ?? '';
    case 'string':
      return 'world';
  }
}
