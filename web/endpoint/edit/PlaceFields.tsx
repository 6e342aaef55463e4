import { useAgentNames } from '../../agent/use-agent-names.ts';
import { Button } from '../../design/Button.tsx';
import { PickField } from '../../design/form/PickField.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import type { FieldScope } from './field-scope.ts';

/** Runs on the hosted runner instead of an agent. */
const HOSTED = 'hosted';

/** The agent, working folder and environment of the command. */
export function PlaceFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  const { env } = draft;
  const why = scope.why('env');
  const names = useAgentNames();
  return (
    <Section title="Agent and environment" aside={why}>
      <div className="grid gap-3 sm:grid-cols-2">
        <PickField
          label="Agent"
          value={draft.agent_name}
          onChange={(name) => scope.set('agent_name', name)}
          names={[...names, ...(names.includes(HOSTED) ? [] : [HOSTED])]}
          problem={scope.problem('agent_name')}
          hint='Agent name or "hosted". Default: default'
          isDisabled={scope.why('agent_name') !== undefined}
        />
        <TextField
          label="Working folder"
          isCode
          value={draft.cwd}
          onChange={(cwd) => scope.set('cwd', cwd)}
          problem={scope.problem('cwd')}
          hint="Default: the folder of the agent's svc.yaml"
          input={{ disabled: scope.why('cwd') !== undefined }}
        />
      </div>
      {env.map((variable, place) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a variable has no other name while its name is typed
          key={place}
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] items-end gap-2"
        >
          <TextField
            label="Variable"
            isCode
            value={variable.name}
            onChange={(name) => scope.set('env', env.with(place, { ...variable, name }))}
            input={{ disabled: why !== undefined }}
          />
          <TextField
            label="Value"
            isCode
            value={variable.value}
            onChange={(value) => scope.set('env', env.with(place, { ...variable, value }))}
            input={{ disabled: why !== undefined }}
          />
          {why === undefined && (
            <Button
              kind="plain"
              aria-label={`Remove ${variable.name || 'variable'}`}
              onClick={() => scope.set('env', env.toSpliced(place, 1))}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      {scope.problem('env') && <p className="text-sm text-bad">{scope.problem('env')}</p>}
      <Button
        className="self-start"
        why={why}
        onClick={() => scope.set('env', [...env, { name: '', value: '' }])}
      >
        Add variable
      </Button>
      <TextField
        label="Variables that pipeline steps can set"
        isCode
        value={draft.accepts_env}
        onChange={(names) => scope.set('accepts_env', names)}
        problem={scope.problem('accepts_env')}
        hint="Names, separated by commas. Default: none"
        input={{ disabled: scope.why('accepts_env') !== undefined }}
      />
    </Section>
  );
}
