import { hasBase62Checksum } from './checksums.ts';
import { type TokenFormat, token, tokenLike } from './token-format.ts';

/** A right checksum settles it; without one it may still be an old or an enterprise token. */
const checked = (value: string): number => (hasBase62Checksum(value) ? 1 : 0.9);

const critical = { severity: 'critical' } as const;

/** Code hosts, package registries, build services and secret stores. */
export const CODE_FORMATS: readonly TokenFormat[] = [
  token('github_token', 'a GitHub token', 'ghp_|gho_|ghu_|ghs_', '[A-Za-z0-9]{36}', { ...critical, check: checked }),
  token('github_refresh_token', 'a GitHub refresh token', 'ghr_', '[A-Za-z0-9]{36,80}', {
    ...critical,
    check: checked,
  }),
  token('github_token', 'a GitHub fine-grained token', 'github_pat_', '[A-Za-z0-9]{22}_[A-Za-z0-9]{59}', critical),
  token(
    'gitlab_token',
    'a GitLab personal token',
    'glpat-',
    '[\\w-]{20,300}(?:\\.[0-9a-z]{2}\\.?[0-9a-z]{7})?',
    critical,
  ),
  token(
    'gitlab_token',
    'a GitLab token',
    'gldt-|glrt-|glft-|glffct-|glimt-|glsoat-|glrtr-|glcbt-|glwt-',
    '[\\w.-]{20,120}',
  ),
  token('gitlab_token', 'a GitLab trigger token', 'glptt-', '[a-f0-9]{40}'),
  token('gitlab_token', 'a GitLab cluster agent token', 'glagent-', '[\\w-]{50}'),
  token('gitlab_token', 'a GitLab OAuth secret', 'gloas-', '[a-f0-9]{64}'),
  token('gitlab_token', 'a GitLab runner registration token', 'GR1348941', '[\\w-]{20}(?![\\w-])', { check: lettered }),
  token('gitlab_session', 'a GitLab session', '_gitlab_session=', '([0-9a-f]{32})'),
  token('bitbucket_password', 'a Bitbucket app password', 'ATBB', '[A-Za-z0-9_=.-]{24,60}', { check: lettered }),
  token('bitbucket_token', 'a Bitbucket access token', 'ATCTT3xFfG', '[\\w=-]{60,300}'),
  token('atlassian_token', 'an Atlassian API token', 'ATATT3', '[\\w=-]{100,300}'),
  token('gitea_token', 'a Gitea token', 'gta_', '[a-f0-9]{40}'),
  token('npm_token', 'an npm token', 'npm_', '[A-Za-z0-9]{36}', { ...critical, check: checked }),
  token('pypi_token', 'a PyPI token', 'pypi-AgEIcHlwaS5vcmc|pypi-AgENdGVzdC5weXBpLm9yZw', '[\\w-]{50,1000}', critical),
  token('rubygems_key', 'a RubyGems key', 'rubygems_', '[a-f0-9]{48}', critical),
  token('nuget_key', 'a NuGet key', 'oy2', '[a-z0-9]{43}', {
    ...critical,
    check: (value) => /\d/.test(value.slice(3)),
    entropyBitsMin: 3.6,
  }),
  token('crates_token', 'a crates.io token', 'cio', '[A-Za-z0-9]{32}', {
    ...critical,
    check: mixed,
    entropyBitsMin: 3.9,
  }),
  token('clojars_token', 'a Clojars token', 'CLOJARS_', '[a-z0-9]{60}', critical),
  token('packagist_token', 'a Packagist token', 'packagist_', '(?:ack|aut|uut|ort|out|oat)_[a-f0-9]{60,90}'),
  token('docker_token', 'a Docker Hub token', 'dckr_pat_|dckr_oat_', '[\\w-]{27,32}(?![\\w-])', critical),
  token('artifactory_key', 'an Artifactory key', 'AKCp', '[A-Za-z0-9]{65,75}', critical),
  token('artifactory_token', 'an Artifactory reference token', 'cmVmd', '[A-Za-z0-9]{59}', {
    check: (value) => value.startsWith('cmVmdGtu') || mixed(value),
  }),
  token('cloudsmith_token', 'a Cloudsmith token', 'cloudsmith_', '[a-f0-9]{40}'),
  token('buildkite_token', 'a Buildkite token', 'bkua_|bkct_|bkpt_', '[a-zA-Z0-9]{32,64}'),
  token('circleci_token', 'a CircleCI token', 'CCIPAT_|CCIPRJ_', '[A-Za-z0-9]{22}_[a-f0-9]{40}'),
  token('qlty_token', 'a Qlty token', 'qltcw_|qltp_', '[A-Za-z0-9]{16,64}'),
  token('sonar_token', 'a SonarQube token', 'squ_|sqp_|sqa_', '[A-Za-z0-9]{40}'),
  token('sourcegraph_token', 'a Sourcegraph token', 'sgp_', '(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'),
  token('sourcegraph_token', 'a Sourcegraph licence token', 'slk_|sgs_', '[a-fA-F0-9]{40,64}'),
  token('segment_token', 'a Segment token', 'sgp_', '[A-Za-z0-9]{64}', { check: mixed }),
  token('pulumi_token', 'a Pulumi token', 'pul-', '[a-f0-9]{40}'),
  tokenLike(
    'terraform_token',
    'a Terraform Cloud token',
    ['.atlasv1.'],
    '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}(?![\\w-])',
    {
      lead: { chars: /[A-Za-z0-9]/, charsMax: 14 },
      severity: 'critical',
    },
  ),
  token('vault_token', 'a HashiCorp Vault token', 'hvs.', '[\\w-]{24,300}', { ...critical, check: mixed }),
  token('vault_token', 'a HashiCorp Vault batch token', 'hvb.|hvr.', '[\\w-]{90,400}', { check: mixed }),
  tokenLike('vault_token', 'a HashiCorp Vault token', ['s.', 'b.'], '[sb]\\.[A-Za-z0-9]{24}(?![\\w.(])', {
    check: (value) => mixed(value) && (value.match(/\d/g)?.length ?? 0) > 1,
    entropyBitsMin: 4,
    confidence: 0.7,
  }),
  token(
    'vault_unseal_key',
    'a HashiCorp Vault unseal key',
    'Unseal Key |Recovery Key ',
    '\\d{1,2}: ([A-Za-z0-9+/]{44}|[0-9a-f]{64,66})(?![A-Za-z0-9+/=])',
    critical,
  ),
  token(
    'vault_unseal_key',
    'a HashiCorp Vault unseal key',
    'operator unseal ',
    '(?:-[\\w=:/.-]{1,80} ){0,4}([A-Za-z0-9+/]{44}|[0-9a-f]{64,66})(?![A-Za-z0-9+/=])',
    critical,
  ),
  token(
    'doppler_token',
    'a Doppler token',
    'dp.',
    '(?:pt|ct|sa|scim|audit|st(?:\\.[a-z0-9_-]{2,35})?)\\.[A-Za-z0-9]{40,44}',
  ),
  token('infisical_token', 'an Infisical token', 'st.', '[a-f0-9]{24}\\.[a-f0-9]{32}\\.[a-f0-9]{32}'),
  token('akeyless_id', 'an Akeyless access id', 'p-', '[a-z0-9]{14}am', {
    severity: 'low',
    confidence: 0.5,
    check: (value) => (value.match(/\d/g)?.length ?? 0) > 2,
  }),
  token('onepassword_token', 'a 1Password service-account token', 'ops_eyJ', '[A-Za-z0-9+/=_-]{200,4000}', critical),
  token(
    'onepassword_key',
    'a 1Password secret key',
    'A3-',
    '[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}',
    critical,
  ),
  token('age_key', 'an age secret key', 'AGE-SECRET-KEY-1', '[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}', critical),
  token('age_key', 'an age plugin identity', 'AGE-PLUGIN-', '[A-Z0-9-]{40,400}'),
  token('postman_key', 'a Postman key', 'PMAK-', '[a-f0-9]{24}-[a-f0-9]{34}'),
  token('postman_key', 'a Postman collection key', 'PMAT-', '[0-9A-Z]{26}', { entropyBitsMin: 3.5 }),
  token('devin_key', 'a Devin key', 'apk_user_|apk_', '[A-Za-z0-9+/]{80,200}={0,2}', { check: mixed }),
  token('prefect_key', 'a Prefect key', 'pnu_|pnb_', '[A-Za-z0-9]{36}'),
  token('infracost_key', 'an Infracost key', 'ico-', '[A-Za-z0-9]{32}', { check: mixed }),
  token('harness_token', 'a Harness token', 'pat.|sat.', '[\\w-]{22}\\.[a-f0-9]{24}\\.[A-Za-z0-9]{20}'),
  token('octopus_key', 'an Octopus Deploy key', 'API-', '[A-Z0-9]{25,27}', {
    check: (value) => (value.match(/\d/g)?.length ?? 0) > 1 && /[A-Z]{2}/.test(value.slice(4)),
    entropyBitsMin: 3.4,
  }),
  token(
    'dependency_track_key',
    'a Dependency-Track key',
    'odt_',
    '(?:[A-Za-z0-9]{8}_)?[A-Za-z0-9]{32,40}(?:_[A-Za-z0-9]{32})?',
    { check: mixed },
  ),
  token('stackhawk_key', 'a StackHawk key', 'hawk.', '[\\w-]{20}\\.[\\w-]{20}(?![\\w-])'),
  token('snyk_token', 'a Snyk token', 'snyk_uat.|snyk_sat.', '[a-z0-9]{8}\\.[\\w.-]{60,400}'),
  token('semgrep_token', 'a Semgrep token', 'sgrep_', '[a-f0-9]{64}'),
  token('gitguardian_token', 'a GitGuardian token', 'ggp_|ggs_', '[A-Za-z0-9]{40,64}'),
  token('chromatic_token', 'a Chromatic token', 'chpt_', '[a-f0-9]{12,20}'),
  token('percy_token', 'a Percy token', 'web_|app_|auto_', '[a-f0-9]{64}', { confidence: 0.7 }),
  token('nightfall_key', 'a Nightfall key', 'NF-', '[A-Za-z0-9]{32}', { check: mixed }),
  token('cargo_registry_token', 'a Cargo registry token', 'crt_', '[A-Za-z0-9]{40,64}', {
    check: mixed,
    confidence: 0.7,
  }),
  token(
    'jetbrains_token',
    'a JetBrains token',
    'perm:|perm-',
    '[A-Za-z0-9+/=]{8,60}\\.[A-Za-z0-9+/=-]{4,60}\\.[A-Za-z0-9]{20,60}',
  ),
  token('django_secret', 'a Django secret key', 'django-insecure-', '([\\w!@#$%^&*(=+)-]{50})', {
    severity: 'medium',
    check: (value) => /\d/.test(value),
  }),
  token(
    'jenkins_password',
    'the first password of a Jenkins',
    'password to proceed to installation',
    ':\\s{1,8}([0-9a-f]{32})',
  ),
  token('ionic_token', 'an Ionic token', 'ion_', '[A-Za-z0-9]{42}', { check: mixed }),
  token('expo_token', 'an Expo token', 'expo_', '[A-Za-z0-9_-]{40}', { check: mixed, confidence: 0.8 }),
];

function mixed(value: string): boolean {
  return /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

/** More letters than a placeholder like `12312312…` has behind the mark. */
function lettered(value: string): boolean {
  return /[A-Za-z]/.test(value.slice(9)) && /\d/.test(value);
}
