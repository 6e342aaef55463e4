import { needsValue, type RunValues } from '../endpoint/run/run-values.ts';
import type { WireArgument, WireEndpoint } from '../endpoint/wire-endpoint.ts';

/** A sample value for each required argument. */
export function sampleValues({ args }: Pick<WireEndpoint, 'args'>): RunValues {
  return new Map(args.filter(needsValue).map((argument) => [argument.name, sampleOf(argument)]));
}

function sampleOf(argument: WireArgument): string {
  const { type, choices, schemes, hosts, items = 'word' } = argument;
  switch (type) {
    case 'list':
      return sampleOf({ ...argument, type: items });
    case 'json':
      return '{}';
    case 'integer':
    case 'number':
      return '1';
    case 'boolean':
      return 'true';
    case 'enum':
      return choices?.[0] ?? '';
    case 'url':
      return `${schemes?.[0] ?? 'https'}://${hosts?.[0]?.replace('*', 'www') ?? 'example.com'}/`;
    case 'word':
    case 'path':
    case 'ref':
    case 'text':
    case 'code':
    case 'file':
      return 'world';
  }
}
