/** Installers that their makers tell everybody to pipe into a shell. */
export const KNOWN_INSTALLERS =
  /^https:\/\/(?:sh\.rustup\.rs|static\.rust-lang\.org|get\.docker\.com|install\.python-poetry\.org|deb\.nodesource\.com|rpm\.nodesource\.com|raw\.githubusercontent\.com\/(?:nvm-sh|homebrew|pyenv|ohmyzsh|helm|golangci|anchore|aquasecurity|junegunn|docker|securego|reviewdog|rhysd|kubernetes-sigs|k3d-io|fluxcd|argoproj|trufflesecurity|goreleaser)\/|get\.sdkman\.io|bun\.sh|deno\.land|fnm\.vercel\.app|astral\.sh|get\.pnpm\.io|pyenv\.run|starship\.rs|get\.helm\.sh|get\.k3s\.io|ollama\.(?:com|ai)|uploader\.codecov\.io|codecov\.io\/bash|sentry\.io\/get-cli|taskfile\.dev|foundry\.paradigm\.xyz|install\.ohmyz\.sh|tailscale\.com\/install|get\.k0s\.sh|claude\.ai\/install|bootstrap\.pypa\.io|get-pip|cli\.github\.com|install\.determinate\.systems|nixos\.org|(?:dl\.)?yarnpkg\.com|packages\.microsoft\.com|download\.docker\.com|apt\.releases\.hashicorp\.com|get\.volta\.sh|mise\.run|just\.systems|sdk\.cloud\.google\.com|fly\.io\/install|cursor\.com\/install|install\.duckdb\.org|dot\.net\/v1|moonrepo\.dev|zed\.dev|omnitruck\.chef\.io|clis\.cloud\.ibm\.com|get\.rvm\.io|getcomposer\.org|get-ghcup\.haskell\.org|get\.haskellstack\.org|get\.pulumi\.com|get\.opentofu\.org|get\.rke2\.io|istio\.io|apt\.llvm\.org|rclone\.org\/install|get\.scoop\.sh|community\.chocolatey\.org\/install|cli-assets\.heroku\.com|cpanmin\.us|aka\.ms\/install)/i;

/** A call of PowerShell, and what a script may set before it fetches. */
const AROUND =
  /^(?:\s{0,8}(?:(?:powershell|pwsh)(?:\.exe)?|-(?:noprofile|nop|nologo|noninteractive|c|command)|-(?:executionpolicy|exec|ex|ep) \w{1,16}|set-executionpolicy(?: -?\w{1,24}){1,6};)){0,8}\s{0,8}["']?/i;
const FETCHES_AND_RUNS =
  /^(?:irm|iwr|invoke-restmethod|invoke-webrequest)(?: -(?:useb|usebasicparsing|uri))?\s{1,4}["']?(https:\/\/[\w./?=&%-]{1,256})["']?(?: -(?:useb|usebasicparsing))?\s{0,4}\|\s{0,4}(?:iex|invoke-expression)\s{0,4}["']?\s{0,4}$/i;

/** Whether the whole of a PowerShell text is what such a maker tells everybody to run: `irm https://… | iex`. */
export function isKnownInstallation(text: string): boolean {
  if (text.length > 512 || !text.includes('https://')) return false;
  const url = FETCHES_AND_RUNS.exec(text.replace(AROUND, ''))?.[1];
  return url !== undefined && KNOWN_INSTALLERS.test(url);
}
