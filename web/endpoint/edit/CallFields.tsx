import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Toggle } from '../../design/form/Toggle.tsx';
import { Section } from '../../design/Page.tsx';
import type { FieldScope } from './field-scope.ts';
import { ScheduleField } from './ScheduleField.tsx';

const METHODS = [
  { value: '', label: 'GET and POST' },
  { value: 'GET', label: 'GET only' },
  { value: 'POST', label: 'POST only' },
] as const;
const LEAVING = [
  { value: 'continue', label: 'The command goes on' },
  { value: 'cancel', label: 'The command is stopped' },
] as const;

/** How an endpoint is called, and how long and how often it may run. */
export function CallFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  return (
    <Section title="Calls">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Method"
          options={METHODS}
          value={draft.method}
          onChange={(method) => scope.set('method', method)}
        />
        <Select
          label="When its caller goes away"
          options={LEAVING}
          value={draft.on_disconnect}
          onChange={(choice) => scope.set('on_disconnect', choice)}
        />
        <TextField
          label="Time-out"
          value={draft.timeout}
          onChange={(timeout) => scope.set('timeout', timeout)}
          problem={scope.problem('timeout')}
          hint="Seconds; empty: 60."
          input={{ inputMode: 'numeric' }}
        />
        <TextField
          label="At the same time"
          value={draft.max_concurrent}
          onChange={(most) => scope.set('max_concurrent', most)}
          problem={scope.problem('max_concurrent')}
          hint="So many executions at most; empty: no limit."
          input={{ inputMode: 'numeric' }}
        />
      </div>
      <ScheduleField scope={scope} />
      <Toggle
        label="Public"
        hint="Whoever knows the URL may call it, without a key."
        isOn={draft.public}
        onChange={(isOn) => scope.set('public', isOn)}
      />
    </Section>
  );
}
