// The description of the API (decision 47, answers of the management API): published by the hub, and right by a public
// linter.
import { describe, expect, test } from 'bun:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '@svc/core/api/openapi/document';
import { ROUTES } from '@svc/core/api/routes';
import { hubWorld } from '../hub-world.ts';

const config = await createConfig({ extends: ['recommended'] });

async function lint(document: object): Promise<string[]> {
  const source = JSON.stringify(document, null, 2);
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('the description', () => {
  const document = openApiDocument({ version: '1.2.3', url: 'https://svc.test' });

  test('passes the recommended rules of Redocly without an error or a warning', async () => {
    expect(await lint(document)).toEqual([]);
  });

  test('would not pass with an example that does not fit, or a reference that leads nowhere', async () => {
    const spoilt = JSON.stringify(document)
      .replace('"example":{"username":"ada"}', '"example":{"username":1}')
      .replace('#/components/schemas/MadeApiKey"', '#/components/schemas/NoSuchThing"');
    const rules = (await lint(JSON.parse(spoilt) as object)).map((problem) => problem.split(':')[0]);
    expect(rules).toContain('no-invalid-media-type-examples');
    expect(rules).toContain('no-unresolved-refs');
  });

  test('has every row of the table, each once', () => {
    const operations = Object.values(
      document.paths as Record<string, Record<string, { operationId?: string }>>,
    )
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId }) => operationId ?? []);
    expect(operations.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  test('shows no schema with a name that nothing uses', () => {
    const text = JSON.stringify(document);
    const { schemas } = document.components as { schemas: object };
    for (const name of Object.keys(schemas)) expect(text).toContain(`"#/components/schemas/${name}"`);
  });
});

test('a hub publishes the description with its own address and version', async () => {
  await using world = await hubWorld();
  const response = await fetch(`${world.hub.hubUrl}/openapi.json`);
  expect(response.status).toBe(200);
  const document = (await response.json()) as object;
  expect(document).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ version: '0.0.0', url: world.hub.hubUrl }))),
  );
  expect(await lint(document)).toEqual([]);
});
