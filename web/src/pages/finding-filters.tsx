import { DAYS, type FindingFilter, SEVERITIES, STATUSES, VERDICTS } from '../text/finding-filter.ts';
import { Plain } from '../ui/plain.tsx';
import { SearchField } from '../ui/search-field.tsx';
import type { Assignee } from './findings-query.ts';

interface Props {
  filter: FindingFilter;
  change: (changed: Partial<FindingFilter>) => void;
  assignees: readonly Assignee[];
}

const STATUS_LABELS = { open: 'Open', closed: 'Closed', all: 'Open and closed' };
export const VERDICT_LABELS = {
  true_positive: 'True positive',
  false_positive: 'False positive',
  accepted_risk: 'Accepted risk',
};

/** What the list is narrowed to. */
export function FindingFilters({ filter, change, assignees }: Props) {
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <SearchField
        label="Search"
        value={filter.search}
        change={(search) => change({ search })}
        placeholder="Kind, reason, tool, agent, session, user"
      />
      <Choice
        label="Status"
        value={filter.status}
        options={STATUSES.map((status) => [status, STATUS_LABELS[status]])}
        choose={(status) => change({ status: status as FindingFilter['status'] })}
      />
      <Choice
        label="Verdict"
        value={filter.verdict ?? ''}
        options={[['', 'Any'], ...VERDICTS.map((verdict): [string, string] => [verdict, VERDICT_LABELS[verdict]])]}
        choose={(verdict) => change({ verdict: VERDICTS.find((known) => known === verdict) })}
      />
      <Choice
        label="Assignee"
        value={filter.assignee}
        options={[['', 'Anybody'], ...assignees.map(({ id, name }): [string, string] => [id, name])]}
        choose={(assignee) => change({ assignee })}
      />
      <Choice
        label="Found"
        value={String(filter.days)}
        options={DAYS.map((days) => [String(days), daysLabel(days)])}
        choose={(days) => change({ days: Number(days) })}
      />
      <fieldset className="chips">
        <legend>Severity</legend>
        {SEVERITIES.map((severity) => (
          <label key={severity} className="chip">
            <input
              type="checkbox"
              checked={filter.severities.includes(severity)}
              onChange={({ target }) =>
                change({
                  severities: SEVERITIES.filter((each) =>
                    each === severity ? target.checked : filter.severities.includes(each),
                  ),
                })
              }
            />
            {severity}
          </label>
        ))}
      </fieldset>
      <Narrowed filter={filter} change={change} />
    </form>
  );
}

function daysLabel(days: number): string {
  if (days === 0) return 'At any time';
  return days === 1 ? 'In the last day' : `In the last ${days} days`;
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  choose: (value: string) => void;
}

export function Choice({ label, value, options, choose }: ChoiceProps) {
  return (
    <label className="field">
      <span>{label}</span>
      <select value={value} onChange={({ target }) => choose(target.value)}>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

const NARROWED = ['kind', 'policy', 'agent', 'session'] as const;

/** What a link from elsewhere narrowed the list to, and the way out. */
function Narrowed({ filter, change }: Pick<Props, 'filter' | 'change'>) {
  const narrowed = NARROWED.filter((name) => filter[name] !== '');
  if (narrowed.length === 0) return null;
  return (
    <p className="chips">
      {narrowed.map((name) => (
        <span key={name} className="chip">
          {name}: <Plain text={filter[name]} />
          <button type="button" className="quiet" onClick={() => change({ [name]: '' })}>
            All of any {name}
          </button>
        </span>
      ))}
    </p>
  );
}
