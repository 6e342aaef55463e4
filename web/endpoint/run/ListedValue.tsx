import { Field } from '@base-ui/react/field';
import { dependencies, sourceValues } from '@svc/core/endpoint/choices/choice-source';
import { visibleText } from '@svc/core/text/visible-text';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { read } from '../../api/read.ts';
import { problemWords } from '../../api/refusal-words.ts';
import { CONTROL } from '../../design/form/TextField.tsx';
import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';
import { argumentsOf } from './check-call.ts';
import { needsValue, type RunValues } from './run-values.ts';

/** How many values are suggested at a time. With more, the hub searches as one types. */
const SUGGESTED = 1_000;

const SETTLED_MS = 400;

interface ListedValueProps {
  readonly endpoint: Pick<WireEndpoint, 'slug' | 'args'>;
  readonly argument: WireArgument;
  /** The values of the whole form, which the list can depend on. */
  readonly values: RunValues;
  readonly onChange: (value: string | undefined) => void;
  readonly onEnter: (event: KeyboardEvent) => void;
}

/** A field with the values that another endpoint lists. The agent checks the value again. */
export function ListedValue({ endpoint, argument, values, onChange, onEnter }: ListedValueProps) {
  const id = useId();
  const value = values.get(argument.name) ?? '';
  const source = sourceValues(
    { choicesArgs: argument.choices_args ?? {} },
    argumentsOf(endpoint.args),
    values,
  );
  const missing = 'missing' in source ? source.missing : undefined;
  const given = dependencies({ choicesArgs: argument.choices_args ?? {} }).flatMap((name) => {
    const other = values.get(name);
    return other === undefined ? [] : [[name, other]];
  });
  const current = JSON.stringify(Object.fromEntries(given));
  const settled = useSettled(current);
  const { slug } = endpoint;
  const all = useQuery({
    ...listOf(slug, argument.name, settled, ''),
    enabled: missing === undefined && settled === current,
  });
  const isLong = all.data !== undefined && all.data.total > all.data.items.length;
  const search = useSettled(value.slice(0, 100));
  const found = useQuery({ ...listOf(slug, argument.name, settled, search), enabled: isLong });
  const { items = [] } = (isLong ? found.data : undefined) ?? all.data ?? {};
  return (
    <>
      <Field.Control
        list={id}
        value={value}
        required={needsValue(argument)}
        placeholder={argument.default === undefined ? undefined : visibleText(argument.default)}
        onKeyDown={onEnter}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        className={`${CONTROL} font-mono`}
        onValueChange={(text) => onChange(text === '' ? undefined : text)}
      />
      <datalist id={id}>
        {items.map((item) => (
          <option key={item.value} value={item.value}>
            {item.label === undefined ? undefined : visibleText(item.label)}
          </option>
        ))}
      </datalist>
      <p className="text-sm text-soft wrap-anywhere">
        {missing !== undefined
          ? `Give ${missing} first.`
          : all.error !== null
            ? problemWords(all.error).title
            : all.data === undefined
              ? 'Loading the values…'
              : `${all.data.total} ${all.data.total === 1 ? 'value' : 'values'} to choose from.`}
      </p>
    </>
  );
}

function listOf(name: string, argument: string, values: string, search: string) {
  const query = { values, search, limit: SUGGESTED };
  return { ...read('listChoices', { parameters: { name, argument }, query }), retry: false };
}

/** A list is a command that runs, so it is requested when the person stops typing. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
