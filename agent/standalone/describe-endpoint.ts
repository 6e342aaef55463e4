import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';

/** An endpoint as `GET /endpoints` lists it (decision 51), in the words of the config file. */
export function describeServedEndpoint({ slug, method, description, args }: Endpoint) {
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
  const { name, required, type, inferred, description, choices, pattern, maxLength, secret, allowDash } =
    argument;
  return {
    name,
    type,
    inferred: inferred || undefined,
    accepts: acceptedBy(argument),
    required,
    default: argument.default,
    description,
    choices,
    pattern,
    root: argument.root,
    schemes: argument.schemes,
    hosts: argument.hosts,
    max_length: maxLength,
    secret: secret || undefined,
    allow_dash: allowDash || undefined,
  };
}
