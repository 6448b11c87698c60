/** Installers that their makers tell everybody to pipe into a shell. */
export const KNOWN_INSTALLERS =
  /^https:\/\/(?:(?:sh\.rustup\.rs|static\.rust-lang\.org|get\.docker\.com|install\.python-poetry\.org|deb\.nodesource\.com|rpm\.nodesource\.com|get\.sdkman\.io|bun\.sh|deno\.land|fnm\.vercel\.app|astral\.sh|get\.pnpm\.io|pyenv\.run|starship\.rs|get\.helm\.sh|get\.k3s\.io|ollama\.(?:com|ai)|uploader\.codecov\.io|taskfile\.dev|foundry\.paradigm\.xyz|install\.ohmyz\.sh|get\.k0s\.sh|bootstrap\.pypa\.io|cli\.github\.com|install\.determinate\.systems|nixos\.org|(?:dl\.)?yarnpkg\.com|packages\.microsoft\.com|download\.docker\.com|apt\.releases\.hashicorp\.com|get\.volta\.sh|mise\.run|just\.systems|sdk\.cloud\.google\.com|install\.duckdb\.org|moonrepo\.dev|zed\.dev|omnitruck\.chef\.io|clis\.cloud\.ibm\.com|get\.rvm\.io|getcomposer\.org|get-ghcup\.haskell\.org|get\.haskellstack\.org|get\.pulumi\.com|get\.opentofu\.org|get\.rke2\.io|istio\.io|apt\.llvm\.org|get\.scoop\.sh|get\.chezmoi\.io|cli-assets\.heroku\.com|cpanmin\.us|win\.rustup\.rs|install\.datadoghq\.com)(?![\w.@-]|:(?!443(?![\w.@-])))|repo\.anaconda\.com\/(?:miniconda|archive)\/|raw\.githubusercontent\.com\/(?:nvm-sh|homebrew|pyenv|ohmyzsh|helm|golangci|anchore|aquasecurity|junegunn|docker|securego|reviewdog|rhysd|kubernetes-sigs|k3d-io|fluxcd|argoproj|trufflesecurity|goreleaser)\/|codecov\.io\/bash|sentry\.io\/get-cli|tailscale\.com\/install|claude\.ai\/install|fly\.io\/install|cursor\.com\/install|dot\.net\/v1|rclone\.org\/install|dokku\.com\/install|php\.new\/install|(?:community\.)?chocolatey\.org\/install(?:\.ps1)?(?![\w.])|aka\.ms\/install)/i;

/** Of these, what their makers write without `https://`. */
const BARE_INSTALLERS = /^(?:get\.chezmoi\.io(?:\/lb)?|get\.scoop\.sh)$/i;

/** Whether all that the words of a command fetch are such installers: each address, or the only word that is no option. */
export function fetchesKnownInstaller(words: readonly string[]): boolean {
  const urls = words.filter((word) => word.includes('://'));
  if (urls.length > 0) return urls.every((word) => KNOWN_INSTALLERS.test(word));
  const operands = words.filter(
    (word) => !/^-(?:[fsSLqO-]{1,8}|-(?:fail|silent|show-error|location|quiet|usebasicparsing))$/.test(word),
  );
  return operands.length === 1 && BARE_INSTALLERS.test(operands[0] as string);
}

