import { EXECUTION_STATES } from '@svc/core/execution/state';
import { useEffect, useState } from 'react';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { STATES } from '../../design/state/states.ts';
import { type ExecutionSearch, readExecutionSearch } from './execution-search.ts';
import { TRIGGER_WORDS } from './execution-words.ts';

interface ExecutionFiltersProps {
  readonly search: ExecutionSearch;
  readonly onSearch: (search: ExecutionSearch) => void;
}

const TRIGGERS = Object.keys(TRIGGER_WORDS) as (keyof typeof TRIGGER_WORDS)[];
const ANY = { value: '', label: 'Any state' } as const;
const ANY_TRIGGER = { value: '', label: 'Any' } as const;
const TRIGGER_OPTIONS = [ANY_TRIGGER, ...TRIGGERS.map((value) => ({ value, label: TRIGGER_WORDS[value] }))];
const STATE_OPTIONS = [ANY, ...EXECUTION_STATES.map((value) => ({ value, label: STATES[value].word }))];
/** A pause longer than this ends typing. */
const TYPING_MS = 300;

export function ExecutionFilters({ search, onSearch }: ExecutionFiltersProps) {
  const [endpoint, setEndpoint] = useState(search.endpoint ?? '');
  const change = (part: Readonly<Record<string, unknown>>) =>
    onSearch(readExecutionSearch({ ...search, ...part }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the timer
  useEffect(() => {
    if (endpoint === (search.endpoint ?? '')) return;
    const timer = setTimeout(() => change({ endpoint: endpoint.trim() }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [endpoint]);
  return (
    <div className="grid gap-3 sm:grid-cols-[minmax(0,20rem)_12rem_12rem]">
      <TextField
        label="Endpoint"
        isCode
        value={endpoint}
        onChange={setEndpoint}
        input={{ type: 'search', placeholder: 'Any endpoint' }}
      />
      <Select
        label="State"
        options={STATE_OPTIONS}
        value={search.status ?? ''}
        onChange={(status) => change({ status })}
      />
      <Select
        label="Trigger"
        options={TRIGGER_OPTIONS}
        value={search.trigger ?? ''}
        onChange={(trigger) => change({ trigger })}
      />
    </div>
  );
}
