import { TEMPLATE_CATEGORIES, type TemplateCategory } from '@svc/core/template/category';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { read } from '../api/read.ts';
import { PANEL_LIST } from '../design/classes.ts';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { Loading } from '../design/list/Loading.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Page } from '../design/Page.tsx';
import { TemplateCard } from './TemplateCard.tsx';

const CATEGORIES = [
  { value: '', label: 'All categories' },
  ...TEMPLATE_CATEGORIES.map((value) => ({ value, label: value })),
] as const;

/** The gallery of endpoint templates (references 2.8 and 4.4). */
export function TemplatesPage() {
  const [search, setSearch] = useState('');
  const [category, setCategory] = useState<TemplateCategory | ''>('');
  return (
    <Page
      title="Templates"
      about="Ready-made endpoints. View the YAML, copy it into your svc.yaml, or import it."
    >
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-72 max-w-full">
          <TextField
            label="Search by name, description or tag"
            value={search}
            onChange={setSearch}
            input={{ type: 'search' }}
          />
        </div>
        <div className="w-48">
          <Select label="Category" options={CATEGORIES} value={category} onChange={setCategory} />
        </div>
      </div>
      <Found search={useDeferredValue(search)} category={category} />
    </Page>
  );
}

interface FoundProps {
  readonly search: string;
  readonly category: TemplateCategory | '';
}

function Found({ search, category }: FoundProps) {
  const query = { ...(search.trim() && { search }), ...(category && { category }) };
  const { data, error, refetch } = useQuery({
    ...read('listTemplates', { query }),
    placeholderData: (before) => before,
  });
  if (data === undefined)
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading what="templates" />;
  if (data.templates.length === 0)
    return (
      <Empty title="No matching templates">
        <p>Use fewer words, or search all categories.</p>
      </Empty>
    );
  return (
    <ul aria-label="Templates" className={PANEL_LIST}>
      {data.templates.map((template) => (
        <li key={template.template_id} data-row="" className="px-4">
          <TemplateCard template={template} />
        </li>
      ))}
    </ul>
  );
}
