import type { EndpointAction, GranteeKind } from '@svc/core/workspace/endpoint-rights';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Checkbox } from '../design/form/Checkbox.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { PickField } from '../design/form/PickField.tsx';
import { PickMany } from '../design/form/PickMany.tsx';
import { PickOne } from '../design/form/PickOne.tsx';
import { useKeptDraft } from '../design/form/use-kept-draft.ts';
import { Problem } from '../design/list/Problem.tsx';
import { type KnownGrantee, useGrantees } from './use-grantees.ts';

const KINDS = [
  { value: 'member', label: 'Member' },
  { value: 'group', label: 'Group' },
  { value: 'service_account', label: 'Service account' },
] as const satisfies readonly { readonly value: GranteeKind; readonly label: string }[];

const UNKNOWN = {
  member: 'Choose a member of the team.',
  group: 'Enter the name of a group.',
  service_account: 'Choose a service account that is not disabled.',
} as const satisfies Record<GranteeKind, string>;

const ACTIONS = [
  { value: 'run', label: 'Run' },
  { value: 'approve', label: 'Approve' },
  { value: 'edit', label: 'Edit' },
] as const satisfies readonly { readonly value: EndpointAction; readonly label: string }[];

/** The queries that a change of grants makes stale. */
export const CHANGED_BY_GRANTS = ['listEndpointGrants', 'listEndpointHolders', 'listEndpointRights'] as const;

interface NewGrantProps {
  /** The endpoint of the page; absent: the person picks endpoints. */
  readonly slug?: string;
}

interface GrantDraft {
  readonly kind: GranteeKind;
  /** Of the member, the group or the service account. */
  readonly name: string;
  readonly picked: readonly string[];
  readonly can: readonly EndpointAction[];
}

const EMPTY: GrantDraft = { kind: 'member', name: '', picked: [], can: ['run'] };

/** The form that makes a grant: for whom, on which endpoints, and what they may do. */
export function NewGrant({ slug }: NewGrantProps) {
  const known = useGrantees();
  const kept = useKeptDraft(`grant.${slug ?? ''}`, EMPTY, { isShort: true });
  const { draft } = kept;
  const { kind, name, picked, can } = draft;
  const change = (some: Partial<GrantDraft>) => kept.change({ ...draft, ...some });
  const [isChecked, setIsChecked] = useState(false);
  const make = useAction('makeEndpointGrant', {
    changes: CHANGED_BY_GRANTS,
    isProblemShown: true,
    doneMessage: () => `Grant for ${name} made`,
    onDone() {
      kept.startOver({ ...EMPTY, kind, can });
      setIsChecked(false);
    },
  });
  const endpoints = slug === undefined ? picked : [slug];
  const grantee = granteeOf(known, kind, name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (grantee === undefined || endpoints.length === 0) return;
    make.mutate({
      body: {
        grantee_kind: kind,
        grantee,
        endpoints: [...endpoints],
        can: can.length > 0 ? [...can] : ['view'],
      },
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3" noValidate aria-label="New grant">
      <DraftNotice kept={kept} />
      <div>
        <PickOne label="Grant to" options={KINDS} value={kind} onChange={(next) => change({ kind: next })} />
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <PickField
          label={KINDS.find(({ value }) => value === kind)?.label ?? ''}
          value={name}
          onChange={(next) => change({ name: next })}
          names={known.filter((one) => one.kind === kind).map((one) => one.name)}
          problem={isChecked && grantee === undefined ? UNKNOWN[kind] : undefined}
        />
        {slug === undefined && (
          <PickEndpoints
            values={picked}
            onChange={(next) => change({ picked: next })}
            problem={isChecked && picked.length === 0 ? 'Choose at least one endpoint.' : undefined}
          />
        )}
      </div>
      <fieldset className="flex flex-wrap items-center gap-x-4">
        <legend className="text-sm font-semibold">May view, and also</legend>
        {ACTIONS.map(({ value, label }) => (
          <Checkbox
            key={value}
            isChecked={can.includes(value)}
            onChange={(isOn) => change({ can: isOn ? [...can, value] : can.filter((one) => one !== value) })}
          >
            {label}
          </Checkbox>
        ))}
      </fieldset>
      {make.error && <Problem error={make.error} />}
      <div>
        <Button kind="primary" type="submit" isPending={make.isPending}>
          Create grant
        </Button>
      </div>
    </form>
  );
}

/** What the API knows the grantee by; the name of a group may be one that has no role here. */
function granteeOf(known: readonly KnownGrantee[], kind: GranteeKind, name: string): string | undefined {
  const found = known.find(
    (one) => one.kind === kind && one.name.toLowerCase() === name.trim().toLowerCase(),
  );
  if (found !== undefined) return found.id;
  return kind === 'group' && name.trim() !== '' ? name.trim() : undefined;
}

interface PickEndpointsProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly problem: string | undefined;
}

function PickEndpoints({ values, onChange, problem }: PickEndpointsProps) {
  const { data } = useQuery(read('listEndpoints', { query: { limit: 100 } }));
  const items = data?.items ?? [];
  const tags = new Set(items.flatMap(({ tags: ofEndpoint }) => ofEndpoint ?? []));
  return (
    <PickMany
      label="Endpoints"
      values={values}
      onChange={onChange}
      names={[...items.map(({ slug }) => slug), ...[...tags].map((tag) => `tag:${tag}`)]}
      problem={problem}
      hint="Slugs, patterns such as deploy-*, or tags such as tag:reports."
    />
  );
}
