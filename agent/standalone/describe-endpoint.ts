import type { Argument, Endpoint } from '@svc/core/endpoint/definition';

/** An endpoint as `GET /endpoints` lists it (decision 51), in the words of the config file. */
export function describeEndpoint({ slug, method, description, args }: Endpoint) {
  return {
    name: slug,
    method: method ?? null,
    description: description ?? null,
    path: `/${slug}`,
    args: args.map(describeArgument),
  };
}

/** Keys that the file left out, or that say nothing more than the default would, are absent. */
function describeArgument(argument: Argument) {
  const { name, required, type, description, choices, pattern, maxLength, secret, allowDash } = argument;
  return {
    name,
    type,
    required,
    default: argument.default,
    description,
    choices,
    pattern,
    max_length: maxLength,
    secret: secret || undefined,
    allow_dash: allowDash || undefined,
  };
}
