import { type FormEvent, useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChange } from '../../api/use-change.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { useLock, useTenant } from '../../api/viewer.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Locked, Refused } from '../../ui/refused.tsx';
import { Answered } from '../../ui/states.tsx';
import { TextField } from '../../ui/text-field.tsx';

const SettingsQuery = graphql(`
  query Settings($tenant: ID!) {
    tenant(id: $tenant) {
      name
      onFailure
      deadlineMs
      retentionDays
      settingBounds {
        deadlineMs
        retentionDays
      }
    }
  }
`);

const ChangeMutation = graphql(`
  mutation ChangeSettings($input: ChangeTenantSettingsInput!) {
    changeTenantSettings(input: $input) {
      tenant {
        id
      }
      userErrors {
        code
        message
      }
    }
  }
`);

type Settings = NonNullable<ResultOf<typeof SettingsQuery>['tenant']>;

export function GeneralTab() {
  const { tenant } = useTenant();
  const { data, failure, reload } = useLoaded(SettingsQuery, () => ({ tenant: tenant.id }), tenant.id);
  return (
    <Answered what="the settings" answer={data?.tenant} failure={failure} retry={reload}>
      {(settings) => <SettingsForm settings={settings} />}
    </Answered>
  );
}

const FAIL_MODES = [
  { value: 'ALLOW', label: 'Allow: the sender goes on' },
  { value: 'DEGRADE', label: 'Degrade: quick rules decide' },
  { value: 'BLOCK', label: 'Block' },
] as const;

/** An empty field stands for null. */
const numberOf = (text: string) => (text.trim() === '' ? null : Number(text));
const textOf = (number: number | null) => (number === null ? '' : String(number));

type Values = Pick<Settings, 'name' | 'onFailure' | 'deadlineMs' | 'retentionDays'>;

/** What differs of `input`; undefined where nothing does. */
function changedIn(input: Values, stored: Values): Partial<Values> | undefined {
  const changed: Partial<Values> = {};
  if (input.name !== stored.name) changed.name = input.name;
  if (input.onFailure !== stored.onFailure) changed.onFailure = input.onFailure;
  if (input.deadlineMs !== stored.deadlineMs) changed.deadlineMs = input.deadlineMs;
  if (input.retentionDays !== stored.retentionDays) changed.retentionDays = input.retentionDays;
  return Object.keys(changed).length === 0 ? undefined : changed;
}

const days = (n: number) => (n === 1 ? '1 day' : `${n} days`);

function SettingsForm({ settings }: { settings: Settings }) {
  const { tenant } = useTenant();
  const lock = useLock('settings', 'changing its settings');
  const { run, isRunning, failure, clear } = useChange(ChangeMutation, (data) => data.changeTenantSettings);
  const [name, setName] = useState(settings.name);
  const [onFailure, setOnFailure] = useState(settings.onFailure);
  const [deadline, setDeadline] = useState(textOf(settings.deadlineMs));
  const [retention, setRetention] = useState(textOf(settings.retentionDays));
  const [stored, setStored] = useState<Values>(settings);
  const [isSaved, setSaved] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { deadlineMs, retentionDays } = settings.settingBounds;
  const newDays = numberOf(retention) ?? retentionDays;
  const oldDays = stored.retentionDays ?? retentionDays;
  const save = async () => {
    const input = { name, onFailure, deadlineMs: numberOf(deadline), retentionDays: numberOf(retention) };
    // What was not changed here may have been changed elsewhere meanwhile, and stays.
    const changed = changedIn(input, stored);
    const isDone = changed === undefined || (await run({ input: { tenantId: tenant.id, ...changed } })) !== undefined;
    if (!isDone) return;
    setStored(input);
    setAsking(false);
    setSaved(true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSaved(false);
    clear();
    if (newDays < oldDays) setAsking(true);
    else void save();
  };
  const isDisabled = lock !== undefined;
  return (
    <>
      <Locked reason={lock} />
      <form className="form" onSubmit={submit}>
        <TextField label="Name" value={name} onChange={setName} isDisabled={isDisabled} />
        <div className="form-line">
          <label htmlFor="on-failure">When no decision is reached in time</label>
          <select
            id="on-failure"
            value={onFailure}
            disabled={isDisabled}
            onChange={({ target }) => setOnFailure(target.value as Settings['onFailure'])}
          >
            {FAIL_MODES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <TextField
          label="Deadline in milliseconds"
          type="number"
          value={deadline}
          onChange={setDeadline}
          isOptional
          isDisabled={isDisabled}
          min={50}
          max={deadlineMs}
          hint={`From 50 to ${deadlineMs}. Empty: ${deadlineMs}, as for the whole service.`}
        />
        <TextField
          label="Days that events are kept"
          type="number"
          value={retention}
          onChange={setRetention}
          isOptional
          isDisabled={isDisabled}
          min={1}
          max={retentionDays}
          hint={`From 1 to ${retentionDays}. Empty: ${retentionDays}, as for the whole service. Older ones are removed for good.`}
        />
        <Refused failure={isAsking ? undefined : failure} />
        {lock === undefined && (
          <div className="actions">
            <button type="submit" className="primary" disabled={isRunning}>
              Save
            </button>
            <span role="status">{isSaved ? 'Saved.' : ''}</span>
          </div>
        )}
      </form>
      {isAsking && (
        <Confirm
          title={`Keep events for ${days(newDays)} only?`}
          action="Remove older ones"
          isRunning={isRunning}
          failure={failure}
          onConfirm={() => void save()}
          onClose={() => {
            setAsking(false);
            clear();
          }}
        >
          <p>
            They are kept for {days(oldDays)} now. What is older than {days(newDays)} is removed from now on: events,
            decisions with their reasons, findings with what was judged of them, sessions, and what was counted. Nothing
            brings it back.
          </p>
        </Confirm>
      )}
    </>
  );
}
