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
const ON_DISCONNECT = [
  { value: 'continue', label: 'Keep running' },
  { value: 'cancel', label: 'Cancel' },
] as const;

/** Method, timeout, concurrency limit, schedule and access of an endpoint. */
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
          label="If the caller disconnects"
          options={ON_DISCONNECT}
          value={draft.on_disconnect}
          onChange={(choice) => scope.set('on_disconnect', choice)}
        />
        <TextField
          label="Timeout (seconds)"
          value={draft.timeout}
          onChange={(timeout) => scope.set('timeout', timeout)}
          problem={scope.problem('timeout')}
          hint="Default: 60"
          input={{ inputMode: 'numeric' }}
        />
        <TextField
          label="Concurrency limit"
          value={draft.max_concurrent}
          onChange={(limit) => scope.set('max_concurrent', limit)}
          problem={scope.problem('max_concurrent')}
          hint="Leave empty for no limit."
          input={{ inputMode: 'numeric' }}
        />
      </div>
      <ScheduleField scope={scope} />
      <Toggle
        label="Public"
        hint="Anyone with the URL can call the endpoint without a key."
        isOn={draft.public}
        onChange={(isOn) => scope.set('public', isOn)}
      />
    </Section>
  );
}
