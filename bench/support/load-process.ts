import { RawConnection } from '../../test/support/raw-connection.ts';
import { eventBody } from './event-template.ts';
import { type LoadJob, type PacedResult, requestHead, type SaturatingLoad } from './load.ts';
import { runPaced } from './paced-sender.ts';
import { count, Tally } from './tally.ts';

/** Entry of the load generator's own process: takes one job from its parent, answers one result. */

async function runSaturating(load: SaturatingLoad): Promise<PacedResult> {
  const head = requestHead(load);
  const tally = new Tally();
  const endAt = performance.now() + load.seconds * 1000;
  let serial = load.firstSerial;
  const drive = (connection: RawConnection) =>
    new Promise<void>((resolve) => {
      const next = () => {
        const sentAt = performance.now();
        if (sentAt >= endAt) return resolve();
        const body = eventBody(load.templates, serial++);
        connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, (answer) => {
          count(tally.statuses, answer === 'broken' ? answer : answer.status);
          tally.latencies.record((performance.now() - sentAt) * 1000);
          next();
        });
      };
      next();
    });
  await Promise.all(Array.from({ length: load.connections }, () => drive(new RawConnection(load.url))));
  return tally.result();
}

async function serve(job: LoadJob): Promise<void> {
  const result = 'paced' in job ? await runPaced(job.paced) : await runSaturating(job.saturating);
  process.send?.(result, () => process.exit());
}

process.once('message', (job: LoadJob) => void serve(job));
