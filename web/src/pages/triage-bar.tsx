import { type FormEvent, useState } from 'react';
import { useChange } from '../api/use-change.ts';
import { useTenant } from '../api/viewer.ts';
import { upperCase, VERDICTS, type VerdictName } from '../text/finding-filter.ts';
import { Choice, VERDICT_LABELS } from './finding-filters.tsx';
import { type Assignee, TriageMutation } from './findings-query.ts';

/** What is chosen for the selected findings; `keep` leaves what they have. */
interface Choices {
  verdict: VerdictName | 'keep' | 'none';
  status: 'keep' | 'open' | 'closed';
  assignee: string;
  note: string;
}

const NOTHING: Choices = { verdict: 'keep', status: 'keep', assignee: 'keep', note: '' };
const KEEP = ['keep', 'as it is'] as const;

interface Props {
  ids: readonly string[];
  assignees: readonly Assignee[];
  done: () => void;
}

/** Says the same of all selected findings at once. */
export function TriageBar({ ids, assignees, done }: Props) {
  const { tenant } = useTenant();
  const [choices, setChoices] = useState(NOTHING);
  const [told, setTold] = useState('');
  const { run, isRunning, failure } = useChange(TriageMutation, ({ triageFindings }) => triageFindings);
  const choose = (changed: Partial<Choices>) => setChoices({ ...choices, ...changed });
  const isEmpty = Object.entries(NOTHING).every(([name, value]) => choices[name as keyof Choices] === value);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const result = await run({ input: { tenantId: tenant.id, ids: [...ids], ...changeOf(choices) } });
    if (result === undefined) return;
    setTold(`${ids.length === 1 ? 'One finding was' : `${ids.length} findings were`} changed.`);
    setChoices(NOTHING);
    done();
  };
  return (
    <form className="filters triage" aria-label="Judge the selected findings" onSubmit={(event) => void submit(event)}>
      <strong>{ids.length} selected</strong>
      <Choice
        label="Verdict"
        value={choices.verdict}
        options={[KEEP, ...VERDICTS.map((name) => [name, VERDICT_LABELS[name]] as const), ['none', 'none']]}
        choose={(value) => {
          const verdict = value as Choices['verdict'];
          // A verdict ends the matter, unless one says otherwise.
          choose({ verdict, status: VERDICTS.some((known) => known === verdict) ? 'closed' : choices.status });
        }}
      />
      <Choice
        label="Status"
        value={choices.status}
        options={[KEEP, ['closed', 'closed'], ['open', 'open']]}
        choose={(status) => choose({ status: status as Choices['status'] })}
      />
      <Choice
        label="Assignee"
        value={choices.assignee}
        options={[KEEP, ['none', 'nobody'], ...assignees.map(({ id, name }) => [id, name] as const)]}
        choose={(assignee) => choose({ assignee })}
      />
      <label className="field">
        <span>Note</span>
        <input
          value={choices.note}
          maxLength={2_000}
          placeholder="as it is"
          onChange={({ target }) => choose({ note: target.value })}
        />
      </label>
      <button type="submit" disabled={ids.length === 0 || isEmpty || isRunning}>
        Apply
      </button>
      <span className="muted">{ids.length === 0 && 'Select findings to judge them.'}</span>
      <p role="status" className="told">
        {failure === undefined ? told : `Not changed: ${failure.message}`}
      </p>
    </form>
  );
}

function changeOf({ verdict, status, assignee, note }: Choices) {
  return {
    ...(verdict === 'keep' ? {} : { verdict: verdict === 'none' ? null : upperCase(verdict) }),
    ...(status === 'keep' ? {} : { status: upperCase(status) }),
    ...(assignee === 'keep' ? {} : { assigneeId: assignee === 'none' ? null : assignee }),
    ...(note === '' ? {} : { note }),
  };
}
