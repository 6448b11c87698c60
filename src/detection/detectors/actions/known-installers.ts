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

/** Makers of programs that hand out installers as scripts from their own hosts. */
const PUBLISHERS =
  /^https:\/\/(?:[\w-]{1,64}\.){0,4}(?:github\.com|gitlab\.com|anaconda\.(?:com|org)|conda\.io|apache\.org|gnu\.org|python\.org|pypa\.io|nodejs\.org|golang\.org|go\.dev|google\.com|k8s\.io|kubernetes\.io|hashicorp\.com|microsoft\.com|aka\.ms|visualstudio\.com|dot\.net|awscli\.amazonaws\.com|nvidia\.com|jetbrains\.com|eclipse\.org|mozilla\.org|debian\.org|ubuntu\.com|docker\.com|r-project\.org|julialang\.org|rust-lang\.org|ruby-lang\.org|php\.net|perl\.org|postgresql\.org|mysql\.com|chef\.io|llvm\.org|cmake\.org|sdkman\.io|rvm\.io|jenkins\.io|grafana\.com|elastic\.co|datadoghq\.com|newrelic\.com|sentry\.io|codecov\.io|min\.io|cloudflare\.com|cockroachlabs\.com|clickhouse\.com|influxdata\.com|mongodb\.com|mariadb\.(?:org|com)|sqlite\.org|duckdb\.org|oracle\.com|redhat\.com|fedoraproject\.org|opensuse\.org|archlinux\.org|alpinelinux\.org|kernel\.org|nginx\.org|gradle\.org|scala-lang\.org|haskell\.org|erlang\.org|elixir-lang\.org|nim-lang\.org|ziglang\.org|swift\.org|kotlinlang\.org|dart\.dev|flutter\.dev|android\.com|apple\.com|ffmpeg\.org|videolan\.org|gnome\.org|kde\.org|freedesktop\.org|qt\.io|istio\.io|linkerd\.io|fluxcd\.io|tekton\.dev|1password\.com|tailscale\.com)(?::443)?\//i;

/** Whether what is run is what a maker of note hands out. From anybody else it is `curl … | sh` in two steps. */
export function isPublished(url: string): boolean {
  return PUBLISHERS.test(url) || KNOWN_INSTALLERS.test(url) || !/^https?:/i.test(url);
}

/** Where anybody may publish, beside the makers themselves. */
const HUBS = /^https:\/\/(?:[\w-]{1,64}\.){0,4}(?:github|gitlab)\.com\//i;
const ADDRESS = /[a-z]{2,8}:\/\/[^\s"'`<>);|]{1,512}/gi;
/** Addresses that are put together can be read by nobody here. */
const ASSEMBLED = /base64|-join\b|\[char|["']\s{0,4}\+|\+\s{0,4}["']|-f\s/i;
const SCRIPT_CHARS_MAX = 1_024;

/** Whether all addresses in a text are of makers who hand out installers there. */
export function fetchesFromMakers(text: string): boolean {
  if (text.length > SCRIPT_CHARS_MAX || ASSEMBLED.test(text)) return false;
  const urls = text.match(ADDRESS) ?? [];
  return (
    urls.length > 0 && urls.every((url) => KNOWN_INSTALLERS.test(url) || (PUBLISHERS.test(url) && !HUBS.test(url)))
  );
}
