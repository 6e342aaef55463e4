import { useState } from 'react';
import { PickOne } from '../../design/form/PickOne.tsx';
import { CodeBlock } from '../../design/text/Code.tsx';
import type { RunValues } from '../run/run-values.ts';
import type { WireEndpoint } from '../wire-endpoint.ts';
import { type Answer, snippetCall } from './snippet-call.ts';
import { SNIPPETS, type SnippetLanguage } from './snippets.ts';

interface SnippetsProps {
  readonly endpoint: WireEndpoint;
  /** What the run form holds: the snippet makes the same call. */
  readonly values: RunValues;
}

const LANGUAGES = (Object.keys(SNIPPETS) as SnippetLanguage[]).map((value) => ({
  value,
  label: SNIPPETS[value].label,
}));
const ANSWER_OPTIONS: readonly { readonly value: Answer; readonly label: string }[] = [
  { value: 'stream', label: 'Events as they come' },
  { value: 'json', label: 'One JSON object' },
];

/** The call that the form would make, for a program. */
export function Snippets({ endpoint, values }: SnippetsProps) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl');
  const [answer, setAnswer] = useState<Answer>('stream');
  const call = snippetCall(endpoint, values, answer);
  const hasSecret = endpoint.args.some(({ name, secret }) => secret && values.has(name));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <PickOne label="Language" options={LANGUAGES} value={language} onChange={setLanguage} />
        <PickOne label="Answer" options={ANSWER_OPTIONS} value={answer} onChange={setAnswer} />
      </div>
      <CodeBlock text={SNIPPETS[language].write(call)} copyLabel="Copy the snippet" />
      <p className="text-sm text-soft">
        {call.needsKey
          ? 'It reads an API key from the environment, in SVC_API_KEY. '
          : 'The endpoint is public: no key is needed. '}
        It has the values of the form above
        {hasSecret ? '; secrets stand by name, and are never part of it.' : '.'}
      </p>
    </div>
  );
}
