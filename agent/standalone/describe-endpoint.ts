import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';

/** An endpoint in `GET /endpoints` (decision 51, the standalone server), with the keys of the config file. */
export function describeServedEndpoint({ slug, method, description, args }: Endpoint) {
  return {
    name: slug,
    method: method ?? null,
    description: description ?? null,
    path: `/${slug}`,
    args: args.map(describeArgument),
  };
}

/** Keys that are absent from the file, or that equal the default, are absent. */
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
