import t from 'tap';
import { Browser } from '../support/browser.ts';
import { linkIn, startMailbox } from '../support/mailbox.ts';
import { startService } from '../support/service.ts';

/** People and a whole service, from its first start. */

const LOGIN = '/api/v1/auth/login';
const LINK = '/api/v1/auth/magic-link';
const SESSION = '/api/v1/auth/session';

const linkOf = (output: string) => /http\S+magic-link\?token=[\w-]+\S*/.exec(output)?.[0];
const tokenOf = (link: string | undefined) => new URL(link as string).searchParams.get('token') as string;

t.test('the first owner signs in by the printed link, and from then on by mail', async (t) => {
  const mailbox = await startMailbox(t);
  const service = await startService({ env: { GATEHOUSE_SMTP_URL: mailbox.url, GATEHOUSE_LOG_LEVEL: 'info' } });
  t.teardown(() => service.dispose());
  const printed = linkOf(service.output);
  t.ok(printed?.startsWith(`${service.url}${LINK}?`), 'the banner has the link, at the address where it listens');
  const own = new Browser(() => service.url);
  const fields = { token: tokenOf(printed), name: 'Olive', email: 'olive@example.com' };
  t.equal((await own.postForm(LINK, fields)).status, 303);
  const session = JSON.parse((await own.get(SESSION)).body);
  t.match(session, { email: 'olive@example.com', name: 'Olive' });
  t.same(session.tenants[session.tenantIds[0]], { roles: ['owner'] });

  const before = own.cookies.get('session');
  await own.postForm(LOGIN, { email: 'olive@example.com' });
  const link = linkIn(await mailbox.take('olive@example.com'));
  t.equal((await own.postForm(LINK, { token: tokenOf(link.href) })).status, 303);
  t.not(own.cookies.get('session'), before);
  await own.postForm(LOGIN, { email: 'nobody@example.com' });

  await t.test('the command line lets in whoever is locked out', async (t) => {
    const byOperator = linkOf(await service.gatehouse('sign-in-link', '--email', 'olive@example.com'));
    const other = new Browser(() => service.url);
    t.equal((await other.postForm(LINK, { token: tokenOf(byOperator) })).status, 303);
    t.equal(JSON.parse((await other.get(SESSION)).body).userId, session.userId);
    const words = ['--email', 'new@example.com', '--tenant', 'demo', '--role', 'viewer'];
    t.ok(linkOf(await service.gatehouse('sign-in-link', ...words)));
    await t.rejects(service.gatehouse('sign-in-link', '--email', 'who@example.com'), /name a --tenant/);
    t.ok(
      linkOf(await service.gatehouse('sign-in-link', '--email', 'new@example.com', '--enable')),
      'nothing to enable',
    );
    await t.rejects(service.gatehouse('sign-in-link', '--email', 'x'), /must be an e-mail address/);
    await t.rejects(service.gatehouse('sign-in-link', '--email', 'a@b.c', '--tenant', 'no'), /no tenant no/);
    await t.rejects(service.gatehouse('sign-in-link', '--email', 'a@b.c', '--role', 'boss'), /--role must be one of/);
  });

  const output = service.output.replace(printed as string, '');
  t.match(output, 'unknown e-mail address');
  t.notMatch(output, /(olive|nobody|new)@example\.com|token=/, 'no address and no link is logged');
  await service.stop();
  await service.start();
  t.equal(linkOf(service.output), undefined, 'a later start has no link for a first owner');
  const again = new Browser(() => service.url);
  again.cookies.set('session', own.cookies.get('session') as string);
  t.equal((await again.get(SESSION)).status, 200, 'sessions outlive the process');
});

t.test('without a mail server, links are shown to the operator', async (t) => {
  const service = await startService({ env: { GATEHOUSE_LOG_LEVEL: 'error' } });
  t.teardown(() => service.dispose());
  await service.gatehouse('sign-in-link', '--email', 'ann@example.com', '--tenant', 'demo');
  const before = service.output.length;
  const own = new Browser(() => service.url);
  await own.postForm(LOGIN, { email: 'ann@example.com' });
  for (let i = 0; i < 200 && linkOf(service.output.slice(before)) === undefined; i++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const shown = service.output.slice(before);
  t.match(shown, 'Hand this on to ann@example.com');
  t.equal((await own.postForm(LINK, { token: tokenOf(linkOf(shown)) })).status, 303);
});

t.test('the operator makes organizations, and puts tenants into them', async (t) => {
  const service = await startService({ env: { GATEHOUSE_LOG_LEVEL: 'error' } });
  t.teardown(() => service.dispose());
  await service.gatehouse('organizations', 'add', 'Acme Corp');
  await service.gatehouse('tenants', 'set', 'demo', '--organization', 'Acme Corp');
  t.match(await service.gatehouse('organizations', 'list'), /^"Acme Corp"\tdemo$/m);
  await t.rejects(service.gatehouse('organizations', 'add', 'Acme Corp'), /already/);
  await t.rejects(service.gatehouse('organizations', 'add', ' x'), /printable/);
  await t.rejects(service.gatehouse('tenants', 'set', 'demo', '--organization', 'Nobody'), /no organization/);
  t.match(await service.gatehouse('audit', 'list', '--tenant', 'demo'), /tenant\.changed.*Acme Corp/);
});
