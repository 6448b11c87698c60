import { type FormEvent, useState } from 'react';
import { graphql } from '../api/graphql.ts';
import { useChange } from '../api/use-change.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { useTenant } from '../api/viewer.ts';
import { Plain } from '../ui/plain.tsx';
import { Refused } from '../ui/refused.tsx';

const SavedFiltersQuery = graphql(`
  query SavedFilters($tenant: ID!) {
    tenant(id: $tenant) {
      savedFilters {
        name
        query
      }
    }
  }
`);

const SaveMutation = graphql(`
  mutation SaveFilter($input: SaveFilterInput!) {
    saveFilter(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const ForgetMutation = graphql(`
  mutation ForgetFilter($input: ForgetFilterInput!) {
    forgetFilter(input: $input) {
      userErrors {
        code
        message
      }
    }
  }
`);

const NAME_CHARS_MAX = 60;

interface Props {
  /** The filter that is looked at. */
  query: string;
  choose: (query: string) => void;
}

/** Filters that the viewer gave a name, for themselves. */
export function SavedFilters({ query, choose }: Props) {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(SavedFiltersQuery, () => ({ tenant: tenant.id }), tenant.id);
  const saving = useChange(SaveMutation, (data) => data.saveFilter);
  const forgetting = useChange(ForgetMutation, (data) => data.forgetFilter);
  const [name, setName] = useState('');
  const found = data?.tenant?.savedFilters;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    if ((await saving.run({ input: { tenantId: tenant.id, name: name.trim(), query } })) === undefined) return;
    setName('');
    reload();
  };
  const forget = async (name: string) => {
    await forgetting.run({ input: { tenantId: tenant.id, name } });
    reload();
  };
  return (
    <details className="numbers">
      <summary>Saved filters{found !== undefined && ` (${found.length})`}</summary>
      <Refused failure={failure ?? saving.failure ?? forgetting.failure} />
      <ul className="plain-list">
        {found?.map((filter) => (
          <li key={filter.name} className="chips">
            <button type="button" aria-pressed={filter.query === query} onClick={() => choose(filter.query)}>
              <Plain text={filter.name} />
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Forget the filter ${filter.name}`}
              disabled={forgetting.isRunning}
              onClick={() => void forget(filter.name)}
            >
              Forget
            </button>
          </li>
        ))}
      </ul>
      <form className="filters" aria-label="Save this filter" onSubmit={(event) => void save(event)}>
        <label className="field">
          <span>Name</span>
          <input value={name} maxLength={NAME_CHARS_MAX} onChange={({ target }) => setName(target.value)} />
        </label>
        <button type="submit" disabled={name.trim() === '' || saving.isRunning}>
          Save this filter
        </button>
      </form>
    </details>
  );
}
