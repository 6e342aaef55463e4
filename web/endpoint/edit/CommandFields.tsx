import { useMemo } from 'react';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import { CommandLine } from '../run/CommandLine.tsx';
import { commandNotes } from './command-notes.ts';
import { draftedArguments } from './drafted-definition.ts';
import { type EndpointDraft, NEW_ARGUMENT } from './endpoint-draft.ts';
import type { FieldScope } from './field-scope.ts';

/** Name, description and command of an endpoint. */
export function CommandFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  const args = useMemo(() => draftedArguments(draft.args), [draft.args]);
  const notes = useMemo(() => commandNotes(draft.command, args), [draft.command, args]);
  const undeclared = scope.why('args') === undefined ? undeclaredNames(draft) : [];
  return (
    <Section title="Command">
      <TextField
        label="Name"
        isCode
        value={draft.name}
        onChange={(name) => scope.set('name', name)}
        problem={scope.problem('name')}
        hint={scope.why('name') ?? 'The last part of the URL.'}
        input={{ disabled: scope.why('name') !== undefined, autoComplete: 'off' }}
      />
      <TextField
        label="Description"
        value={draft.description}
        onChange={(description) => scope.set('description', description)}
        problem={scope.problem('description')}
        hint="One sentence for callers."
      />
      <TextField
        label="Command"
        isCode
        rows={Math.min(Math.max(draft.command.split('\n').length, 2), 12)}
        value={draft.command}
        onChange={(command) => scope.set('command', command)}
        problem={scope.problem('command')}
        hint={scope.why('command') ?? 'Use {{name}} for an argument and $svc:NAME for a managed secret.'}
        input={{ disabled: scope.why('command') !== undefined }}
      />
      {undeclared.length > 0 && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-2 rounded bg-waiting-wash px-3 py-2 text-sm"
        >
          <span>
            {undeclared.length === 1 ? 'This placeholder is' : 'These placeholders are'} not an argument yet,
            so the command gets the text as it stands.
          </span>
          {undeclared.map((name) => (
            <Button
              key={name}
              onClick={() => scope.set('args', [...draft.args, { ...NEW_ARGUMENT, name, required: true }])}
            >
              Add argument {name}
            </Button>
          ))}
        </div>
      )}
      {notes.length > 0 && <p className="text-sm text-waiting">Note: {notes.join('; ')}.</p>}
      {draft.command !== '' && (
        <div className="rounded bg-sunken px-3 py-1">
          <CommandLine endpoint={{ command: draft.command, args }} />
        </div>
      )}
    </Section>
  );
}

const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}/g;

/** The names of `{{name}}` in the command that no argument has. */
function undeclaredNames({ command, args }: EndpointDraft): readonly string[] {
  const declared = new Set(args.map(({ name }) => name));
  const found = new Set([...command.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  return [...found].filter((name) => !declared.has(name));
}
