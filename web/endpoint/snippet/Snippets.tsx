import { useState } from 'react';
import { PickOne } from '../../design/form/PickOne.tsx';
import { CodeBlock } from '../../design/text/Code.tsx';
import type { RunValues } from '../run/run-values.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { type ResponseMode, snippetCall } from './snippet-call.ts';
import { SNIPPETS, type SnippetLanguage } from './snippets.ts';

interface SnippetsProps {
  readonly endpoint: WireEndpoint;
  /** The values of the run form; the snippet makes the same call. */
  readonly values: RunValues;
}

const LANGUAGES = (Object.keys(SNIPPETS) as SnippetLanguage[]).map((value) => ({
  value,
  label: SNIPPETS[value].label,
}));
const MODE_OPTIONS: readonly { readonly value: ResponseMode; readonly label: string }[] = [
  { value: 'stream', label: 'Stream (SSE)' },
  { value: 'json', label: 'JSON' },
];

/** The call of the run form as code. */
export function Snippets({ endpoint, values }: SnippetsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [mode, setMode] = useState<ResponseMode>('stream');
  const call = snippetCall(endpoint, values, mode);
  const hasSecret = endpoint.args.some(({ name, secret }) => secret && values.has(name));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <PickOne label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
        <PickOne label="Response" options={MODE_OPTIONS} value={mode} onChange={setMode} />
      </div>
      <CodeBlock text={SNIPPETS[language].write(call)} copyLabel="Copy snippet" />
      <p className="text-sm text-soft">
        {call.needsKey ? 'Reads the key from $SVC_API_KEY. ' : 'The endpoint is public and needs no key. '}
        Uses the values above
        {hasSecret ? ', with placeholders for secrets.' : '.'}
      </p>
    </div>
  );
}
