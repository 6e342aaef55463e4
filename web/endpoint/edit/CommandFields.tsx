import { typoNotes } from '@svc/core/endpoint/typo-notes';
import { useMemo } from 'react';
import { Button } from '../../design/Button.tsx';
import { CodeField } from '../../design/code/CodeField.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Section } from '../../design/Page.tsx';
import { CommandLine } from '../run/CommandLine.tsx';
import type { WireArgument } from '../wire-endpoint.ts';
import { draftedArguments } from './drafted-definition.ts';
import type { FieldScope } from './field-scope.ts';
import { undeclaredArguments } from './undeclared-arguments.ts';

/** Name, description and command of an endpoint. */
export function CommandFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  const args = useMemo(() => draftedArguments(draft.args), [draft.args]);
  const notes = useMemo(() => commandNotes(draft.command, args), [draft.command, args]);
  const isOpen = scope.why('args') === undefined;
  const undeclared = useMemo(
    () => (isOpen ? undeclaredArguments({ command: draft.command, args: draft.args }) : []),
    [isOpen, draft.command, draft.args],
  );
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
        label="Tags"
        isCode
        value={draft.tags}
        onChange={(tags) => scope.set('tags', tags)}
        problem={scope.problem('tags')}
        hint="Up to 10 words to find it by, separated by spaces."
      />
      <CommandField scope={scope} args={args} />
      {undeclared.length > 0 && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-2 rounded bg-waiting-wash px-3 py-2 text-sm"
        >
          <span>
            {undeclared.length === 1 ? 'This placeholder is' : 'These placeholders are'} not an argument yet,
            so the command gets the text as it stands.
          </span>
          {undeclared.map(({ argument, type }) => (
            <Button key={argument.name} onClick={() => scope.set('args', [...draft.args, argument])}>
              Add argument {argument.name}
              {type !== undefined && <span className="text-soft"> ({type})</span>}
            </Button>
          ))}
        </div>
      )}
      {notes.length > 0 && <p className="text-sm text-waiting">Note: {notes.join('; ')}.</p>}
    </Section>
  );
}

interface CommandFieldProps {
  readonly scope: FieldScope;
  readonly args: readonly WireArgument[];
}

const HINT = 'Use {{name}} for an argument and $svc:NAME for a managed secret.';

/** The command in an editor; a locked one is shown with its arguments set apart. */
function CommandField({ scope, args }: CommandFieldProps) {
  const { command } = scope.draft;
  const why = scope.why('command');
  const problem = scope.problem('command');
  if (why !== undefined)
    return (
      <>
        <TextField
          label="Command"
          isCode
          rows={Math.min(Math.max(command.split('\n').length, 2), 12)}
          value={command}
          onChange={() => {}}
          hint={why}
          input={{ disabled: true }}
        />
        <div className="rounded bg-sunken px-3 py-1">
          <CommandLine endpoint={{ command, args }} />
        </div>
      </>
    );
  return (
    <CodeField
      label="Command"
      language="command"
      minLines={2}
      value={command}
      onChange={(next) => scope.set('command', next)}
      hint={HINT}
      problem={problem}
    />
  );
}

/** Likely typos that do not keep a command from running, such as a placeholder without an argument. */
function commandNotes(command: string, args: readonly WireArgument[]): string[] {
  return typoNotes(command, args).map(({ message }) => message);
}
