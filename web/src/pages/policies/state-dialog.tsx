import { useChange } from '../../api/use-change.ts';
import { useTenant } from '../../api/viewer.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ChangedFiles } from './changed-files.tsx';
import { ActivatePolicySet, ShadowPolicySet } from './queries.ts';

/** Something that changes which version counts. */
export interface StateChange {
  kind: 'activate' | 'shadow';
  /** Null: the installation's policies; none. */
  version: number | null;
}

interface Props {
  change: StateChange;
  onClose: () => void;
  onChanged: () => void;
}

/** Asks before what counts is changed, and changes it. */
export function StateDialog({ change: { kind, version }, onClose, onChanged }: Props) {
  const { tenant } = useTenant();
  const activate = useChange(ActivatePolicySet, ({ activatePolicySet }) => activatePolicySet);
  const shadow = useChange(ShadowPolicySet, ({ shadowPolicySet }) => shadowPolicySet);
  const { run, isRunning, failure } = kind === 'activate' ? activate : shadow;
  const confirm = async () => {
    const done = await run({ input: { tenantId: tenant.id, version } });
    if (done === undefined) return;
    onChanged();
    onClose();
  };
  const { title, action, text } = WORDS[kind](version);
  return (
    <Confirm
      title={title}
      action={action}
      isRunning={isRunning}
      failure={failure}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{text}</p>
      {kind === 'activate' && <ChangedFiles to={version} onLeave={onClose} />}
    </Confirm>
  );
}

const WORDS = {
  activate: (version: number | null) =>
    version === null
      ? {
          title: 'Back to the installation’s policies?',
          action: 'Use them',
          text: 'They decide about the agents of this tenant within about a second. Saved versions stay.',
        }
      : {
          title: `Activate version ${version}?`,
          action: 'Activate',
          text: 'It decides about the agents of this tenant within about a second. You can go back at any time.',
        },
  shadow: (version: number | null) =>
    version === null
      ? {
          title: 'Stop trying a version?',
          action: 'Stop',
          text: 'What decides stays as it is. Decisions no longer tell what the version would have done.',
        }
      : {
          title: `Try version ${version}?`,
          action: 'Try it',
          text: 'Decisions tell what it would have done. It changes nothing for the agents.',
        },
};
