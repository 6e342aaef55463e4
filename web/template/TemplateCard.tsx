import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Disclosure } from '../design/Disclosure.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { CopyButton } from '../design/text/CopyButton.tsx';

type Template = Answer<'listTemplates'>['templates'][number];

/** A template; opened, its YAML, to copy or import. */
export function TemplateCard({ template }: { readonly template: Template }) {
  const { template_id, name, description, category, tags, endpoints } = template;
  const secrets = [...new Set(endpoints.flatMap((endpoint) => endpoint.secrets))];
  return (
    <div className="py-2">
      <Disclosure
        summary={
          <span className="flex min-w-0 flex-col">
            <span className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-semibold">{name}</span>
              <span className="text-sm text-soft">{category}</span>
              {endpoints.some((endpoint) => endpoint.approval_required) && (
                <span className="text-sm text-waiting">needs approval</span>
              )}
              {endpoints.some((endpoint) => endpoint.schedule !== null) && (
                <span className="text-sm text-soft">scheduled</span>
              )}
              {secrets.length > 0 && <span className="text-sm text-soft">needs {secrets.join(', ')}</span>}
            </span>
            <span className="text-soft">{description}</span>
            <span className="text-xs text-soft">{tags.join(' · ')}</span>
          </span>
        }
      >
        <Opened id={template_id} name={name} />
      </Disclosure>
    </div>
  );
}

function Opened({ id, name }: { readonly id: string; readonly name: string }) {
  const can = useMay('endpoint.edit');
  const { data, error } = useQuery(read('showTemplate', { parameters: { template_id: id } }));
  const importTemplate = useAction('importTemplate', {
    changes: ['listEndpoints', 'listSchedules', 'showUsage'],
    isProblemShown: true,
  });
  if (data === undefined) return error ? <Problem error={error} /> : <Loading what="the template" />;
  return (
    <div className="flex flex-col gap-3 pb-2">
      <pre
        dir="ltr"
        className="max-h-96 overflow-auto rounded border border-line bg-sunken px-3 py-2 text-sm"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
      >
        {data.yaml}
      </pre>
      <div className="flex flex-wrap gap-3">
        <Button
          kind="primary"
          why={can.ok ? undefined : can.reason}
          isPending={importTemplate.isPending}
          onClick={() => importTemplate.mutate({ body: { template_id: id } })}
        >
          Import {name}
        </Button>
        <CopyButton text={data.yaml} label="Copy YAML" />
      </div>
      {importTemplate.error && <Problem error={importTemplate.error} />}
      {importTemplate.data && <Imported result={importTemplate.data} />}
    </div>
  );
}

/** The endpoints that an import created, and those that it skipped. */
function Imported({ result: { created, skipped } }: { readonly result: Answer<'importTemplate'> }) {
  return (
    <div role="status" className="rounded border border-line px-3 py-2">
      {created.length > 0 && (
        <p>
          Created:{' '}
          {created.map(({ slug }) => (
            <Link
              key={slug}
              to="/endpoints/$name"
              params={{ name: slug }}
              className="mr-3 text-accent underline"
            >
              {slug}
            </Link>
          ))}
        </p>
      )}
      {skipped.map(({ slug }) => (
        <p key={slug} className="text-waiting">
          Skipped: <code>{slug}</code>. The name is already in use.
        </p>
      ))}
    </div>
  );
}
