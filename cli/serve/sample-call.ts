import { bind } from '@svc/core/endpoint/bind';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { itemArgument } from '@svc/core/endpoint/value/list';
import { Refusal } from '@svc/core/refusal';

/** A curl command that calls one of the endpoints with sample values; undefined if no endpoint accepts them. */
export function sampleCall(endpoints: readonly Endpoint[], url: string): string | undefined {
  const callable = endpoints.find(acceptsSamples);
  return callable && curlLine(callable, url);
}

function acceptsSamples(endpoint: Endpoint): boolean {
  try {
    bind(endpoint, new Map(samples(endpoint)));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function curlLine(endpoint: Endpoint, url: string): string {
  const values = samples(endpoint);
  const target = `${url}/${endpoint.slug}`;
  if (endpoint.method !== 'POST') {
    const query = new URLSearchParams(values).toString();
    return query === '' ? `curl -N ${target}` : `curl -N '${target}?${query}'`;
  }
  if (values.length === 0) return `curl -N -X POST ${target}`;
  const body = JSON.stringify(Object.fromEntries(values)).replaceAll("'", "'\\''");
  return `curl -N -H 'Content-Type: application/json' -d '${body}' ${target}`;
}

/** A sample value for each required argument. */
function samples({ args }: Endpoint): [string, string][] {
  return args
    .filter((argument) => argument.required && argument.default === undefined)
    .map((argument) => [argument.name, sample(argument)]);
}

function sample(argument: Argument): string {
  const { type, choices, hosts, schemes } = argument;
  switch (type) {
    case 'list':
      return sample(itemArgument(argument));
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
      return 'hello';
  }
}
