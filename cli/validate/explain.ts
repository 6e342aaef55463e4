import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { codeNotices, placeText, unknownTexts, valueRoutes } from '@svc/core/endpoint/explain';
import { acceptedBy } from '@svc/core/endpoint/value/type/accepted';
import type { FactRow } from '../terminal.ts';

/** The inferred types, a row per endpoint, and a warning per argument of `type: code`. */
export function typeRows(endpoints: readonly Endpoint[]): FactRow[] {
  return endpoints.flatMap((endpoint) => {
    const inferred = endpoint.args.filter((argument) => argument.inferred);
    const types = inferred.map(({ name, type }) => `${name} is ${type}`).join(', ');
    return [
      ...(types === '' ? [] : [{ label: 'inferred', text: `${endpoint.slug}: ${types}` }]),
      ...codeNotices(endpoint).map(
        ({ argument, message }): FactRow => ({
          label: 'code',
          text: `${endpoint.slug}: ${argument}: ${message}`,
          tone: 'warning',
        }),
      ),
    ];
  });
}

/** How each value reaches its program: a row per place, below the command. */
export function explainRows(endpoints: readonly Endpoint[]): FactRow[] {
  return endpoints.flatMap((endpoint) => [
    { label: endpoint.slug, text: endpoint.command.trim() },
    ...endpoint.args.flatMap((argument) => argumentRows(endpoint, argument)),
  ]);
}

function argumentRows(endpoint: Endpoint, argument: Argument): FactRow[] {
  const chosen = argument.inferred ? ', inferred' : '';
  const first = `${argument.name} (${argument.type}${chosen}) accepts ${acceptedBy(argument)}`;
  const places = valueRoutes(endpoint)
    .filter((travel) => travel.argument === argument.name)
    .map(({ place, known }) => `  to ${placeText(place)}${known ? ', which takes it as data' : ''}`);
  return [first, ...places].map((text) => ({ label: '', text }));
}

/** The problems of `--strict`, one sentence each. */
export function strictProblems(endpoints: readonly Endpoint[]): string[] {
  return endpoints.flatMap((endpoint) =>
    unknownTexts(endpoint).map(
      ({ argument, place }) =>
        `endpoint "${endpoint.slug}": argument "${argument}" is text and reaches ${placeText(place)}, which svc does not know to take it as data; ` +
        'use a narrower type such as word, path, url or ref, or pass it in the environment',
    ),
  );
}

/** The types and places of all arguments, for `--json`. */
export function explained(endpoints: readonly Endpoint[], withTravel: boolean) {
  return endpoints.map((endpoint) => ({
    name: endpoint.slug,
    args: endpoint.args.map((argument) => ({
      name: argument.name,
      type: argument.type,
      inferred: argument.inferred,
      accepts: acceptedBy(argument),
    })),
    ...(withTravel ? { command: endpoint.command, travel: valueRoutes(endpoint) } : {}),
  }));
}
