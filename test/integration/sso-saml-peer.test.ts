import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { ENTITY, idpMetadata, makeIdpKeys, readRequest, SLO_URL, SSO_URL } from '../support/saml-provider.ts';
import { openSsoSetting } from '../support/sso.ts';

/** SAML with an identity provider of somebody else's making: it reads our metadata and requests, we read its answers. */

const setting = await openSsoSetting(t);
const { begun, browser, connect, sql } = setting;
const keys = makeIdpKeys();
/** As far as it is used here: its own types bring those of a browser along, which would change what others see. */
interface Samlify {
  IdentityProvider: (settings: object) => {
    parseLoginRequest(sp: object, binding: string, request: object): Promise<{ extract: { request: { id: string } } }>;
    createLoginResponse(
      sp: object,
      request: object,
      binding: string,
      user: object,
      options: {
        encryptThenSign: boolean;
        customTagReplacement: (template: string) => { id: string; context: string };
      },
    ): Promise<{ context: string }>;
    createLogoutRequest(
      sp: object,
      binding: string,
      user: { logoutNameID: string; sessionIndex: string },
      relayState: string,
    ): { id: string; context: string; entityEndpoint?: string };
    parseLogoutResponse(
      sp: object,
      binding: string,
      request: object,
    ): Promise<{ extract: { response: { inResponseTo: string } } }>;
  };
  ServiceProvider: (settings: { metadata: string; wantLogoutRequestSigned: boolean }) => {
    entityMeta: { getEntityID(): string };
  };
  SamlLib: {
    defaultLoginResponseTemplate: { context: string };
    replaceTagsByValue(template: string, values: Record<string, string>): string;
  };
  Constants: { algorithms: { encryption: { data: Record<string, string>; key: Record<string, string> } } };
  setSchemaValidator: (validator: object) => void;
}
const { Constants, IdentityProvider, SamlLib, ServiceProvider, setSchemaValidator } = createRequire(import.meta.url)(
  'samlify',
) as Samlify;
setSchemaValidator({ validate: async () => 'not checked here' });

const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const AUTHN =
  '<saml:AuthnStatement AuthnInstant="{IssueInstant}" SessionIndex="_s1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>';

function provider(encrypts: boolean) {
  const { context } = SamlLib.defaultLoginResponseTemplate;
  return IdentityProvider({
    entityID: ENTITY,
    privateKey: keys.privateKey,
    signingCert: keys.certificate,
    isAssertionEncrypted: encrypts,
    wantAuthnRequestsSigned: true,
    wantLogoutResponseSigned: true,
    requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    dataEncryptionAlgorithm: Constants.algorithms.encryption.data['AES_256'],
    keyEncryptionAlgorithm: Constants.algorithms.encryption.key['RSA_OAEP_MGF1P'],
    nameIDFormat: [EMAIL],
    singleSignOnService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SSO_URL }],
    singleLogoutService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: SLO_URL }],
    loginResponseTemplate: {
      context: context.replace('{AuthnStatement}', AUTHN),
      attributes: [{ name: 'email', valueTag: 'user.email', nameFormat: 'basic', valueXsiType: 'xs:string' }],
    },
  });
}

for (const encrypts of [false, true]) {
  const name = encrypts ? 'signed and encrypted' : 'signed';
  t.test(`a whole sign-in at samlify: metadata exchanged, request signed, answer ${name}`, async (t) => {
    const saml = await connect('saml', {
      metadata: idpMetadata([keys.certificate]),
      passwordBased: false,
      signRequests: true,
      nameIdFormat: EMAIL,
      wantEncrypted: encrypts,
      mapping: { defaultRole: 'viewer' },
    });
    const person = browser();
    const metadata = (await person.visit(`${saml.own}/metadata`)).body;
    const us = ServiceProvider({ metadata, wantLogoutRequestSigned: true });
    const idp = provider(encrypts);
    const sent = new URL((await person.visit(`${saml.own}/start?return_to=/here`)).location ?? '');
    const asked = readRequest(sent.href);
    const { extract } = await idp.parseLoginRequest(us, 'redirect', {
      query: Object.fromEntries(sent.searchParams),
      octetString: sent.search.slice(1).replace(/&Signature=.*$/, ''),
    });
    t.equal(extract.request.id, asked.id, 'it accepts our signature');
    const answer = await idp.createLoginResponse(
      us,
      { extract },
      'post',
      { email: 'eve@acme.example' },
      {
        encryptThenSign: true,
        customTagReplacement: (template: string) => {
          const id = `_${randomBytes(16).toString('hex')}`;
          const values = {
            ID: id,
            AssertionID: `${id}a`,
            Destination: asked.acsUrl,
            Audience: us.entityMeta.getEntityID(),
            SubjectRecipient: asked.acsUrl,
            Issuer: ENTITY,
            IssueInstant: at(0),
            StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
            ConditionsNotBefore: at(-10),
            ConditionsNotOnOrAfter: at(300),
            SubjectConfirmationDataNotOnOrAfter: at(300),
            AssertionConsumerServiceURL: asked.acsUrl,
            EntityID: us.entityMeta.getEntityID(),
            InResponseTo: asked.id,
            NameIDFormat: EMAIL,
            NameID: 'eve@acme.example',
            attrUserEmail: 'eve@acme.example',
          };
          return { id, context: SamlLib.replaceTagsByValue(template, values) };
        },
      },
    );
    const visit = await person.visit(asked.acsUrl, {
      form: { SAMLResponse: answer.context, RelayState: asked.relayState },
    });
    t.match(visit, { status: 303, location: '/here' }, visit.body);
    const [user] = await sql`select email from users where id = ${begun.at(-1)?.userId ?? ''}`;
    t.equal(user?.['email'], 'eve@acme.example');
    t.ok(await setting.sessions.look(person.cookie('session')));
    const whose = { logoutNameID: 'eve@acme.example', sessionIndex: '_s1' };
    const request = idp.createLogoutRequest(us, 'post', whose, 'there');
    const form = { SAMLRequest: request.context, RelayState: 'there' };
    const over = new URL((await browser().visit(request.entityEndpoint ?? '', { form })).location ?? '');
    const parsed = await idp.parseLogoutResponse(us, 'redirect', {
      query: Object.fromEntries(over.searchParams),
      octetString: over.search.slice(1).replace(/&Signature=.*$/, ''),
    });
    t.equal(parsed.extract.response.inResponseTo, request.id, 'it accepts our answer to its logout');
    t.notOk(await setting.sessions.look(person.cookie('session')));
    t.match(readFileSync(join(setting.dataDir, 'keys', 'saml'), 'utf8'), /BEGIN PRIVATE KEY/);
  });
}
