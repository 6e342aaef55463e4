// The search of the documentation. It needs scripts; without them, the navigation still has every page.
import type { Section } from '../render.ts';
import { type SectionSearch, sectionSearch } from '../search-index.ts';

const MAX_RESULTS = 20;

let index: Promise<SectionSearch> | undefined;

async function load(): Promise<SectionSearch> {
  const response = await fetch('search.json');
  return sectionSearch((await response.json()) as Section[]);
}

function create<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function start(place: HTMLElement): void {
  const field = create('input', {
    type: 'search',
    id: 'search-field',
    autocomplete: 'off',
    placeholder: 'Search',
  });
  const label = create('label', { for: 'search-field', class: 'hidden' }, 'Search the documentation');
  const status = create('p', { role: 'status', class: 'hidden' });
  const list = create('ul', { class: 'results', 'aria-label': 'Search results' });
  list.hidden = true;
  place.append(label, field, status, list);
  field.addEventListener('focus', () => {
    index ??= load();
  });
  field.addEventListener('input', () => void show(field.value.trim()));
  place.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    field.value = '';
    void show('');
    field.focus();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    field.focus();
  });

  async function show(query: string): Promise<void> {
    index ??= load();
    const found = query === '' ? [] : (await index).find(query, MAX_RESULTS);
    // The reader has typed more in the meantime.
    if (query !== field.value.trim()) return;
    list.replaceChildren(
      ...found.map(({ page, title, heading, anchor }) => {
        const link = create('a', { href: `${page}.html#${anchor}` }, String(heading));
        if (heading !== title) link.append(create('span', {}, String(title)));
        return create('li', {}, link);
      }),
    );
    list.hidden = found.length === 0;
    status.textContent = query === '' ? '' : found.length === 0 ? 'Nothing found' : `${found.length} results`;
    status.className = found.length === 0 && query !== '' ? 'none' : 'hidden';
  }
}

const place = document.getElementById('search');
if (place !== null) start(place);
