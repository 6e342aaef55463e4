import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { read } from '../../api/read.ts';
import { classes } from '../../design/classes.ts';
import { Select } from '../../design/form/Select.tsx';
import { TypedField } from '../../design/form/TypedField.tsx';
import { Mark } from '../../design/state/Mark.tsx';
import { STATES, TONE_CLASS } from '../../design/state/states.ts';
import { type ExecutionSearch, filtersOf, firstPageOf, readExecutionSearch } from './execution-search.ts';
import { TRIGGER_WORDS } from './execution-words.ts';
import { groupState, STATE_GROUPS, withGroup } from './state-groups.ts';

interface ExecutionFiltersProps {
  readonly search: ExecutionSearch;
  readonly onSearch: (search: ExecutionSearch) => void;
  /** The list shows the values of each call. */
  readonly hasArguments: boolean;
  /** Beside the states. */
  readonly aside: ReactNode;
}

const TRIGGERS = Object.keys(TRIGGER_WORDS) as (keyof typeof TRIGGER_WORDS)[];
const ANY_TRIGGER = { value: '', label: 'Any trigger' } as const;
const TRIGGER_OPTIONS = [ANY_TRIGGER, ...TRIGGERS.map((value) => ({ value, label: TRIGGER_WORDS[value] }))];
/** The hub accepts no longer text. */
const MAX_OUTPUT_CHARS = 200;

/** The filters of the list besides its time. */
export function ExecutionFilters({ search, onSearch, hasArguments, aside }: ExecutionFiltersProps) {
  const change = (part: Readonly<Record<string, unknown>>) =>
    onSearch(readExecutionSearch({ ...search, ...part }));
  const { agents, callers } = useKnownNames(search, hasArguments);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <StateChips search={search} onStates={(status) => change({ status })} />
        {aside}
      </div>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-6">
        <TypedField
          label="Endpoint"
          placeholder="Any endpoint"
          value={search.endpoint ?? ''}
          onTyped={(endpoint) => change({ endpoint })}
        />
        <TypedField
          label="Output"
          placeholder="Any text"
          value={search.output ?? ''}
          maxLength={MAX_OUTPUT_CHARS}
          onTyped={(output) => change({ output })}
        />
        <TypedField
          label="Argument"
          placeholder="branch=main"
          value={search.arg ?? ''}
          onTyped={(arg) => change({ arg })}
        />
        <Select
          label="Trigger"
          options={TRIGGER_OPTIONS}
          value={search.trigger ?? ''}
          onChange={(trigger) => change({ trigger })}
        />
        <Select
          label="Caller"
          options={callers}
          value={search.caller ?? ''}
          onChange={(caller) => change({ caller })}
        />
        <Select
          label="Agent"
          options={agents}
          value={search.agent ?? ''}
          onChange={(agent) => change({ agent })}
        />
      </div>
    </div>
  );
}

interface StateChipsProps {
  readonly search: ExecutionSearch;
  readonly onStates: (states: string) => void;
}

/** Groups of states, of which several can be on; none: all states. */
function StateChips({ search, onStates }: StateChipsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a legend above the chips
    <div role="group" aria-label="State" className="flex flex-wrap gap-2">
      {STATE_GROUPS.map((group) => {
        const { mark, tone } = STATES[group.mark];
        const isOn = groupState(search, group);
        return (
          <button
            key={group.label}
            type="button"
            aria-pressed={isOn === 'some' ? 'mixed' : isOn === 'all'}
            onClick={() => onStates(withGroup(search, group))}
            className={classes(
              'inline-flex min-h-8 cursor-pointer items-center gap-2 rounded border px-3 pointer-coarse:min-h-11',
              isOn === 'none'
                ? 'border-line text-soft hover:border-edge hover:text-ink'
                : 'border-accent bg-accent-wash text-ink',
              isOn === 'some' && 'border-dashed',
            )}
          >
            <span className={TONE_CLASS[tone]}>
              <Mark shape={mark === 'bar' ? 'dot' : mark} />
            </span>
            {group.label}
          </button>
        );
      })}
    </div>
  );
}

/** The agents and callers of the newest executions, and those of the filter. */
function useKnownNames({ agent, caller }: ExecutionSearch, hasArguments: boolean) {
  // The query of the list without filters, which is then read once.
  const query = firstPageOf(filtersOf({}, 0, hasArguments));
  const { data } = useQuery(read('listExecutions', { query }));
  const items = data?.items ?? [];
  const agents = new Set([...items.flatMap(({ agent_name: name }) => name ?? []), ...(agent ? [agent] : [])]);
  const callers = new Map(
    items.flatMap(({ caller_id: id, requested_by: name }) => (id === undefined ? [] : [[id, name] as const])),
  );
  if (caller !== undefined && !callers.has(caller)) callers.set(caller, caller);
  return {
    agents: [
      { value: '', label: 'Any agent' },
      ...[...agents].toSorted().map((value) => ({ value, label: value })),
    ],
    callers: [
      { value: '', label: 'Any caller' },
      ...[...callers].map(([value, label]) => ({ value, label })),
    ],
  };
}
