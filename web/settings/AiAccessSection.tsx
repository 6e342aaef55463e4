import type { AiAccess as Access } from '@svc/core/mcp/ai-access';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Select } from '../design/form/Select.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Section } from '../design/Page.tsx';

const OPTIONS = [
  { value: 'all', label: 'Everything their keys allow' },
  { value: 'read_only', label: 'Only read' },
  { value: 'off', label: 'Nothing' },
] as const;

const EFFECTS: Readonly<Record<Access, string>> = {
  all: 'An AI agent runs whatever its key or its user allows. Approvals and keys are the limits.',
  read_only: 'An AI agent runs only endpoints that say "effects: read", and pipelines of such endpoints.',
  off: 'The hub refuses every request of an AI agent to this workspace.',
};

/** What AI agents may do in the workspace (decision 79, access of AI agents). Owner and admins choose; it is in effect at once. */
export function AiAccessSection() {
  const can = useMay('api_key.manage');
  const { data } = useQuery(read('showAiAccess'));
  const change = useAction('setAiAccess', {
    changes: ['showAiAccess'],
    isProblemShown: true,
    doneMessage: ({ access }) => `AI agents: ${OPTIONS.find(({ value }) => value === access)?.label}`,
  });
  if (data === undefined) return null;
  return (
    <Section title="AI agents">
      <div className="w-72 max-w-full">
        <Select
          label="AI agents may do"
          options={OPTIONS}
          value={data.access}
          onChange={(access) => change.mutate({ body: { access } })}
          why={can.ok ? undefined : can.reason}
        />
      </div>
      <p className="max-w-prose text-soft">
        {EFFECTS[data.access]} This is about connections over MCP; a program that calls the API with a key is
        not affected.
      </p>
      {change.error && <Problem error={change.error} />}
    </Section>
  );
}
