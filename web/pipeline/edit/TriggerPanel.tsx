import type { Pipeline, Trigger } from '@svc/core/pipeline/definition/pipeline';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Toggle } from '../../design/form/Toggle.tsx';
import type { ValidationIssue } from '../graph/findings.ts';
import { InputFields } from './InputFields.tsx';

const TYPES = [
  { value: 'manual', label: 'A call, with nothing in it' },
  { value: 'webhook', label: 'A webhook, whose body is the input' },
] as const;

interface TriggerPanelProps {
  readonly pipeline: Pipeline;
  readonly findings: readonly ValidationIssue[];
  /** One that was sent before and is never shown. */
  readonly hasSecret: boolean;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

/** How a run begins, and what it begins with. */
export function TriggerPanel({ pipeline: { trigger }, findings, hasSecret, onChange }: TriggerPanelProps) {
  const set = (changed: Partial<Trigger>) =>
    onChange((drawn) => ({ ...drawn, trigger: { ...drawn.trigger, ...changed } }));
  const setSecret = (secret: string) =>
    onChange((drawn) => {
      const { secret: _, ...rest } = drawn.trigger;
      return { ...drawn, trigger: secret === '' ? rest : { ...rest, secret } };
    });
  return (
    <>
      <Select
        label="It begins with"
        options={TYPES}
        value={trigger.type}
        onChange={(type) => set(type === 'manual' ? { type, inputSchema: [] } : { type })}
      />
      <Toggle
        label="Public"
        isOn={trigger.public}
        onChange={(isPublic) => set({ public: isPublic })}
        hint="Callers need no API key."
      />
      {trigger.type === 'webhook' && (
        <>
          <InputFields fields={trigger.inputSchema} onChange={(inputSchema) => set({ inputSchema })} />
          <TextField
            label="Secret"
            value={trigger.secret ?? ''}
            onChange={setSecret}
            isCode
            hint={
              hasSecret
                ? 'One is set. Empty: it stays.'
                : 'Signs the calls, as GitHub and Standard Webhooks do; $svc:NAME takes a managed one.'
            }
            input={{ autoComplete: 'off' }}
          />
        </>
      )}
      {findings.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="text-sm text-bad">
          {message}
        </p>
      ))}
    </>
  );
}
