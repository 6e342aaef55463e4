import { expect, test } from 'bun:test';
import { pipelineCurl } from './pipeline-curl.ts';

const URL_OF_ONE = 'https://svc.example.com/v1/ada/release';
const manual = { type: 'manual', public: false, input_schema: [] } as const;

test('a call has a value for each field that the trigger declares, and a key where one is needed', () => {
  expect(pipelineCurl({ url: URL_OF_ONE, trigger: { ...manual, input_schema: [] } })).toBe(
    `curl -N ${URL_OF_ONE} \\\n  -X POST -H "X-API-Key: $SVC_API_KEY"`,
  );
  const trigger = {
    type: 'webhook' as const,
    public: true,
    input_schema: [{ name: 'ref', type: 'string' as const, required: true }],
  };
  expect(pipelineCurl({ url: URL_OF_ONE, trigger })).toBe(
    `curl -N ${URL_OF_ONE} \\\n  -X POST \\\n  --json '{"ref":"text"}'`,
  );
});
