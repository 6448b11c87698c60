import { type TokenFormat, token, tokenLike } from './token-format.ts';

const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}';

const critical = { severity: 'critical' } as const;

/** Clouds, hosting and what runs on them: formats as their vendors document them. */
export const CLOUD_FORMATS: readonly TokenFormat[] = [
  token('aws_access_key', 'an AWS access key id', 'AKIA|ABIA|ACCA|A3T', '[A-Z0-9]{16}', {
    severity: 'high',
    check: (key) => /^A3T[A-Z0-9]{17}$|^A[BCK][CI]A[A-Z0-9]{16}$/.test(key) && /\d/.test(key),
    entropyBitsMin: 2.9,
  }),
  token('aws_temporary_key', 'a temporary AWS access key id', 'ASIA', '[A-Z0-9]{16}', {
    severity: 'medium',
    check: (key) => /\d/.test(key),
    entropyBitsMin: 2.9,
  }),
  token(
    'aws_secret_key',
    'an AWS secret access key',
    'AKIA|ASIA',
    '[A-Z0-9]{16}(?:[^A-Za-z0-9+/\\n]{1,12}|[^A-Za-z0-9+/]{0,8}(?:aws_?)?secret[a-z_ ]{0,16}[^A-Za-z0-9+/]{1,8})([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])',
    { severity: 'critical', check: mixed, entropyBitsMin: 4 },
  ),
  token(
    'aws_session_token',
    'an AWS session token',
    'IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz',
    '[A-Za-z0-9+/=]{80,2000}',
  ),
  token('aws_bedrock_key', 'an AWS Bedrock key', 'ABSK', '[A-Za-z0-9+/]{109,269}={0,2}', {
    check: (key) => key.startsWith('ABSKQmVkcm9ja0FQSUtle'),
  }),
  token(
    'aws_bedrock_key',
    'a short-lived AWS Bedrock key',
    'bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t',
    '[A-Za-z0-9+/=]{40,4000}',
  ),
  token('aws_marketplace_token', 'an Amazon marketplace token', 'amzn.mws.', UUID),
  token('aws_appsync_key', 'an AWS AppSync key', 'da2-', '[a-z0-9]{26}'),
  token('amazon_login_secret', 'an Amazon login client secret', 'amzn1.oa2-cs.v1.', '[0-9a-f]{64}'),
  tokenLike('amazon_login_token', 'an Amazon login token', ['Atzr|', 'Atza|'], 'Atz[ra]\\|IwEB[\\w-]{40,1200}'),
  token('google_api_key', 'a Google API key', 'AIza', '[\\w-]{35}(?![\\w-])', {
    severity: 'medium',
    entropyBitsMin: 3.9,
  }),
  token('google_api_key', 'a Google API key', 'AQ.Ab', '[\\w-]{46,60}', { confidence: 0.8, entropyBitsMin: 4 }),
  token('google_oauth_token', 'a Google OAuth access token', 'ya29.', '[\\w-]{20,2000}', { check: mixed }),
  token('google_oauth_secret', 'a Google OAuth client secret', 'GOCSPX-', '[\\w-]{28}'),
  token('google_refresh_token', 'a Google OAuth refresh token', '1//0', '[\\w-]{38,120}', {
    check: mixed,
    confidence: 0.85,
  }),
  token('google_hmac_key', 'a Google storage HMAC key id', 'GOOG1E', '[A-Z0-9]{55}'),
  token(
    'google_cloud_key',
    'a Google service-account key id',
    '"private_key_id"',
    '\\s{0,4}:\\s{0,4}"([0-9a-f]{40})"',
    {
      severity: 'medium',
    },
  ),
  tokenLike(
    'azure_client_secret',
    'a Microsoft Entra client secret',
    ['Q~'],
    '(?:[\\w~.-]{3}\\dQ~[\\w~.-]{31,34})(?![\\w~-])',
    {
      lead: { chars: /[\w~.-]/, charsMax: 4 },
      check: mixed,
      entropyBitsMin: 3.6,
    },
  ),
  tokenLike(
    'azure_devops_token',
    'an Azure DevOps token',
    ['JQQJ99'],
    '[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{18}AZDO[A-Za-z0-9]{4}(?!\\w)',
    {
      lead: { chars: /[A-Za-z0-9]/, charsMax: 52 },
    },
  ),
  tokenLike('azure_devops_token', 'an Azure DevOps token', ['AZDO'], '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\\w)', {
    lead: { chars: /[A-Za-z0-9]/, charsMax: 76 },
    check: mixed,
    entropyBitsMin: 4,
  }),
  tokenLike(
    'azure_service_key',
    'an Azure service key',
    ['JQQJ99'],
    '[A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{12}(?:AC[A-Z0-9]{2}|[A-Z0-9]{4})[A-Za-z0-9]{10}(?!\\w)',
    {
      lead: { chars: /[A-Za-z0-9]/, charsMax: 52 },
      confidence: 0.9,
    },
  ),
  tokenLike(
    'azure_storage_key',
    'an Azure account key',
    ['+ASt', 'ACDb', '+AMC'],
    '[A-Za-z0-9+/]{76}(?:\\+ASt|ACDb|\\+AMC)[A-Za-z0-9+/]{4,6}={2}',
    { lead: { chars: /[A-Za-z0-9+/]/, charsMax: 76 }, severity: 'critical' },
  ),
  tokenLike(
    'azure_shared_key',
    'an Azure shared access key',
    ['+ASb', '+AEh', 'AIoT', 'AzSe', '+ACR', 'AzCa', 'AzFu'],
    '[A-Za-z0-9+/]{30,52}(?:\\+ASb|\\+AEh|AIoT|AzSe[A-D]|\\+ACR|AzCa|AzFu)[A-Za-z0-9+/]{4,12}={0,2}(?![A-Za-z0-9+/])',
    { lead: { chars: /[A-Za-z0-9+/]/, charsMax: 52 }, entropyBitsMin: 4, confidence: 0.8 },
  ),
  token('azure_account_key', 'an Azure account key', 'AccountKey=', '([A-Za-z0-9+/]{60,100}={0,2})', critical),
  token('azure_shared_key', 'an Azure shared access key', 'SharedAccessKey=', '([A-Za-z0-9+/]{30,90}={0,2})', critical),
  token(
    'azure_app_configuration',
    'an Azure App Configuration secret',
    '.azconfig.io;',
    'Id=[^;\\s]{4,60};Secret=([A-Za-z0-9+/]{30,100}={0,2})',
  ),
  tokenLike(
    'azure_sas',
    'an Azure shared access signature',
    ['&sig=', '?sig='],
    '[&?]sig=([A-Za-z0-9%+/]{40,80}(?:%3D|={1,2}))',
    {
      entropyBitsMin: 3.8,
    },
  ),
  token('alibaba_access_key', 'an Alibaba Cloud access key id', 'LTAI', '[A-Za-z0-9]{12,26}', { check: mixed }),
  token('tencent_secret_id', 'a Tencent Cloud secret id', 'AKID', '[A-Za-z0-9]{32}', { check: mixed }),
  token('volcengine_access_key', 'a Volcengine access key id', 'AKLT', '[A-Za-z0-9+/=_-]{40,60}', { check: mixed }),
  token('yandex_api_key', 'a Yandex Cloud API key', 'AQVN', '[\\w-]{35,38}'),
  token('yandex_iam_token', 'a Yandex Cloud IAM token', 't1.', '[A-Z0-9][\\w-]{20,60}[-_=]{0,2}\\.[\\w-]{86}={0,2}'),
  token('yandex_oauth_token', 'a Yandex OAuth token', 'y0_Ag', '[\\w-]{50,60}'),
  token('ibm_cloud_key', 'an IBM Cloud API key', 'ApiKey-', UUID),
  token('scaleway_access_key', 'a Scaleway access key', 'SCW', '[A-Z0-9]{17}', {
    check: (key) => /\d/.test(key),
    confidence: 0.7,
  }),
  token('scalingo_token', 'a Scalingo token', 'tk-us-', '[\\w-]{48}(?![\\w-])'),
  token('exoscale_key', 'an Exoscale API key', 'EXO', '[a-f0-9]{24}', { confidence: 0.9 }),
  token('ovh_token', 'an OVHcloud token', 'eu.ovh.', '[a-zA-Z0-9]{30,60}', { confidence: 0.6 }),
  token('digitalocean_token', 'a DigitalOcean token', 'dop_v1_|doo_v1_|dor_v1_', '[a-f0-9]{64}', critical),
  token('heroku_key', 'a Heroku API key', 'HRKU-', '(?:[\\w-]{60}|[0-9a-f-]{36})(?![\\w-])'),
  token('flyio_token', 'a Fly.io token', 'fo1_', '[\\w-]{43}(?![\\w-])'),
  token('flyio_token', 'a Fly.io token', 'fm1r_|fm1a_|fm2_', '[A-Za-z0-9+/]{60,2000}={0,3}'),
  token('netlify_token', 'a Netlify token', 'nfp_|nfc_|nfo_|nfu_', '[A-Za-z0-9]{36}'),
  token('vercel_token', 'a Vercel token', 'vcp_|vci_|vca_|vcr_|vck_', '[A-Za-z0-9]{24,64}'),
  token('vercel_blob_token', 'a Vercel Blob token', 'vercel_blob_rw_', '[A-Za-z0-9]{16}_[A-Za-z0-9]{30,40}'),
  token('render_key', 'a Render API key', 'rnd_', '[A-Za-z0-9]{28,32}', { check: mixed }),
  token('cloudflare_origin_key', 'a Cloudflare origin CA key', 'v1.0-', '[a-f0-9]{24}-[a-f0-9]{146}'),
  token('cloudflare_token', 'a Cloudflare token', 'cfat_|cfut_|cfk_', '[A-Za-z0-9_-]{40,60}', { confidence: 0.85 }),
  token('supabase_token', 'a Supabase token', 'sbp_|sbp_oauth_|sbp_v0_', '[a-f0-9]{40}'),
  token('supabase_secret_key', 'a Supabase secret key', 'sb_secret_', '[\\w-]{20,48}'),
  token(
    'planetscale_credential',
    'a PlanetScale credential',
    'pscale_tkn_|pscale_pw_|pscale_oauth_',
    '[\\w.=-]{32,64}',
  ),
  token('neon_key', 'a Neon API key', 'napi_', '[a-z0-9]{60,70}'),
  token('aiven_password', 'an Aiven service password', 'AVNS_', '[\\w-]{19}(?![\\w-])'),
  token('aiven_token', 'an Aiven token', 'aivenv1', '[A-Za-z0-9+/=]{60,1000}'),
  token('cockroachdb_key', 'a CockroachDB Cloud key', 'CCDB1_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{40}'),
  token('mongodb_atlas_secret', 'a MongoDB Atlas service-account secret', 'mdb_sa_sk_', '[\\w-]{36,44}'),
  token('clickhouse_key', 'a ClickHouse Cloud key', '4b1d', '[A-Za-z0-9]{38}', { check: mixed, entropyBitsMin: 4 }),
  token('confluent_secret', 'a Confluent Cloud secret', 'cflt', '[A-Za-z0-9+/]{60}', { check: mixed }),
  token('databricks_token', 'a Databricks token', 'dapi', '(?:[a-f0-9]{32}|[A-F0-9]{32})(?:-\\d)?'),
  token('databricks_secret', 'a Databricks OAuth secret', 'dose', '[a-f0-9]{32}'),
  token('snowflake_token', 'a Snowflake token', 'ver:1-hint:', '\\d{4,20}-ETMsD[A-Za-z0-9+/=]{20,400}'),
  token(
    'tailscale_key',
    'a Tailscale key',
    'tskey-',
    '(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{10,32}(?:-[A-Za-z0-9]{20,40})?',
  ),
  token('tigris_key', 'a Tigris storage secret', 'tsec_', '[\\w+/-]{60,80}'),
  token('backblaze_key', 'a Backblaze B2 key', 'K00', '[0-9][A-Za-z0-9/+]{27}', {
    check: mixed,
    confidence: 0.75,
    entropyBitsMin: 3.9,
  }),
  token('openshift_token', 'an OpenShift token', 'sha256~', '[\\w-]{43}(?![\\w-])', { check: mixed }),
  token('rancher_token', 'a Rancher token', 'token-', '[a-z0-9]{5}:[a-z0-9]{54}'),
  token('docker_swarm_token', 'a Docker Swarm join token', 'SWMTKN-1-', '[a-z0-9]{50}-[a-z0-9]{25}'),
  token('docker_swarm_key', 'a Docker Swarm unlock key', 'SWMKEY-1-', '[A-Za-z0-9+/]{43}(?![A-Za-z0-9+/])'),
  token('baidu_key', 'a Baidu Cloud key', 'bce-v3/ALTAK-', '[A-Za-z0-9]{21}/[a-f0-9]{40}'),
  token('ubidots_token', 'an Ubidots token', 'BBFF-|BBUS-', '[A-Za-z0-9]{30}', { check: mixed }),
  token(
    'thingsboard_token',
    'a ThingsBoard device token',
    '/api/v1/',
    '([A-Za-z0-9]{20})/(?:telemetry|attributes|rpc|claim)',
    {
      check: (value) => /\d/.test(value),
      severity: 'medium',
      entropyBitsMin: 3.3,
    },
  ),
  token(
    'truenas_key',
    'a TrueNAS API key',
    'login_with_api_key',
    '["\']?[^0-9]{0,64}?["\'\\s](\\d{1,4}-[A-Za-z0-9]{64})',
  ),
  token('signed_address', 'the signature of a signed address', 'X-Amz-Signature=', '([0-9a-f]{64})', {
    severity: 'medium',
  }),
  token('signed_address', 'the signature of a signed address', 'X-Goog-Signature=', '([0-9a-f]{128,512})', {
    severity: 'medium',
  }),
  token(
    'kubernetes_bootstrap_token',
    'a Kubernetes bootstrap token',
    '--token|-bootstrap-token|--discovery-token',
    '[= ]([a-z0-9]{6}\\.[a-z0-9]{16})',
    {
      check: (value) => /\d/.test(value),
    },
  ),
  token('linode_token', 'a Civo or Linode token', 'linode_', '[a-f0-9]{64}'),
  token('hetzner_token', 'a Hetzner token', 'hcloud_', '[A-Za-z0-9]{64}'),
];

/** Capitals, small letters and digits: what a name seldom has together. */
function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}
