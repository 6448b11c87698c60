import { type TokenFormat, token, tokenLike } from './token-format.ts';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

/** Platforms on which teams build, plan and serve: data stores, documents, on-call, design, recruitment. */
export const PLATFORM_FORMATS: readonly TokenFormat[] = [
  token('atlassian_server_token', 'an Atlassian Data Center token', 'BBDC-', '[A-Za-z0-9+/]{44}', {
    check: mixed,
    entropyBitsMin: 3.6,
  }),
  token('atlassian_token', 'an Atlassian scoped token', 'ATSTT3', '[\\w=-]{100,300}'),
  token('deno_token', 'a Deno Deploy token', 'ddp_|ddo_', '[A-Za-z0-9]{36}', { check: mixed }),
  token('portainer_token', 'a Portainer token', 'ptr_', '[A-Za-z0-9+/]{43}=', { check: mixed }),
  token('cursor_key', 'a Cursor key', 'crsr_', '[a-f0-9]{64}'),
  token('elastic_cloud_key', 'an Elastic Cloud key', 'essu_', '[A-Za-z0-9+/_-]{60,120}={0,2}', { check: mixed }),
  token('rootly_key', 'a Rootly key', 'rootly_', '[a-f0-9]{64}'),
  token('dnsimple_token', 'a DNSimple token', 'dnsimple_a_|dnsimple_u_', '[A-Za-z0-9]{32}', { check: mixed }),
  token('upcloud_token', 'an UpCloud token', 'ucat_', '[A-Z0-9]{26}'),
  token('adobe_secret', 'an Adobe client secret', 'p8e-|p8-', '[A-Za-z0-9_-]{32}(?![\\w-])', {
    check: (value) => /\d/.test(value),
    entropyBitsMin: 3.4,
  }),
  token('akamai_token', 'an Akamai token', 'akab-', '[a-z0-9]{16}-[a-z0-9]{16}', {
    check: (value) => /\d/.test(value),
  }),
  token('canva_secret', 'a Canva client secret', 'cnvca', '[\\w-]{40,64}(?![\\w-])', { check: mixed }),
  token('onfido_token', 'an Onfido token', 'api_live.|api_live_us.|api_live_ca.', '[\\w-]{8,24}\\.[\\w-]{24,48}', {
    check: mixed,
  }),
  token('open_vsx_token', 'an Open VSX token', 'ovsxat_', UUID),
  token('persona_key', 'a Persona key', 'persona_production_|persona_sandbox_', UUID),
  token('valtown_token', 'a Val Town token', 'vtwn_', '[A-Za-z0-9]{26,32}', { check: mixed }),
  tokenLike('deepl_key', 'a DeepL key', [':fx'], `${UUID}:fx(?!\\w)`, {
    lead: { chars: /[0-9a-f-]/i, charsMax: 36 },
  }),
  token('okta_token', 'an Okta token', 'SSWS ', '00[\\w-]{40}(?![\\w-])', { check: mixed }),
  token('runpod_key', 'a RunPod key', 'rpa_', '[A-Z0-9]{36,48}', { check: (value) => /\d/.test(value.slice(4)) }),
  token('llamacloud_key', 'a LlamaCloud key', 'llx-', '[A-Za-z0-9]{40,56}', { check: mixed }),
  token('xata_key', 'a Xata key', 'xau_', '[A-Za-z0-9]{32,44}', { check: mixed }),
  token('permit_key', 'a Permit key', 'permit_key_', '[A-Za-z0-9]{60,100}', { check: mixed }),
  token('linkedin_secret', 'a LinkedIn client secret', 'WPL_AP1.', '[A-Za-z0-9]{16}\\.[A-Za-z0-9+/]{6,8}={0,2}'),
  token('telnyx_key', 'a Telnyx key', 'KEY0', '[0-9A-F]{31}_[\\w-]{22}', { check: mixed }),
  token('tinybird_token', 'a Tinybird token', 'p.eyJ', '[\\w-]{40,300}\\.[\\w-]{20,60}'),
  token(
    'paseto',
    'a PASETO token',
    'v1.local.|v2.local.|v3.local.|v4.local.|v2.public.|v4.public.',
    '[\\w-]{60,4000}',
    {
      check: mixed,
    },
  ),
];

/** Capitals, small letters and digits: what a name seldom has together. */
function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}