/** A call of PowerShell, and what a script may set before it fetches. */
const AROUND =
  /^(?:\s{0,8}(?:(?:powershell|pwsh)(?:\.exe)?|-(?:noprofile|nop|nologo|noninteractive|c|command)|-(?:executionpolicy|exec|ex|ep) \w{1,16}|set-executionpolicy(?: -?\w{1,24}){1,6};|\[(?:system\.)?net\.servicepointmanager\]::securityprotocol\s{0,4}=\s{0,4}[\w[\].: -]{1,120};)){0,8}\s{0,8}["']?/i;
const FETCHER = String.raw`(?:irm|iwr|invoke-restmethod|invoke-webrequest)(?: -(?:useb|usebasicparsing|uri))?\s{1,4}["']?(https:\/\/[\w./?=&%-]{1,256}|get\.scoop\.sh)["']?(?: -(?:useb|usebasicparsing))?`;
const RUNNER = '(?:iex|invoke-expression)';
/** The forms in which makers write it, of which nothing is left over. */
const FORMS: readonly RegExp[] = [
  `^${FETCHER}\\s{0,4}\\|\\s{0,4}${RUNNER}\\s{0,4}["']?\\s{0,4}$`,
  `^${RUNNER}\\s{1,4}\\(\\s{0,4}${FETCHER}\\s{0,4}\\)(?:\\.content)?\\s{0,4}$`,
  `^${RUNNER}\\s{1,4}"?& ?\\{ ?\\$\\(${FETCHER}\\) ?\\}(?: -[\\w-]{1,32}| [\\w.-]{1,32}){0,8}"?\\s{0,4}$`,
  `^${RUNNER}\\s{0,4}\\(\\s{0,4}\\(new-object (?:system\\.)?net\\.webclient\\)\\.downloadstring\\(\\s{0,4}["'](https:\\/\\/[\\w./?=&%-]{1,256})["']\\s{0,4}\\)\\s{0,4}\\)\\s{0,4}$`,
  `^& ?\\(\\[scriptblock\\]::create\\(\\(${FETCHER}\\)\\)\\)(?: -[\\w-]{1,32}| [\\w.-]{1,32}){0,8}\\s{0,4}$`,
  `^${FETCHER} -outfile ([\\w.-]{1,64});\\s{0,4}start-process (?:\\./|\\.\\\\)?\\2(?: -[\\w-]{1,32}){0,4}\\s{0,4}$`,
].map((form) => new RegExp(form, 'i'));

/** What is installed with it, once it is there. */
const USED_THEN =
  /(?:\s{0,4};\s{0,4}(?:scoop|choco|winget|uv|bun|deno|rustup|cargo)(?: [\w@./:-]{1,64}){1,16}){1,8}\s{0,4}$/i;

/** Whether the whole of a PowerShell text is what such a maker tells everybody to run: `irm https://… | iex`. */
export function isKnownInstallation(text: string): boolean {
  if (text.length > 512 || !/https:\/\/|get\.scoop\.sh/i.test(text)) return false;
  const script = text.replace(AROUND, '').replace(USED_THEN, '');
  const url = FORMS.map((form) => form.exec(script)?.[1]).find((found) => found !== undefined);
  return (
    url !== undefined &&
    (KNOWN_INSTALLERS.test(url) || BARE_INSTALLERS.test(url) || (PUBLISHERS.test(url) && !HUBS.test(url)))
  );
}

/** Where anybody may publish, beside the makers themselves. */
const HUBS = /^https:\/\/(?:[\w-]{1,64}\.){0,4}(?:github|gitlab)\.com\/|^https:\/\/aka\.ms\//i;
/** Makers of programs that hand out installers as scripts from their own hosts. */
const PUBLISHERS =
  /^https:\/\/(?!(?:drive|docs|sites|script|storage|groups|colab|gitlab|invent|git|aur|people|conda|wiki|forums?|lists|bugs|paste)\.)(?:[\w-]{1,64}\.){0,4}(?:github\.com|gitlab\.com|anaconda\.(?:com|org)|conda\.io|apache\.org|gnu\.org|python\.org|pypa\.io|nodejs\.org|golang\.org|go\.dev|google\.com|k8s\.io|kubernetes\.io|hashicorp\.com|microsoft\.com|aka\.ms|visualstudio\.com|dot\.net|awscli\.amazonaws\.com|nvidia\.com|jetbrains\.com|eclipse\.org|mozilla\.org|debian\.org|ubuntu\.com|docker\.com|r-project\.org|julialang\.org|rust-lang\.org|ruby-lang\.org|php\.net|perl\.org|postgresql\.org|mysql\.com|chef\.io|llvm\.org|cmake\.org|sdkman\.io|rvm\.io|jenkins\.io|grafana\.com|elastic\.co|datadoghq\.com|newrelic\.com|sentry\.io|codecov\.io|min\.io|cloudflare\.com|cockroachlabs\.com|clickhouse\.com|influxdata\.com|mongodb\.com|mariadb\.(?:org|com)|sqlite\.org|duckdb\.org|oracle\.com|redhat\.com|fedoraproject\.org|opensuse\.org|archlinux\.org|alpinelinux\.org|kernel\.org|nginx\.org|gradle\.org|scala-lang\.org|haskell\.org|erlang\.org|elixir-lang\.org|nim-lang\.org|ziglang\.org|swift\.org|kotlinlang\.org|dart\.dev|flutter\.dev|android\.com|apple\.com|ffmpeg\.org|videolan\.org|gnome\.org|kde\.org|freedesktop\.org|qt\.io|istio\.io|linkerd\.io|fluxcd\.io|tekton\.dev|1password\.com|tailscale\.com)(?::443)?\//i;

/** Whether what is run is what a maker of note hands out. From anybody else it is `curl … | sh` in two steps. */
export function isPublished(url: string): boolean {
  if (RAW.test(url)) return KNOWN_INSTALLERS.test(url.replace(RAW, 'https://raw.githubusercontent.com/'));
  return PUBLISHERS.test(url) || KNOWN_INSTALLERS.test(url) || !/^(?:https?|[st]?ftps?):/i.test(url);
}

/** A file as it stands in anybody's repository, which leads to where such files are handed out. */
const RAW =
  /^https:\/\/(?:[\w-]{1,64}\.){0,4}(?:github|gitlab)\.com(?::443)?\/(?=[^?#]{0,512}\/raw(?:[/?#]|$)|[^#]{0,512}[?&]raw=)/i;
