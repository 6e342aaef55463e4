import type { Pipeline, Trigger } from '@svc/core/pipeline/definition/pipeline';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Toggle } from '../../design/form/Toggle.tsx';
import type { PipelineIssue } from '../graph/issues.ts';
import { InputFields } from './InputFields.tsx';

const TYPES = [
  { value: 'manual', label: 'Manual' },
  { value: 'webhook', label: 'Webhook' },
] as const;

interface TriggerPanelProps {
  readonly pipeline: Pipeline;
  readonly issues: readonly PipelineIssue[];
  /** A secret is stored; the API never returns it. */
  readonly hasSecret: boolean;
  readonly onChange: (change: (pipeline: Pipeline) => Pipeline) => void;
}

/** The trigger of a pipeline: type, access, input fields and secret. */
export function TriggerPanel({ pipeline: { trigger }, issues, hasSecret, onChange }: TriggerPanelProps) {
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
        label="Trigger"
        options={TYPES}
        value={trigger.type}
        onChange={(type) => set(type === 'manual' ? { type, inputSchema: [] } : { type })}
      />
      <Toggle
        label="Public"
        isOn={trigger.public}
        onChange={(isPublic) => set({ public: isPublic })}
        hint="Anyone with the URL can start a run without a key."
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
                ? 'A secret is set. Leave empty to keep it.'
                : 'Verifies signatures of GitHub and Standard Webhooks. $svc:NAME uses a managed secret.'
            }
            input={{ autoComplete: 'off' }}
          />
        </>
      )}
      {issues.map(({ path, message }) => (
        <p key={`${path} ${message}`} className="text-sm text-bad">
          {message}
        </p>
      ))}
    </>
  );
}
