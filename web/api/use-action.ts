import type { ClientRoute } from '@svc/core/api/client/api-call';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { showDone, showProblem, type ToastLink } from '../design/overlay/toasts.ts';
import { api } from './client.ts';
import type { Answer } from './read.ts';
import { problemWords } from './refusal-words.ts';

type Call<Name extends ClientRoute> = Parameters<ApiClient[Name]>[0];

interface ActionOptions<Name extends ClientRoute> {
  /** The routes whose data the action changes; they are refetched before `onDone`. */
  readonly changes?: readonly ClientRoute[];
  readonly onDone?: (answer: Answer<Name>, call: Call<Name>) => void;
  /** The toast after success: "Key ci revoked". */
  readonly doneMessage?: (answer: Answer<Name>, call: Call<Name>) => string;
  /** A page of the dashboard that the toast leads to. */
  readonly doneLink?: (answer: Answer<Name>, call: Call<Name>) => ToastLink;
  /** The form shows the error beside its fields; no toast appears. */
  readonly isProblemShown?: boolean;
}

/** An action of a person: `const revoke = useAction('revokeApiKey', {…})`, then `revoke.mutate({ parameters })`. */
export function useAction<Name extends ClientRoute>(name: Name, options: ActionOptions<Name> = {}) {
  const queries = useQueryClient();
  const { changes = [], onDone, doneMessage, doneLink, isProblemShown = false } = options;
  return useMutation<Answer<Name>, Error, Call<Name>>({
    mutationKey: [name],
    mutationFn: (call) => (api[name] as (call: unknown) => Promise<Answer<Name>>)(call),
    async onSuccess(answer, call) {
      await Promise.all(changes.map((changed) => queries.invalidateQueries({ queryKey: [changed] })));
      if (doneMessage !== undefined) showDone(doneMessage(answer, call), doneLink?.(answer, call));
      onDone?.(answer, call);
    },
    onError(error) {
      if (isProblemShown) return;
      const { title, advice } = problemWords(error);
      showProblem(title, advice);
    },
  });
}
