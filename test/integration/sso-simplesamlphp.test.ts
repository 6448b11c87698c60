import t from 'tap';
import { providerLogoutUrl } from '../../src/platform/sso-routes.ts';
import { hasSimpleSamlPhp, startSimpleSamlPhp } from '../support/simplesamlphp.ts';
import { BASE_URL, openSsoSetting } from '../support/sso.ts';

/** SAML with SimpleSAMLphp, which many universities and companies run: a real identity provider over real sockets. */

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

if (!hasSimpleSamlPhp()) {
  t.test('SimpleSAMLphp', { skip: 'the Debian packages simplesamlphp and php-cli are not here' }, async () => {});
} else {
  const setting = await openSsoSetting(t);
  const { begun, browser, connect, sql } = setting;
  const idp = await startSimpleSamlPhp(t);

  for (const encrypts of [false, true]) {
    const name = encrypts ? 'signed and encrypted' : 'signed';
    t.test(`a person signs in at SimpleSAMLphp and out again, here and there: ${name}`, async (t) => {
      const saml = await connect(
        'saml',
        {
          metadata: idp.metadata,
          passwordBased: false,
          signRequests: true,
          nameIdFormat: PERSISTENT,
          wantEncrypted: encrypts,
          mapping: {
            email: 'mail',
            name: 'displayName',
            roles: { claim: 'groups', table: [{ value: 'security', role: 'analyst' }] },
            defaultRole: 'viewer',
          },
        },
        `SimpleSAMLphp, ${name}`,
      );
      const person = browser();
      const metadata = (await person.visit(`${saml.own}/metadata`)).body;
      const certificate = /<(?:\w+:)?X509Certificate>([^<]+)</.exec(metadata)?.[1]?.replaceAll(/\s/g, '');
      idp.know({
        entityId: /entityID="([^"]+)"/.exec(metadata)?.[1] as string,
        acsUrl: `${saml.own}/acs`,
        sloUrl: `${saml.own}/slo`,
        certificate: certificate ?? '',
        encrypts,
      });
      const { location } = await person.visit(`${saml.own}/start?return_to=/sessions`);
      const posted = await idp.signIn(person, location as string, { user: 'ann', password: 'correct horse' });
      t.equal(posted.action, `${saml.own}/acs`);
      const response = Buffer.from(posted.fields.get('SAMLResponse') as string, 'base64').toString();
      t.equal(response.includes('EncryptedAssertion'), encrypts);

      const visit = await person.visit(posted.action, { form: Object.fromEntries(posted.fields) });
      t.match(visit, { status: 303, location: '/sessions' }, visit.body);
      const session = begun.at(-1);
      const [member] = await sql`
        select u.email, u.name, u.signs_in_by_email, m.roles from users u join memberships m on m.user_id = u.id
        where u.id = ${session?.userId ?? ''}`;
      t.same(
        { ...member },
        { email: 'ann@idp.example', name: 'Ann Ample', signs_in_by_email: false, roles: ['analyst'] },
      );

      const again = await person.visit(posted.action, { form: Object.fromEntries(posted.fields) });
      t.equal(again.status, 400, 'the same answer a second time');

      const logout = await providerLogoutUrl(setting.options, {
        connectionId: session?.connectionId as string,
        providerSession: session?.providerSession as string,
      });
      t.match(logout, /\/saml2\/idp\/SingleLogoutService\.php\?/);
      const home = await person.follow(logout as string, (url) => url.pathname.endsWith('/slo'));
      t.match(home.location, `${saml.own}/slo?SAMLResponse=`, 'it takes our signed request, and sends them home');
      const asked = `${idp.entityId.replace('metadata.php', 'SSOService.php')}${new URL(location as string).search}`;
      t.match((await person.follow(asked)).body, /name="password"/, 'and asks again who it is');

      const back = await person.visit(`${saml.own}/start?return_to=/sessions`);
      const signedIn = await idp.signIn(person, back.location as string, { user: 'ann', password: 'correct horse' });
      await person.visit(signedIn.action, { form: Object.fromEntries(signedIn.fields) });
      t.ok(await setting.sessions.look(person.cookie('session')));
      const start = `${idp.entityId.replace('metadata.php', 'initSLO.php')}?RelayState=${encodeURIComponent(BASE_URL)}`;
      const over = await person.follow(start, (url) => url.href === `${BASE_URL}/`);
      t.equal(over.location, `${BASE_URL}/`, 'it ends its session, takes our answer, and goes on');
      t.notOk(await setting.sessions.look(person.cookie('session')), 'ours is over with it');
    });
  }
}
