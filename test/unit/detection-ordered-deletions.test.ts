import t from 'tap';
import { unlimited } from '../../src/detection/budget.ts';
import { Allowance } from '../../src/detection/cuts.ts';
import { targetsOf } from '../../src/detection/detectors/actions/control-programs.ts';
import { eventFacts } from '../../src/detection/facts/event-facts.ts';
import type { ShellCommand } from '../../src/detection/facts/shell.ts';
import { applyFlowEffects } from '../../src/detection/flow/fold-memory.ts';
import { type FlowMemory, NO_FLOW } from '../../src/detection/flow/memory.ts';
import { areOrderedIn } from '../../src/detection/flow/named-files.ts';
import { deletionsSaid } from '../../src/detection/flow/ordered-deletions.ts';
import { noteAgentMessage, noteUserMessage } from '../../src/detection/flow/remember.ts';
import { FULL_LIMITS } from '../../src/detection/limits.ts';
import { bash } from '../support/events.ts';
import { cpuMsOf } from '../support/timing.ts';

const KEY = Buffer.from('0123456789abcdef0123456789abcdef');

const ordered = (text: string): readonly string[] => deletionsSaid(text).ordered;

const after = (memory: FlowMemory, ...messages: string[]): FlowMemory =>
  messages.reduce((held, text) => applyFlowEffects(held, noteUserMessage(text, [], KEY)), memory);

const isOrdered = ({ userFiles }: FlowMemory, ...targets: string[]): boolean =>
  userFiles !== undefined && areOrderedIn(userFiles, targets, KEY);

t.test('things that a message orders deleted', async (t) => {
  const messages: [string, ...string[]][] = [
    ['empty and remove the bucket acme-etl-2023, nobody needs it', 'acme-etl-2023'],
    ['drain node ip-10-4-2-19 and delete node ip-10-4-2-19', 'ip-10-4-2-19'],
    ['Delete "acme/old-site" and the repo newsletter please.', 'acme/old-site', 'newsletter'],
    ['please drop the reporting database', 'reporting'],
    ['lösche den bucket alte-logs', 'alte-logs'],
    ['delete the bucket s3://alpha-1/', 'alpha-1'],
  ];
  for (const [text, ...names] of messages) t.strictSame([...ordered(text)], names, text);
});

t.test('what is only spoken of, asked, written, kept or taken out of a text is not ordered deleted', async (t) => {
  for (const text of [
    'how big is the bucket acme-etl-2023?',
    'should I delete the bucket acme-etl-2023?',
    'write a script to delete the bucket acme-etl-2023',
    'what happens when we delete bucket acme-etl-2023',
    'do not delete the bucket acme-etl-2023',
    'delete everything except bucket acme-etl-2023',
    'remove the bucket acme-etl-2023 from the terraform config',
    'delete the comments about acme-etl-2023',
    'remove old objects from acme-etl-2023',
    'check acme-etl-2023 and clean up',
    'delete the old one',
  ])
    t.strictSame([...ordered(text)], [], text);
});

t.test('what was ordered is known by its name, in the form of the command', async (t) => {
  const memory = after(NO_FLOW, 'Remove the bucket acme-etl-2023. Then delete the repository acme/old-site.');
  t.ok(isOrdered(memory, 's3://acme-etl-2023'));
  t.ok(isOrdered(memory, 'acme/old-site'));
  t.ok(isOrdered(memory, 's3://acme-etl-2023', 'acme/old-site'));
  t.notOk(isOrdered(memory, 's3://acme-etl-2024'));
  t.notOk(isOrdered(memory, 's3://acme-etl-2023', 'prod'), 'one that nobody ordered');
  t.notOk(isOrdered(memory), 'nothing that is named');
  t.notOk(isOrdered(after(memory, 'No wait, do not touch acme-etl-2023'), 's3://acme-etl-2023'), 'taken back');
  t.notOk(isOrdered(after(NO_FLOW, 'the data is in acme-etl-2023'), 's3://acme-etl-2023'));
  const offered = applyFlowEffects(NO_FLOW, noteAgentMessage('Shall I delete the bucket acme-etl-2023?', KEY));
  t.notOk(isOrdered(after(offered, 'yes'), 's3://acme-etl-2023'), 'a yes orders nothing deleted');
});

t.test('what a command deletes is what stands behind its verb', async (t) => {
  const targets = (command: string): readonly string[] | undefined => {
    const facts = eventFacts(bash(command), FULL_LIMITS, new Allowance(unlimited));
    return targetsOf(facts.shell.commands[0] as ShellCommand);
  };
  t.strictSame(targets('aws s3 rb s3://old-logs --force --region eu-west-1'), ['s3://old-logs']);
  t.strictSame(targets('kubectl delete node ip-10-4-2-19'), ['ip-10-4-2-19']);
  t.strictSame(targets('az group delete --name rg-a --yes'), ['rg-a']);
  t.strictSame(targets('gcloud sql instances delete --project=p db-1'), ['db-1']);
  t.strictSame(targets('dropdb shop'), ['shop']);
  t.strictSame(targets('gh repo delete acme/site --yes'), ['acme/site']);
  t.equal(targets('aws s3 rb "s3://$BUCKET" --force'), undefined, 'only known when it runs');
  t.equal(targets('kubectl delete pvc --all'), undefined);
  t.equal(targets('terraform destroy -auto-approve'), undefined);
});

t.test('long messages take time in proportion', async (t) => {
  for (const text of ['delete bucket a-1 '.repeat(50_000), 'delete '.repeat(50_000), 'a-'.repeat(100_000)])
    t.ok(cpuMsOf(() => deletionsSaid(text)) < 200);
});
