import { type FormEvent, useState } from 'react';
import { useTenant } from '../api/viewer.ts';
import { NAME_CHARS_MAX, readSaved, type SavedFilter, withSaved } from '../text/finding-filter.ts';
import { Plain } from '../ui/plain.tsx';

interface Props {
  /** The filter that is looked at. */
  query: string;
  choose: (query: string) => void;
}

/** Filters that were given a name, kept in this browser. */
export function SavedFilters({ query, choose }: Props) {
  const { tenant } = useTenant();
  const key = `gatehouse.findings.${tenant.slug}`;
  const [saved, setSaved] = useState(() => load(key));
  const [name, setName] = useState('');
  const keep = (filters: SavedFilter[]) => {
    setSaved(filters);
    store(key, filters);
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    keep(withSaved(saved, { name: name.trim(), query }));
    setName('');
  };
  return (
    <details className="numbers">
      <summary>Saved filters ({saved.length})</summary>
      <ul className="plain-list">
        {saved.map((filter) => (
          <li key={filter.name} className="chips">
            <button type="button" aria-pressed={filter.query === query} onClick={() => choose(filter.query)}>
              <Plain text={filter.name} />
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Forget the filter ${filter.name}`}
              onClick={() => keep(saved.filter(({ name }) => name !== filter.name))}
            >
              Forget
            </button>
          </li>
        ))}
      </ul>
      <form className="filters" aria-label="Save this filter" onSubmit={save}>
        <label className="field">
          <span>Name</span>
          <input value={name} maxLength={NAME_CHARS_MAX} onChange={({ target }) => setName(target.value)} />
        </label>
        <button type="submit" disabled={name.trim() === ''}>
          Save this filter
        </button>
      </form>
    </details>
  );
}

function load(key: string): SavedFilter[] {
  try {
    return readSaved(localStorage.getItem(key));
  } catch {
    return [];
  }
}

function store(key: string, filters: readonly SavedFilter[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(filters));
  } catch {
    // They are kept while the page is open.
  }
}
